/** What a model said: as Markdown, as the JSON that it is, or as it came. */
import { CodeBlock } from '../../../parts/code-block.tsx';
import { Markdown } from './markdown.tsx';

export function AnswerText({ text, isRaw }: { text: string; isRaw: boolean }) {
  if (text === '') return null;
  if (isRaw) return <p className="tg-plain tg-raw">{text}</p>;
  const json = prettyJson(text);
  return json === undefined ? <Markdown text={text} /> : <CodeBlock code={json} label="JSON" />;
}

/** The text with its indentation if it is an object or a list of JSON, as in JSON mode. */
function prettyJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text) || !/[}\]]\s*$/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}
