/** Chat answers as upstreams give them, streamed and whole, with what they are in the other forms. */
import type { JsonObject } from '../../../src/domain/json/json-object.ts';

export interface ChatCase {
  name: string;
  /** The chunks of the stream, without `[DONE]`. */
  chunks: readonly JsonObject[];
  /** The same answer whole. */
  whole: JsonObject;
  /** Fields of the message that the case is about. */
  message: { content: readonly JsonObject[]; stop_reason: string; stop_sequence?: string };
  /** Of the response: its items without ids and constant fields. */
  response: { output: readonly JsonObject[]; status?: string; reason?: string };
}

const usage = {
  prompt_tokens: 2600,
  completion_tokens: 50,
  total_tokens: 2650,
  prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 20 },
};

export const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'upstream-model',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
export const usageChunk: JsonObject = { ...chunk({}), choices: [], usage };
export const finish = (reason: string | null, more: JsonObject = {}): JsonObject =>
  chunk({}, { finish_reason: reason, ...more });
export const call = (index: number, id?: string, name?: string, args?: string): JsonObject => ({
  tool_calls: [
    {
      index,
      ...(id === undefined ? {} : { id, type: 'function' }),
      function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
    },
  ],
});

const whole = (message: JsonObject, reason: string | null, more: JsonObject = {}): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'upstream-model',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason, ...more }],
  usage,
});
const toolCall = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

const role = chunk({ role: 'assistant', content: '' });
const text = (said: string): JsonObject => ({ type: 'text', text: said });
const output = (said: string): JsonObject => ({ type: 'message', text: said });
const use = (id: string, name: string, input: JsonObject): JsonObject => ({ type: 'tool_use', id, name, input });
const called = (call_id: string, name: string, args: string): JsonObject => ({
  type: 'function_call',
  call_id,
  name,
  arguments: args,
});

const hello = { content: [text('Hello "wörld"\n🙂')], output: [output('Hello "wörld"\n🙂')] };
const helloChunks = [role, chunk({ content: 'Hello ' }), chunk({ content: '"wörld"\n' }), chunk({ content: '🙂' })];
const helloMessage = { content: 'Hello "wörld"\n🙂' };
const endings = [
  { name: 'a text', reason: 'stop', stop_reason: 'end_turn' },
  { name: 'a text that the limit cut off', reason: 'length', stop_reason: 'max_tokens', cut: 'max_output_tokens' },
  { name: 'a text that a filter cut off', reason: 'content_filter', stop_reason: 'refusal', cut: 'content_filter' },
  { name: 'a text that ended for a reason that is not known', reason: 'eos_token', stop_reason: 'end_turn' },
  { name: 'a text that ended without a reason', reason: null, stop_reason: 'end_turn' },
].map(({ name, reason, stop_reason, cut }): ChatCase => ({
  name,
  chunks: [...helloChunks, finish(reason), usageChunk],
  whole: whole(helloMessage, reason),
  message: { content: hello.content, stop_reason },
  response: { output: hello.output, ...(cut === undefined ? {} : { status: 'incomplete', reason: cut }) },
}));

const paris = '{"city":"Paris {\\"a\\"}"}';
const rome = '{"city":"Rome"}';
const bothCalls = [use('call_a', 'weather', { city: 'Paris {"a"}' }), use('call_b', 'weather', { city: 'Rome' })];
const bothItems = [called('call_a', 'weather', paris), called('call_b', 'weather', rome)];
const bothMessage = {
  content: null,
  tool_calls: [toolCall('call_a', 'weather', paris), toolCall('call_b', 'weather', rome)],
};
const bothCalled = (name: string, chunks: readonly JsonObject[], reason = 'tool_calls'): ChatCase => ({
  name,
  chunks: [role, ...chunks, finish(reason), usageChunk],
  whole: whole(bothMessage, reason),
  message: { content: bothCalls, stop_reason: 'tool_use' },
  response: { output: bothItems },
});

