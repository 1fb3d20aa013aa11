/** The chunks of a chat stream: lines of `data:`, until `[DONE]`. */

/**
 * Reads a stream to its end, reporting each text that arrives, and returns why it ended. Raises a BrokenStream with the words
 * of one that breaks, or with none when it ends too early.
 */
export async function readPieces(
  body: ReadableStream<Uint8Array>,
  report: (text: string) => void,
): Promise<string | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let last: string | null = null;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new BrokenStream();
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      const data = line.slice('data:'.length).trim();
      if (data === '[DONE]') return last;
      const { text, finish } = pieceOf(data);
      last = finish ?? last;
      if (text !== '') report(text);
    }
  }
}

/** `message` is the server's word on it, or empty. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

function pieceOf(data: string): { text: string; finish: string | null } {
  const chunk: unknown = JSON.parse(data);
  const error = member(chunk, 'error');
  if (error !== undefined) throw new BrokenStream(textOf(member(error, 'message')));
  const choices = member(chunk, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const delta = member(choice, 'delta');
  const finish = member(choice, 'finish_reason');
  return {
    text: textOf(member(delta, 'content')),
    finish: typeof finish === 'string' ? finish : null,
  };
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
