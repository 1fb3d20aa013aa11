/** A message of a request as a turn; one that a turn can't say in full keeps the message itself. */
import { isRecord, listOf, recordOf, textOf } from '../../../parts/json.ts';
import { messagesOf } from './messages.ts';
import { type Turn, turnOf } from './turn.ts';

export function readMessage(message: Readonly<Record<string, unknown>>): Turn {
  const turn = turnOf({
    role: roleOf(message['role']),
    text: textIn(message['content']),
    images: partsOf(message['content'], 'image_url').map(({ image_url: image }) => textOf(recordOf(image)['url'])),
    calls: listOf(message['tool_calls']).map(readCall),
    callId: typeof message['tool_call_id'] === 'string' ? message['tool_call_id'] : null,
  });
  const isWhole = JSON.stringify(messagesOf([turn])) === JSON.stringify([message]);
  return isWhole ? turn : { ...turn, message };
}

function roleOf(role: unknown): Turn['role'] {
  if (role === 'assistant' || role === 'tool' || role === 'user') return role;
  return 'system';
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return partsOf(content, 'text')
    .map(({ text }) => textOf(text))
    .join('\n');
}

const partsOf = (content: unknown, type: string) =>
  listOf(content)
    .filter(isRecord)
    .filter((part) => part['type'] === type);

function readCall(call: unknown): Turn['calls'][number] {
  const { id, function: called } = recordOf(call);
  const { name, arguments: input } = recordOf(called);
  return { id: textOf(id), name: textOf(name), input: textOf(input) };
}
