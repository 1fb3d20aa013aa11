/** Anthropic's messages as the vendor reads and writes them. */
import * as z from 'zod';
import { messagesEvent } from '../upstream.ts';
import type { Conversation, Spoken, VendorForm } from './model.ts';
import { content, halvesOf, propertiesOf, textOf } from './wire.ts';

const block = z.looseObject({
  type: z.string(),
  ...{
    text: z.string().optional(),
    id: z.string().optional(),
    name: z.string().optional(),
    input: z.record(z.string(), z.unknown()).default({}),
  },
  ...{ tool_use_id: z.string().optional(), content: content.optional() },
  ...{ thinking: z.string().optional(), signature: z.string().optional() },
});

const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: content.optional(),
  thinking: z.looseObject({ type: z.string() }).default({ type: 'disabled' }),
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(block)]) })),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() })).default([]),
});

const conversation = request.transform(({ model, stream, system, thinking, messages, tools }): Conversation => {
  const blocks = messages.flatMap(({ content: said }) =>
    typeof said === 'string' ? [block.parse({ type: 'text', text: said })] : said,
  );
  return {
    ...{ model, stream, thinks: thinking.type !== 'disabled' },
    texts: [textOf(system), ...blocks.map(({ text = '' }) => text)],
    tools: tools.map(({ name, input_schema: schema }) => ({ name, properties: propertiesOf(schema) })),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id = '', name = '', input }) => ({ id, name, input })),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id = '', content: said }) => ({ id, text: textOf(said) })),
    thoughts: blocks
      .filter(({ type }) => type === 'thinking')
      .map(({ thinking: text = '', signature = '' }) => ({ text, signature })),
  };
});

export const messagesForm: VendorForm = {
  read: (body) => conversation.safeParse(body),
  whole: (spoken) => ({ ...messageOf(spoken), content: blocksOf(spoken), ...endOf(spoken), usage: usageOf(spoken) }),
  events(spoken) {
    const { output } = spoken.tokens;
    const start = {
      ...messageOf(spoken),
      content: [],
      stop_reason: null,
      usage: { ...usageOf(spoken), output_tokens: 1 },
    };
    return [
      messagesEvent('message_start', { message: start }),
      messagesEvent('ping'),
      ...blocksOf(spoken).flatMap((whole, index) => [
        messagesEvent('content_block_start', { index, content_block: { ...whole, ...emptied(whole) } }),
        ...deltasOf(whole).map((delta) => messagesEvent('content_block_delta', { index, delta })),
        messagesEvent('content_block_stop', { index }),
      ]),
      messagesEvent('message_delta', { delta: endOf(spoken), usage: { output_tokens: output } }),
      messagesEvent('message_stop'),
    ];
  },
};

type Block =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown };

function blocksOf({ text, thinking, signature, calls }: Spoken): Block[] {
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, thinking, signature }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input })),
  ];
}

/** What a block begins as. */
function emptied({ type }: Block): object {
  if (type === 'thinking') return { thinking: '', signature: '' };
  return type === 'text' ? { text: '' } : { input: {} };
}

function deltasOf(whole: Block): object[] {
  if (whole.type === 'text') return [{ type: 'text_delta', text: whole.text }];
  if (whole.type === 'tool_use') {
    const halves = halvesOf(JSON.stringify(whole.input));
    return halves.map((half) => ({ type: 'input_json_delta', partial_json: half }));
  }
  const { thinking, signature } = whole;
  return [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ];
}

const messageOf = ({ id, model }: Spoken) => ({ id: `msg_${id}`, type: 'message', role: 'assistant', model });

const endOf = ({ calls }: Spoken) => ({
  ...{ stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
});

const usageOf = ({ tokens: { fresh, cacheRead, cacheWrite, output } }: Spoken) => ({
  ...{ input_tokens: fresh, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite },
  output_tokens: output,
});
