/** What an agent gets of the simulator on chat and responses: scripted tool loops, thoughts, usages, broken streams. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import type { ChatProvider } from '../../src/providers/chat-contract.ts';
import { callOf, listen } from './openai/support.ts';
import { fetchFrom, simulator } from './simulator-chat-support.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type ChatBody = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model' | 'messages' | 'stream'>;
type ResponseBody = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model' | 'input' | 'stream'>;

const clientOf = (provider: ChatProvider) =>
  new OpenAI({ apiKey: 'k', baseURL: 'http://simulator.test/v1', maxRetries: 0, fetch: fetchFrom(provider) });

const withoutIds = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value: unknown) => (isOfOne.has(name) ? undefined : value)));

/** What is new in each answer, or made by the SDK for one of both ways. */
const isOfOne = new Set([
  'id',
  'call_id',
  'created',
  'created_at',
  'completed_at',
  'output_text',
  'parsed',
  'parsed_arguments',
  'output_parsed',
]);

/** A chat completion, whole and accumulated from its stream by OpenAI's SDK. */
async function complete(messages: string | Message[], more: ChatBody = {}) {
  const body = {
    ...{ model: 'sim-chat', ...more },
    messages: typeof messages === 'string' ? [{ role: 'user' as const, content: messages }] : messages,
  };
  const client = clientOf(simulator());
  const whole = await client.chat.completions.create(body);
  const stream = client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } });
  const streamed = await stream.finalChatCompletion();
  const pick = ({ choices, usage, service_tier }: OpenAI.ChatCompletion) =>
    withoutIds({
      choices: choices.map(({ message: { content, tool_calls }, finish_reason }) => ({
        ...{ content, finish_reason },
        calls: (tool_calls ?? []).map((call) => (call.type === 'function' ? call.function : call.custom)),
      })),
      ...{ usage, service_tier },
    });
  assert.deepEqual(pick(streamed), pick(whole));
  return whole;
}

/** A response, whole and accumulated from its stream by OpenAI's SDK. */
async function respond(input: string | OpenAI.Responses.ResponseInput, more: ResponseBody = {}) {
  const client = clientOf(simulator());
  const body = { model: 'sim-code', input, ...more };
  const whole = await client.responses.create(body);
  const streamed = await client.responses.stream({ ...body, stream: true }).finalResponse();
  assert.deepEqual(withoutIds(streamed), withoutIds(whole));
  return whole;
}

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const chatTool = (name: string) => ({ type: 'function' as const, function: { name, parameters: schema } });
const tool = (name: string) => ({ ...{ type: 'function' as const, name, parameters: schema }, strict: false });

const script =
  'Edit it. [sim:tool=read {"path":"a.txt"}] [sim:tool=read {"path":"b.txt"}] ' +
  '[sim:then] [sim:tool=edit {"path":"a.txt","to":"x, y"}] [sim:then] [sim:say="All \\"done\\"."]';

test('an agent on chat completions is led through a script: parallel reads, an edit, and its last words', async () => {
  const messages: Message[] = [{ role: 'user', content: script }];
  const tools = [chatTool('read'), chatTool('edit')];
  const seen: unknown[] = [];
  for (;;) {
    const { choices } = await complete(messages, { tools });
    const message = choices[0]?.message;
    assert.ok(message);
    messages.push(message);
    const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
    seen.push(
      calls.length === 0
        ? message.content
        : calls.map((call) => [call.function.name, JSON.parse(call.function.arguments) as unknown]),
    );
    assert.equal(choices[0]?.finish_reason, calls.length === 0 ? 'stop' : 'tool_calls');
    assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length);
    if (calls.length === 0) break;
    messages.push(...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'ok' })));
  }
  assert.deepEqual(seen, [
    [
      ['read', { path: 'a.txt' }],
      ['read', { path: 'b.txt' }],
    ],
    [['edit', { path: 'a.txt', to: 'x, y' }]],
    'All "done".',
  ]);
});

test('an agent on responses is led through the same script, one call at a time if it asks for that', async () => {
  for (const [isParallel, turns] of [
    [true, [['read', 'read'], ['edit'], []]],
    [false, [['read'], ['read'], ['edit'], []]],
  ] as const) {
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: script }];
    const seen: string[][] = [];
    let last = '';
    for (;;) {
      const more = { tools: [tool('read'), tool('edit')], parallel_tool_calls: isParallel };
      const { output, output_text: text } = await respond(input, more);
      const calls = output.filter((item) => item.type === 'function_call');
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
      seen.push(calls.map(({ name }) => name));
      last = text;
      if (calls.length === 0) break;
      input.push(...calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: 'ok' })));
    }
    assert.deepEqual([seen, last], [turns, 'All "done".']);
  }
});