export const chatCases: readonly ChatCase[] = [
  ...endings,
  {
    name: 'an answer that says nothing',
    chunks: [role, finish('stop'), usageChunk],
    whole: whole({ content: '' }, 'stop'),
    message: { content: [], stop_reason: 'end_turn' },
    response: { output: [] },
  },
  {
    name: 'a text that ended with a stop sequence, which vLLM names',
    chunks: [...helloChunks, finish('stop', { stop_reason: 'END' }), usageChunk],
    whole: whole(helloMessage, 'stop', { stop_reason: 'END' }),
    message: { content: hello.content, stop_reason: 'stop_sequence', stop_sequence: 'END' },
    response: { output: hello.output },
  },
  {
    name: 'a stop reason that is none of the sequences asked for',
    chunks: [...helloChunks, finish('stop', { stop_reason: 'end_turn' }), usageChunk],
    whole: whole(helloMessage, 'stop', { stop_reason: 'end_turn' }),
    message: { content: hello.content, stop_reason: 'end_turn' },
    response: { output: hello.output },
  },
  {
    name: 'empty and null deltas between texts',
    chunks: [
      chunk({ role: 'assistant', content: null, tool_calls: [], reasoning_content: null, refusal: null }),
      chunk({ content: 'a' }),
      chunk({}),
      chunk({ content: '' }),
      { ...chunk({}), choices: [] },
      chunk({ content: 'b', tool_calls: null }),
      finish('stop'),
      usageChunk,
    ],
    whole: whole({ content: 'ab', tool_calls: null }, 'stop'),
    message: { content: [text('ab')], stop_reason: 'end_turn' },
    response: { output: [output('ab')] },
  },
  {
    name: 'the usage on the chunk of the finish reason, with the last text',
    chunks: [role, { ...chunk({ content: 'end' }, { finish_reason: 'stop' }), usage }],
    whole: whole({ content: 'end' }, 'stop'),
    message: { content: [text('end')], stop_reason: 'end_turn' },
    response: { output: [output('end')] },
  },
  {
    name: 'thoughts as reasoning_content, then a text',
    chunks: [
      chunk({ role: 'assistant', reasoning_content: 'Let me ' }),
      chunk({ reasoning_content: 'think.', reasoning: 'think.' }),
      chunk({ content: 'Yes.' }),
      finish('stop'),
      usageChunk,
    ],
    whole: whole({ reasoning_content: 'Let me think.', content: 'Yes.' }, 'stop'),
    message: {
      content: [{ type: 'thinking', thinking: 'Let me think.', signature: '' }, text('Yes.')],
      stop_reason: 'end_turn',
    },
    response: { output: [{ type: 'reasoning', text: 'Let me think.' }, output('Yes.')] },
  },
  {
    name: 'thoughts as reasoning, then a tool call',
    chunks: [
      chunk({ role: 'assistant', reasoning: 'Hm.' }),
      chunk(call(0, 'call_a', 'weather', '')),
      chunk(call(0, undefined, undefined, rome)),
      finish('tool_calls'),
      usageChunk,
    ],
    whole: whole({ reasoning: 'Hm.', content: null, tool_calls: [toolCall('call_a', 'weather', rome)] }, 'tool_calls'),
    message: {
      content: [{ type: 'thinking', thinking: 'Hm.', signature: '' }, use('call_a', 'weather', { city: 'Rome' })],
      stop_reason: 'tool_use',
    },
    response: { output: [{ type: 'reasoning', text: 'Hm.' }, called('call_a', 'weather', rome)] },
  },
  {
    name: 'thoughts and texts as a list of parts',
    chunks: [
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Yes.' }] }),
      finish('stop'),
      usageChunk,
    ],
    whole: whole(
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'Yes.' },
        ],
      },
      'stop',
    ),
    message: {
      content: [{ type: 'thinking', thinking: 'Hm.', signature: '' }, text('Yes.')],
      stop_reason: 'end_turn',
    },
    response: { output: [{ type: 'reasoning', text: 'Hm.' }, output('Yes.')] },
  },
  {
    name: 'a refusal',
    chunks: [role, chunk({ refusal: 'I can' }), chunk({ refusal: "'t." }), finish('stop'), usageChunk],
    whole: whole({ content: null, refusal: "I can't." }, 'stop'),
    message: { content: [text("I can't.")], stop_reason: 'refusal' },
    response: { output: [{ type: 'message', refusal: "I can't." }] },
  },
  {
    name: 'a text and a tool call without arguments, ended with stop',
    chunks: [role, chunk({ content: 'Now.' }), chunk(call(0, 'call_t', 'now', '')), finish('stop'), usageChunk],
    whole: whole({ content: 'Now.', tool_calls: [toolCall('call_t', 'now', '')] }, 'stop'),
    message: { content: [text('Now.'), use('call_t', 'now', {})], stop_reason: 'tool_use' },
    response: { output: [output('Now.'), called('call_t', 'now', '')] },
  },
  bothCalled('parallel tool calls, one after the other', [
    chunk(call(0, 'call_a', 'weather', '')),
    chunk(call(0, undefined, undefined, '{"city":"Par')),
    chunk(call(0, undefined, undefined, 'is {\\"a\\"}"}')),
    chunk(call(1, 'call_b', 'weather', '')),
    chunk(call(1, undefined, undefined, '{"city":')),
    chunk(call(1, undefined, undefined, '"Rome"}')),
  ]),
  bothCalled('parallel tool calls, interleaved', [
    chunk(call(0, 'call_a', 'weather', '{"city":')),
    chunk(call(1, 'call_b', 'weather', '{"ci')),
    chunk(call(0, undefined, undefined, '"Paris {\\"')),
    chunk(call(1, undefined, undefined, 'ty":"Ro')),
    chunk(call(0, undefined, undefined, 'a\\"}"}')),
    chunk(call(1, undefined, undefined, 'me"}')),
  ]),
  bothCalled('parallel tool calls, both announced before any arguments', [
    chunk(call(0, 'call_a', 'weather', '')),
    chunk(call(1, 'call_b', 'weather', '')),
    chunk(call(0, undefined, undefined, paris)),
    chunk(call(1, undefined, undefined, rome)),
  ]),
  bothCalled('parallel tool calls in one chunk', [
    chunk({
      tool_calls: [
        { ...toolCall('call_a', 'weather', paris), index: 0 },
        { ...toolCall('call_b', 'weather', rome), index: 1 },
      ],
    }),
  ]),
  bothCalled(
    'parallel tool calls that all have the number 0, as from Gemini',
    [chunk(call(0, 'call_a', 'weather', paris)), chunk(call(0, 'call_b', 'weather', rome))],
    'stop',
  ),
  bothCalled('tool calls without numbers', [
    chunk({ tool_calls: [toolCall('call_a', 'weather', '{"city":')] }),
    chunk({ tool_calls: [{ id: 'call_a', function: { arguments: '"Paris {\\"a\\"}"}' } }] }),
    chunk({ tool_calls: [toolCall('call_b', 'weather', rome)] }),
  ]),
  bothCalled('tool calls whose id and name are repeated on every chunk', [
    chunk(call(0, 'call_a', 'weather', '{"city":"Paris ')),
    chunk(call(0, 'call_a', 'weather', '{\\"a\\"}"}')),
    chunk(call(1, 'call_b', 'weather', rome)),
  ]),
  {
    name: 'tool calls without ids, whose arguments are objects, as from Ollama',
    chunks: [
      chunk({ tool_calls: [{ function: { name: 'weather', arguments: { city: 'Rome' } } }] }),
      chunk({ tool_calls: [{ function: { name: 'now', arguments: {} } }] }),
      finish('stop'),
      usageChunk,
    ],
    whole: whole(
      {
        content: '',
        tool_calls: [
          { function: { name: 'weather', arguments: { city: 'Rome' } } },
          { function: { name: 'now', arguments: {} } },
        ],
      },
      'stop',
    ),
    message: {
      content: [use('call_ID_0', 'weather', { city: 'Rome' }), use('call_ID_1', 'now', {})],
      stop_reason: 'tool_use',
    },
    response: { output: [called('call_ID_0', 'weather', rome), called('call_ID_1', 'now', '{}')] },
  },
];
