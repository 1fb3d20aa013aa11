/** Chat completions as the vendor reads and writes them. */
import * as z from 'zod';
import { chatEvent, doneEvent } from '../upstream.ts';
import type { Conversation, Spoken, VendorForm } from './model.ts';
import { content, halvesOf, inputOf, propertiesOf, textOf } from './wire.ts';

const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(
    z.looseObject({
      content: content.nullish(),
      tool_calls: z
        .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
        .default([]),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }) }))
    .default([]),
});

const conversation = request.transform(({ model, stream, messages, tools }): Conversation => {
  return {
    ...{ model, stream, thinks: true, thoughts: [] },
    texts: messages.map((message) => textOf(message.content)),
    tools: tools.map(({ function: tool }) => ({ name: tool.name, properties: propertiesOf(tool.parameters) })),
    calls: messages.flatMap((message) =>
      message.tool_calls.map(({ id, function: called }) => ({
        id,
        name: called.name,
        input: inputOf(called.arguments),
      })),
    ),
    results: messages.flatMap(({ tool_call_id: id, content: said }) =>
      id === undefined ? [] : [{ id, text: textOf(said) }],
    ),
  };
});

export const chatForm: VendorForm = {
  read: (body) => conversation.safeParse(body),
  whole: (spoken) => ({
    ...{ id: `chatcmpl-${spoken.id}`, object: 'chat.completion', created: 1_790_000_000, model: spoken.model },
    choices: [
      {
        ...{ index: 0, finish_reason: finishOf(spoken) },
        message: {
          role: 'assistant',
          content: spoken.text,
          reasoning_content: spoken.thinking,
          tool_calls: callsOf(spoken),
        },
      },
    ],
    usage: usageOf(spoken),
  }),
  events(spoken) {
    const { text, thinking } = spoken;
    const head = { id: `chatcmpl-${spoken.id}`, model: spoken.model };
    const chunk = (delta: unknown, finish: string | null = null) =>
      chatEvent({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    const calls = callsOf(spoken) ?? [];
    return [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: thinking }),
      ...(text === '' ? [] : [chunk({ content: text })]),
      ...calls.flatMap(({ function: { name, arguments: input }, ...call }, index) => [
        chunk({ tool_calls: [{ ...call, index, function: { name, arguments: '' } }] }),
        ...halvesOf(input).map((half) => chunk({ tool_calls: [{ index, function: { arguments: half } }] })),
      ]),
      chunk({}, finishOf(spoken)),
      chatEvent({ ...head, choices: [], usage: usageOf(spoken) }),
      doneEvent,
    ];
  },
};

const callsOf = ({ calls }: Spoken) =>
  calls.length === 0
    ? undefined
    : calls.map(({ id, name, input }) => ({
        ...{ id, type: 'function' },
        function: { name, arguments: JSON.stringify(input) },
      }));

const finishOf = ({ calls }: Spoken): string => (calls.length > 0 ? 'tool_calls' : 'stop');

const usageOf = ({ tokens: { fresh, cacheRead, cacheWrite, output } }: Spoken) => ({
  prompt_tokens: fresh + cacheRead + cacheWrite,
  prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  completion_tokens: output,
  total_tokens: fresh + cacheRead + cacheWrite + output,
});
