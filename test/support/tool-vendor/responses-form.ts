/** OpenAI's responses as the vendor reads and writes them. */
import * as z from 'zod';
import { responsesEvent } from '../upstream.ts';
import type { Conversation, Spoken, VendorForm } from './model.ts';
import { content, halvesOf, inputOf, propertiesOf, textOf } from './wire.ts';

const item = z.looseObject({
  type: z.string().default('message'),
  content: content.nullish(),
  ...{ call_id: z.string().optional(), name: z.string().optional(), arguments: z.string().optional() },
  output: content.optional(),
});

const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item)]),
  tools: z
    .array(z.looseObject({ type: z.string(), name: z.string().optional(), parameters: z.unknown().optional() }))
    .default([]),
});

const conversation = request.transform(({ model, stream, instructions, input, tools }): Conversation => {
  const items = typeof input === 'string' ? [item.parse({ content: input })] : input;
  const ofType = (wanted: string) => items.filter(({ type }) => type === wanted);
  return {
    ...{ model, stream, thinks: true, thoughts: [] },
    texts: [instructions ?? '', ...ofType('message').map((message) => textOf(message.content))],
    tools: tools
      .filter(({ type }) => type === 'function')
      .map(({ name = '', parameters }) => ({ name, properties: propertiesOf(parameters) })),
    calls: ofType('function_call').map(({ call_id: id = '', name = '', arguments: text = '' }) => ({
      ...{ id, name, input: inputOf(text) },
    })),
    results: ofType('function_call_output').map(({ call_id: id = '', output }) => ({ id, text: textOf(output) })),
  };
});

export const responsesForm: VendorForm = {
  read: (body) => conversation.safeParse(body),
  whole: (spoken) => responseOf(spoken, 'completed'),
  events(spoken) {
    const events: string[] = [];
    const send = (type: string, fields: Record<string, unknown>) =>
      events.push(responsesEvent(type, events.length, fields));
    send('response.created', { response: responseOf(spoken, 'in_progress') });
    for (const [at, whole] of itemsOf(spoken).entries()) {
      const place = { item_id: whole.id, output_index: at };
      send('response.output_item.added', { output_index: at, item: { ...whole, ...emptied(whole) } });
      if (whole.type === 'function_call') {
        for (const delta of halvesOf(whole.arguments))
          send('response.function_call_arguments.delta', { ...place, delta });
        send('response.function_call_arguments.done', { ...place, name: whole.name, arguments: whole.arguments });
      } else if (whole.type === 'message') {
        send('response.output_text.delta', { ...place, content_index: 0, delta: spoken.text, logprobs: [] });
        send('response.output_text.done', { ...place, content_index: 0, text: spoken.text, logprobs: [] });
      }
      send('response.output_item.done', { output_index: at, item: whole });
    }
    send('response.completed', { response: responseOf(spoken, 'completed') });
    return events;
  },
};

type Item =
  | { type: 'reasoning'; id: string; summary: { type: 'summary_text'; text: string }[] }
  | { type: 'message'; id: string; role: 'assistant'; content: unknown[]; status: string }
  | { type: 'function_call'; id: string; call_id: string; name: string; arguments: string; status: string };

function itemsOf({ id, text, thinking, calls }: Spoken): Item[] {
  const said = { type: 'output_text', text, annotations: [], logprobs: [] };
  const status = 'completed';
  return [
    { type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: thinking }] },
    ...(text === ''
      ? []
      : [{ type: 'message' as const, id: `msg_${id}`, role: 'assistant' as const, content: [said], status }]),
    ...calls.map(({ id: callId, name, input }) => ({
      ...{ type: 'function_call' as const, id: `fc_${callId}`, call_id: callId },
      ...{ name, arguments: JSON.stringify(input), status },
    })),
  ];
}

/** What an item begins as. */
function emptied({ type }: Item): object {
  if (type === 'reasoning') return { summary: [] };
  return { status: 'in_progress', ...(type === 'message' ? { content: [] } : { arguments: '' }) };
}

const responseOf = (spoken: Spoken, status: 'in_progress' | 'completed') => ({
  ...{ id: `resp_${spoken.id}`, object: 'response', created_at: 1_790_000_000, status, model: spoken.model },
  ...{ error: null, incomplete_details: null, instructions: null, parallel_tool_calls: true, tools: [] },
  output: status === 'completed' ? itemsOf(spoken) : [],
  usage: status === 'completed' ? usageOf(spoken) : null,
});

const usageOf = ({ tokens: { fresh, cacheRead, cacheWrite, output } }: Spoken) => ({
  input_tokens: fresh + cacheRead + cacheWrite,
  input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: fresh + cacheRead + cacheWrite + output,
});
