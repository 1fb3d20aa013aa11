/** A recorded body made readable: JSON with line breaks, and of a stream's events the text that they add up to. */

interface ReadableBody {
  text: string;
  /** Of a stream whose text is known. */
  said?: string;
}

export function readableBody(text: string): ReadableBody {
  const value = jsonOf(text);
  if (value !== undefined) return { text: JSON.stringify(value, null, 2) };
  const said = text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => deltaOf(jsonOf(line.slice('data:'.length))))
    .join('');
  return said === '' ? { text } : { text, said };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What an event adds to the text: of a chat completion, a response or a message. */
function deltaOf(event: unknown): string {
  const choice = memberOf(event, 'choices');
  const first: unknown = Array.isArray(choice) ? choice[0] : undefined;
  const texts = [
    memberOf(memberOf(first, 'delta'), 'content'),
    memberOf(first, 'text'),
    memberOf(event, 'type') === 'response.output_text.delta' ? memberOf(event, 'delta') : undefined,
    memberOf(memberOf(event, 'delta'), 'text'),
  ];
  return texts.find((text) => typeof text === 'string') ?? '';
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
