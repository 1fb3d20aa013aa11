/** What the simulator makes of a response's input besides an answer: the list of its items, and a compaction. */
import { isObject, type JsonObject } from '../domain/json/json-object.ts';
import type { Answered } from './wire-form.ts';

/** The items of an input, as `GET /responses/{id}/input_items` lists them: the newest first. */
export function inputItems({ body, facts }: Answered): JsonObject {
  const data = itemsOf(body['input'])
    .map((item, at): JsonObject => ({ type: 'message', ...item, id: item['id'] ?? `msg_${at}${facts.id.slice(-16)}` }))
    .reverse();
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: false,
  };
}

/** What the user said, and an item that stands for all the rest. */
export function compactionObject({ body, prompt, facts }: Answered): JsonObject {
  const items = itemsOf(body['input']);
  const kept = items.filter(({ role }) => role === 'user');
  const rest = Buffer.from(JSON.stringify(items.filter(({ role }) => role !== 'user'))).toString('base64');
  const output = [...kept, { id: `cmp_${facts.id.slice(-16)}`, type: 'compaction', encrypted_content: rest }];
  const { inputTokens: input } = prompt;
  const usage = { input_tokens: input, output_tokens: compactionTokens, total_tokens: input + compactionTokens };
  return { id: facts.id, object: 'response.compaction', created_at: facts.created, output, usage };
}

/** Plausible, and the same for every conversation. */
const compactionTokens = 20;

function itemsOf(input: unknown): JsonObject[] {
  if (typeof input === 'string') return [{ role: 'user', content: [{ type: 'input_text', text: input }] }];
  return Array.isArray(input) ? input.filter(isObject) : [];
}
