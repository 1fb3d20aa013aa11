/** What was refused of a run: at the field that it names, else beside the button, in the reader's words where there are any. */
import { Alert } from 'antd';
import { useEffect } from 'react';
import { toConsoleError } from '../../../api/error.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { useErrorText } from '../../../parts/error-text.ts';
import { partsTexts } from '../../../parts/texts.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { focusField } from './field.tsx';

/** The name of the field that a `param` belongs to. */
export type FieldOf = (param: string) => string | undefined;

export interface Fault {
  /** The refused field, if it is one of the form. */
  field: string | undefined;
  text: string;
  error: unknown;
}

const textOfCode = {
  insufficient_balance: 'noMoney',
  account_suspended: 'suspended',
  permission_denied: 'mayNot',
  model_not_allowed: 'modelNotAllowed',
  model_not_found: 'modelGone',
  model_in_maintenance: 'modelInMaintenance',
  spend_limit_exceeded: 'spendLimit',
} as const;

/** Reads an error for the form whose fields `fieldOf` knows. */
export function useFault(error: unknown, fieldOf: FieldOf): Fault | undefined {
  const say = useTexts(playgroundTexts);
  const textOf = useErrorText();
  const isThere = error !== undefined && error !== null;
  const { code, param } = toConsoleError(error);
  const field = isThere && param !== null ? fieldOf(param.replace(/^body\./, '')) : undefined;
  useEffect(() => {
    if (field !== undefined) focusField(field);
  }, [error, field]);
  if (!isThere) return undefined;
  const text = Object.entries(textOfCode).find(([name]) => name === code)?.[1];
  return { field, text: text === undefined ? textOf(error) : say(text), error };
}

/** The error of the field of this name. */
export const faultAt = (fault: Fault | undefined, name: string): string | undefined =>
  fault?.field === name ? fault.text : undefined;

/** What belongs to no field. */
export function FaultAlert({ fault }: { fault: Fault | undefined }) {
  const say = useTexts(partsTexts);
  if (!fault || fault.field !== undefined) return null;
  const { requestId } = toConsoleError(fault.error);
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={fault.text}
      description={
        requestId === null ? undefined : (
          <span className="tg-break">
            {say('requestId', { id: requestId })} <CopyButton text={requestId} />
          </span>
        )
      }
    />
  );
}
