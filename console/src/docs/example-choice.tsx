/** Which of several examples is shown. */
import { useTexts } from '../texts/define-texts.ts';
import type { Example } from './document.ts';
import { texts } from './texts.ts';

interface ExampleChoiceProps {
  examples: readonly Example[];
  chosen: number;
  choose: (index: number) => void;
}

export function ExampleChoice({ examples, chosen, choose }: ExampleChoiceProps) {
  const say = useTexts(texts);
  if (examples.length < 2) return null;
  return (
    <label>
      {say('example')}{' '}
      <select value={chosen} onChange={(event) => choose(Number(event.target.value))}>
        {examples.map(({ name, summary }, index) => (
          <option key={name} value={index}>
            {summary}
          </option>
        ))}
      </select>
    </label>
  );
}
