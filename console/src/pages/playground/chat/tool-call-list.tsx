/** The tools that a model calls, with the arguments that it gives them. */
import { CodeBlock } from '../../../parts/code-block.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { texts } from './texts.ts';
import type { ToolCall } from './turn.ts';

export function ToolCallList({ calls }: { calls: readonly ToolCall[] }) {
  const say = useTexts(texts);
  return calls.map(({ name, input }, index) => {
    const title = say('toolCall', { name });
    return (
      <section key={index} className="tg-tool-call" aria-label={title}>
        <h4>{title}</h4>
        <CodeBlock code={pretty(input)} label={say('toolInput', { name })} />
      </section>
    );
  });
}

function pretty(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), null, 2);
  } catch {
    return input; // it still comes, or is no JSON
  }
}
