/** The messages of a request, of the turns of a conversation. */
import type { Attachment, Turn } from './turn.ts';

type Message = Readonly<Record<string, unknown>>;

/** Answers that gave nothing are left out: no model takes an empty one. */
export const messagesOf = (turns: readonly Turn[]): Message[] =>
  turns
    .filter((turn) => turn.message || turn.role !== 'assistant' || turn.text !== '' || turn.calls.length > 0)
    .map((turn) => turn.message ?? messageOf[turn.role](turn));

const messageOf: Readonly<Record<Turn['role'], (turn: Turn) => Message>> = {
  user: ({ text, images, files }) => {
    const parts = [...images.map(imagePart), ...files.flatMap(filePart)];
    if (parts.length === 0) return { role: 'user', content: text };
    return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] };
  },
  assistant: ({ text, calls }) => ({
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      })),
    }),
  }),
  system: ({ text }) => ({ role: 'system', content: text }),
  tool: ({ text, callId }) => ({ role: 'tool', tool_call_id: callId, content: text }),
};

const imagePart = (url: string) => ({ type: 'image_url', image_url: { url } });

function filePart({ name, type, address }: Attachment): Message[] {
  if (address === null) return [];
  if (type.startsWith('image/')) return [imagePart(address)];
  return [{ type: 'file', file: { filename: name, file_data: address } }];
}