test('a side call of an agent, which offers no tools, gets a text', async () => {
  const { choices } = await complete('Make a title of: [sim:tool=read {"path":"a"}]');
  assert.match(choices[0]?.message.content ?? '', /You wrote: "Make a title/);
});

test('a custom tool is called with a text', async () => {
  const patch = '*** Begin Patch\n*** End Patch\n';
  const input = `[sim:tool=apply_patch ${JSON.stringify(patch)}]`;
  const { output } = await respond(input, { tools: [{ type: 'custom', name: 'apply_patch' }] });
  const [call] = output;
  assert.ok(call?.type === 'custom_tool_call');
  assert.equal(call.input, patch);
  // Whole only: the SDK accumulates no custom tools of chat.
  const chat = await clientOf(simulator()).chat.completions.create({
    ...{ model: 'sim-chat', messages: [{ role: 'user', content: input }] },
    tools: [{ type: 'custom', custom: { name: 'apply_patch' } }],
  });
  assert.deepEqual(
    chat.choices[0]?.message.tool_calls?.map((made) => made.type === 'custom' && made.custom.input),
    [patch],
  );
  const answered = await respond([
    { role: 'user', content: input },
    call,
    { type: 'custom_tool_call_output', call_id: call.call_id, output: 'patched' },
  ]);
  assert.match(answered.output_text, /The tool answered: "patched"/);
});

test('words that the prompt has it say are all that it says', async () => {
  const edit = 'a.txt\n<<<<<<< SEARCH\nold [1]\n=======\nnew\n>>>>>>> REPLACE\n';
  const prompt = `Edit. [sim:say=${JSON.stringify(edit)}]`;
  assert.equal((await complete(prompt)).choices[0]?.message.content, edit);
  assert.equal((await respond(prompt)).output_text, edit);
});

test('the usage is what the prompt states, and its total adds up again', async () => {
  const chat = await complete(
    'Hi [sim:usage={"prompt_tokens":1000,"prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":20,"audio_tokens":5}}]',
  );
  const completion = chat.usage?.completion_tokens ?? 0;
  assert.deepEqual(chat.usage, {
    ...{ prompt_tokens: 1000, completion_tokens: completion, total_tokens: 1000 + completion },
    prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 20, audio_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
  const { usage } = await respond(
    'Hi [sim:usage={"output_tokens":50,"output_tokens_details":{"reasoning_tokens":40}}]',
  );
  assert.deepEqual([usage?.output_tokens, usage?.output_tokens_details.reasoning_tokens], [50, 40]);
  assert.equal(usage?.total_tokens, (usage?.input_tokens ?? 0) + 50);
  const odd = await complete('Hi [sim:usage={"prompt_tokens":-1,"total_tokens":7}]');
  assert.deepEqual([odd.usage?.prompt_tokens, odd.usage?.total_tokens], [-1, 7]);
});

for (const [asked, answered] of [
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['auto', 'default'],
  [undefined, undefined],
] as const) {
  test(`the service tier '${asked}' is answered as '${answered}'`, async () => {
    const tier = asked === undefined ? {} : { service_tier: asked };
    assert.equal((await complete('Hi', tier)).service_tier, answered);
    assert.equal((await respond('Hi', tier)).service_tier, answered ?? 'default');
  });
}

test('thoughts come before the answer, and are a part of its tokens', async () => {
  const { choices, usage } = await complete('Hi [sim:think]');
  const message = choices[0]?.message as unknown as { content: string; reasoning_content: string };
  assert.match(message.reasoning_content, /simulator has no thoughts/);
  const thought = usage?.completion_tokens_details?.reasoning_tokens ?? 0;
  assert.equal(usage?.completion_tokens, thought + message.content.split(' ').length);
  const response = await respond('Hi [sim:think]');
  assert.deepEqual(
    response.output.map(({ type }) => type),
    ['reasoning', 'message'],
  );
  assert.equal(response.usage?.output_tokens_details.reasoning_tokens, thought);
});

test('a stream can end with an error event, or break off; so can a whole answer', async () => {
  for (const [path, more, form] of [
    [
      'chat/completions',
      { messages: [{ role: 'user', content: 'Hi [sim:break=sorry]' }] },
      /^data: (\{"error":.*"sorry".*)\n\n$/,
    ],
    ['responses', { input: 'Hi [sim:break=sorry]' }, /^event: error\ndata: (.*"message":"sorry".*)\n\n$/],
  ] as const) {
    const { text, failure } = await listen(simulator(), callOf({ model: 'm', stream: true, ...more }, { path }));
    const events = text.split(/(?<=\n\n)/);
    assert.equal(failure, undefined);
    const data = form.exec(events.at(-1) ?? '')?.[1] ?? '';
    const { sequence_number: number } = JSON.parse(data) as { sequence_number?: number };
    assert.equal(number, path === 'responses' ? events.length - 1 : undefined);
    const broken = JSON.parse(JSON.stringify({ model: 'm', ...more }).replace('=sorry', '')) as object;
    for (const stream of [true, false]) {
      const received = await listen(simulator(), callOf({ ...broken, stream }, { path }));
      assert.deepEqual([received.head?.status, received.failure?.kind], [200, 'broken']);
      assert.ok(received.text.length > 0 && !received.text.includes('[DONE]'));
    }
  }
});

test('the prompt can ask for a status', async () => {
  const { head, text } = await listen(
    simulator(),
    callOf({ model: 'm', messages: [{ role: 'user', content: '[sim:status=429] [sim:fail=slow down]' }] }),
  );
  assert.equal(head?.status, 429);
  assert.deepEqual(JSON.parse(text), {
    error: { message: 'slow down', type: 'rate_limit_error', param: null, code: null },
  });
});
