/** In place of what could not be read: what went wrong, the request id that finds it in the log, and another try. */
import { Alert, Button } from 'antd';
import { toConsoleError } from '../api/error.ts';
import { useTexts } from '../texts/define-texts.ts';
import { CopyButton } from './copy-button.tsx';
import { useErrorText } from './error-text.ts';
import { partsTexts } from './texts.ts';

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const say = useTexts(partsTexts);
  const textOf = useErrorText();
  const { requestId } = toConsoleError(error);
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={textOf(error)}
      description={
        requestId === null ? undefined : (
          <span>
            {say('requestId', { id: requestId })} <CopyButton text={requestId} />
          </span>
        )
      }
      action={onRetry && <Button onClick={onRetry}>{say('retry')}</Button>}
    />
  );
}
