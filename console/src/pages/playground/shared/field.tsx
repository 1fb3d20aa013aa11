/** A field with its label, hint and error, all linked to it for screen readers. */
import { type ReactNode, useId } from 'react';

export interface FieldProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
  status: 'error' | '';
}

interface Props {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Its name, under which an error finds it. */
  name: string;
  children: (props: FieldProps) => ReactNode;
}

export function Field({ label, hint, error, name, children }: Props) {
  const id = fieldId(name);
  const note = useId();
  const hasNote = error !== undefined || hint !== undefined;
  return (
    <div className="tg-field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': hasNote ? note : undefined,
        'aria-invalid': error !== undefined,
        status: error === undefined ? '' : 'error',
      })}
      {hasNote && (
        <div id={note} className="tg-field-note">
          {error !== undefined && (
            <p className="tg-field-error" role="alert">
              {error}
            </p>
          )}
          {hint !== undefined && <p>{hint}</p>}
        </div>
      )}
    </div>
  );
}

const fieldId = (name: string): string => `play-${name}`;

/** Moves the focus to the field of this name, and opens the group that it stands in. */
export function focusField(name: string): void {
  const field = document.getElementById(fieldId(name));
  field?.closest('details')?.setAttribute('open', '');
  field?.focus();
}
