/** How the answers of a receiver began, to unfold; their text, and never more. Members get none. */
import { useTexts } from '../../texts/define-texts.ts';
import { CodeBlock } from '../code-block.tsx';
import { eventTexts } from './texts.ts';

interface Props {
  attempts: readonly { attempt: number; answer: string | null }[];
}

export function ReceiverAnswers({ attempts }: Props) {
  const say = useTexts(eventTexts);
  return attempts.map(
    ({ attempt, answer }) =>
      answer !== null && (
        <details key={attempt} className="tg-answer">
          <summary>{say('answerOf', { attempt })}</summary>
          <CodeBlock code={answer} label={say('answerOf', { attempt })} />
        </details>
      ),
  );
}
