/** A new one-time link, shown once. */
import { useTexts } from '../../texts/define-texts.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { operatorTexts } from './texts.ts';

export function LinkDialog({ link, onDone }: { link: { email: string; token: string }; onDone: () => void }) {
  const say = useTexts(operatorTexts);
  const { email, token } = link;
  return (
    <SecretDialog
      title={say('linkTitle', { email })}
      warning={say('linkWarning', { email })}
      kind="link"
      label={say('link')}
      secret={`${window.location.origin}/console/invitation#${token}`}
      onDone={onDone}
    />
  );
}
