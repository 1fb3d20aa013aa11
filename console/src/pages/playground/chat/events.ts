/** The chunks of a chat stream: lines of `data:`, until `[DONE]`. */
import { isRecord, listOf, recordOf, textOf } from '../../../parts/json.ts';
import type { ToolCall } from './turn.ts';

/** What an answer consists of so far. */
export interface Answered {
  text: string;
  thoughts: string;
  calls: readonly ToolCall[];
}

/**
 * Reads a stream to its end, reporting all that has come with each piece of it, and returns why it ended. Raises a
 * BrokenStream with the words of one that breaks, or with none when it ends too early.
 */
export async function readPieces(
  body: ReadableStream<Uint8Array>,
  report: (so: Answered) => void,
): Promise<string | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let last: string | null = null;
  let answered: Answered = { text: '', thoughts: '', calls: [] };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new BrokenStream();
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      const data = line.slice('data:'.length).trim();
      if (data === '[DONE]') return last;
      const { delta, finish } = pieceOf(data);
      last = finish ?? last;
      const next = joined(answered, delta);
      if (next !== answered) report((answered = next));
    }
  }
}

/** `message` is the server's word on it, or empty. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

function pieceOf(data: string): { delta: Readonly<Record<string, unknown>>; finish: string | null } {
  const chunk = recordOf(JSON.parse(data));
  if (chunk['error'] !== undefined) throw new BrokenStream(textOf(recordOf(chunk['error'])['message']));
  const { delta, finish_reason: finish } = recordOf(listOf(chunk['choices'])[0]);
  return { delta: recordOf(delta), finish: typeof finish === 'string' ? finish : null };
}

/** The answer with a piece more; the very same if the piece has nothing of it. */
function joined(so: Answered, delta: Readonly<Record<string, unknown>>): Answered {
  const text = textOf(delta['content']);
  const thoughts = textOf(delta['reasoning_content']) || textOf(delta['reasoning']);
  const calls = listOf(delta['tool_calls']).filter(isRecord);
  if (text === '' && thoughts === '' && calls.length === 0) return so;
  return {
    text: so.text + text,
    thoughts: so.thoughts + thoughts,
    calls: calls.reduce<readonly ToolCall[]>(withCall, so.calls),
  };
}

/** A call comes in pieces, distinguished by its place among the calls: id and name first, then its arguments. */
function withCall(calls: readonly ToolCall[], piece: Readonly<Record<string, unknown>>): readonly ToolCall[] {
  const { index, id, function: of } = piece;
  const place = typeof index === 'number' ? index : calls.length;
  const { name, arguments: input } = recordOf(of);
  const before = calls[place] ?? { id: '', name: '', input: '' };
  const after = {
    id: before.id || textOf(id),
    name: before.name || textOf(name),
    input: before.input + textOf(input),
  };
  return place < calls.length ? calls.with(place, after) : [...calls, after];
}
