/** The form's request as code. */
import type { ReactNode } from 'react';
import { CodeTabs } from '../../../parts/code-block.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import type { Codes } from './codes.ts';

interface Props {
  codes: Codes;
  /** Which request it is, where that isn't plain. */
  note?: string;
  /** Chooses one of several. */
  children?: ReactNode;
}

export function Code({ codes, note, children }: Props) {
  const say = useTexts(playgroundTexts);
  return (
    <section className="tg-play-code" aria-label={say('codeTitle')}>
      <h2>{say('codeTitle')}</h2>
      <p>
        {note !== undefined && `${note} `}
        {say('codeKey')}
      </p>
      {children}
      <CodeTabs codes={codes} />
    </section>
  );
}
