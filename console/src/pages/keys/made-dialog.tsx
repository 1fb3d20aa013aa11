/** The new key, shown once, with a first call to try. */
import type { Answer } from '../../api/client.ts';
import { CodeTabs } from '../../parts/code-block.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { firstCall } from './first-call.ts';
import { texts } from './texts.ts';

export function MadeDialog({ made, onDone }: { made: Answer<'createKey'>; onDone: () => void }) {
  const say = useTexts(texts);
  const { key, name, example } = made;
  const baseUrl = window.location.origin + example.root;
  return (
    <SecretDialog
      title={say('madeTitle', { name })}
      warning={say('madeWarning')}
      kind="key"
      label={say('key')}
      secret={key}
      onDone={onDone}
    >
      <h3 className="tg-try">{say('tryIt')}</h3>
      <CodeTabs codes={firstCall({ baseUrl, key, model: example.model })} />
    </SecretDialog>
  );
}
