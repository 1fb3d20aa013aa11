/** A recorded chat request as the page has it: what its form can say stands in the form, all else in the field of JSON. */
import { isRecord, listOf, recordOf, textOf } from '../../../parts/json.ts';
import { parametersOf } from './chat-request.ts';
import { type Draft, efforts, firstDraft, formats, toolChoices } from './draft.ts';
import { readMessage } from './read-messages.ts';
import type { Turn } from './turn.ts';

export interface OpenedRequest {
  draft: Draft;
  turns: readonly Turn[];
  /** What is not as it was, in the words of the page's texts. */
  notes: readonly ('redacted' | 'mediaCut' | 'oneAnswer' | 'nowStreamed')[];
}

/** Reads a body as it was recorded. Undefined: it is no chat request, or not all of it was kept. */
export function openRequest(text: string, tag: string | null): OpenedRequest | undefined {
  const body = recordOf(jsonOf(text));
  const messages = listOf(body['messages']).filter(isRecord);
  if (textOf(body['model']) === '' || messages.length === 0) return undefined;
  const [first] = messages;
  const system = first && isPlainSystem(first) ? textOf(first['content']) : '';
  const turns = (system === '' ? messages : messages.slice(1)).map(readMessage);
  const draft = { ...withParameters(body), model: textOf(body['model']), system, tag: tag ?? '' };
  return { draft, turns, notes: notesOf(text, body) };
}

/** One that the form's field for it sends again as it was. */
const isPlainSystem = (message: Readonly<Record<string, unknown>>): boolean =>
  message['role'] === 'system' && textOf(message['content']).trim() !== '' && Object.keys(message).length === 2;

/** What the page writes itself. */
const written = ['model', 'messages', 'stream', 'n'];

/** A field of the form has what it would send again exactly; whatever no field has is written as JSON. */
function withParameters(body: Readonly<Record<string, unknown>>): Draft {
  let draft: Draft = firstDraft;
  const extra: Record<string, unknown> = {};
  // Tools first: a choice among them is only sent with them.
  const names = Object.keys(body).toSorted((one, other) => Number(other === 'tools') - Number(one === 'tools'));
  for (const name of names.filter((one) => !written.includes(one))) {
    const change = Object.hasOwn(readers, name) ? readers[name]?.(body[name]) : undefined;
    const changed = { ...draft, ...change };
    if (change && isSame(parametersOf(changed)[name], body[name])) draft = changed;
    else extra[name] = body[name];
  }
  return Object.keys(extra).length === 0 ? draft : { ...draft, extra: indented(extra) };
}

const number = (name: keyof Draft) => (value: unknown) => (typeof value === 'number' ? { [name]: value } : undefined);

const readers: Readonly<Record<string, (value: unknown) => Partial<Draft> | undefined>> = {
  temperature: number('temperature'),
  top_p: number('topP'),
  max_tokens: number('maxTokens'),
  seed: number('seed'),
  presence_penalty: number('presencePenalty'),
  frequency_penalty: number('frequencyPenalty'),
  stop: (value) => ({ stop: listOf(value).map(textOf).join('\n') }),
  reasoning_effort: (value) => ({ effort: efforts.find((one) => one === value) ?? '' }),
  response_format: (value) => {
    const { type, json_schema: schema } = recordOf(value);
    const format = formats.find((one) => one === type) ?? '';
    return { format, schema: schema === undefined ? '' : indented(schema) };
  },
  tools: (value) => ({ tools: indented(value) }),
  tool_choice: (value) => {
    const plain = toolChoices.find((one) => one === value);
    return { toolChoice: plain ?? `function:${textOf(recordOf(recordOf(value)['function'])['name'])}` };
  },
  user: (value) => ({ user: textOf(value) }),
};

function notesOf(text: string, body: Readonly<Record<string, unknown>>): OpenedRequest['notes'] {
  return [
    ...(text.includes('[redacted]') ? (['redacted'] as const) : []),
    ...(/…\[\d+ characters\]/.test(text) ? (['mediaCut'] as const) : []),
    ...((body['n'] ?? 1) === 1 ? [] : (['oneAnswer'] as const)),
    ...(body['stream'] === true ? [] : (['nowStreamed'] as const)),
  ];
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2);
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
