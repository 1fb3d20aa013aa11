/** The form's request as code, behind a summary that can be opened. */
import { CodeTabs } from '../../../parts/code-block.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import type { Codes } from './codes.ts';

export function Code({ codes }: { codes: Codes }) {
  const say = useTexts(playgroundTexts);
  return (
    <section className="tg-play-code" aria-label={say('codeTitle')}>
      <h2>{say('codeTitle')}</h2>
      <p>{say('codeKey')}</p>
      <CodeTabs codes={codes} />
    </section>
  );
}
