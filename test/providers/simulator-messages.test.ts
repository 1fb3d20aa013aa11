/** The simulator's messages, read by Anthropic's own SDK, and event by event. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { SseDecoder } from '../../src/domain/chat/sse.ts';
import type { ChatProvider } from '../../src/providers/chat-contract.ts';
import { callOf, listen } from './openai/support.ts';
import { fetchFrom, simulator } from './simulator-chat-support.ts';

type Body = Anthropic.MessageCreateParamsNonStreaming;
type Asked = Partial<Body> & { messages: Body['messages'] };

const clientOf = (provider: ChatProvider) =>
  new Anthropic({ apiKey: 'k', baseURL: 'http://simulator.test', maxRetries: 0, fetch: fetchFrom(provider) });

const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({ role: 'user', content });
const bodyOf = (asked: string | Asked): Body => ({
  ...{ model: 'sim-chat', max_tokens: 1000 },
  ...(typeof asked === 'string' ? { messages: [user(asked)] } : asked),
});

/** The same answer, whole and streamed, from a simulator each, so that both find the same caches. */
async function bothWays(asked: string | Asked): Promise<Anthropic.Message> {
  const body = bodyOf(asked);
  const answer = await clientOf(simulator()).messages.create(body);
  const streamed = await clientOf(simulator()).messages.stream(body).finalMessage();
  assert.deepEqual(withoutIds(streamed), withoutIds(answer));
  return answer;
}

/** For answers of which a stream can't say the same: arguments that are no JSON, parts of a usage that come at its end. */
const whole = (asked: string | Asked) => clientOf(simulator()).messages.create(bodyOf(asked));

/** Ids are new each time; the SDK gives streams a field of its own. */
const withoutIds = (message: Anthropic.Message): unknown =>
  JSON.parse(
    JSON.stringify(message, (name, value: unknown) => (name === 'id' || name === 'parsed_output' ? undefined : value)),
  );

interface Event {
  type: string;
  index?: number;
  delta?: Record<string, unknown>;
  message?: { usage: Record<string, unknown>; content: unknown[]; stop_reason: unknown };
  usage?: Record<string, unknown>;
  error?: { type: string; message: string };
}

async function eventsOf(asked: string | Asked): Promise<Event[]> {
  const { text } = await listen(simulator(), callOf({ ...bodyOf(asked), stream: true }, { path: 'messages' }));
  return new SseDecoder().push(Buffer.from(text)).map(({ event, data }) => {
    const parsed = JSON.parse(data.toString()) as Event;
    assert.equal(parsed.type, event);
    return parsed;
  });
}

const typesOf = (events: readonly Event[]) =>
  events
    .map(({ type, delta }) => (typeof delta?.['type'] === 'string' ? delta['type'] : type))
    .filter((type, at, all) => type !== all[at - 1]);

const textIn = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

const callsIn = ({ content }: Anthropic.Message) =>
  content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));

const tool = (name: string): Anthropic.Tool => ({
  name,
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
});

test('a message says what a chat completion says to the same prompt', async () => {
  const message = await bothWays('What is a fox?');
  const { text } = await listen(simulator(), callOf({ model: 'sim-chat', messages: [user('What is a fox?')] }));
  const completion = JSON.parse(text) as { choices: { message: { content: string } }[] };
  assert.equal(textIn(message), completion.choices[0]?.message.content);
  assert.deepEqual([message.type, message.role, message.model], ['message', 'assistant', 'sim-chat']);
  assert.deepEqual([message.stop_reason, message.stop_sequence], ['end_turn', null]);
  assert.match(message.id, /^msg_/);
  assert.equal(message.usage.output_tokens, textIn(message).split(' ').length);
});

test('the events of a stream come in the order of the API, with the inputs first and the outputs last', async () => {
  const events = await eventsOf('Hi');
  assert.deepEqual(typesOf(events), [
    ...['message_start', 'content_block_start', 'ping', 'text_delta', 'content_block_stop'],
    ...['message_delta', 'message_stop'],
  ]);
  const { message } = events[0] ?? {};
  assert.deepEqual([message?.content, message?.stop_reason, message?.usage['output_tokens']], [[], null, 1]);
  const last = events.at(-2)?.usage;
  assert.equal(last?.['input_tokens'], message?.usage['input_tokens']);
  assert.equal(last?.['output_tokens'], events.filter(({ delta }) => delta?.['type'] === 'text_delta').length);
});

test('it thinks where the request or the prompt asks for it, signed, before the text', async () => {
  for (const asked of [
    { messages: [user('Hi')], thinking: { type: 'enabled', budget_tokens: 1024 } },
    { messages: [user('Hi')], thinking: { type: 'adaptive' } },
    { messages: [user('Hi [sim:think]')] },
  ] satisfies Asked[]) {
    const { content, usage } = await bothWays(asked);
    assert.deepEqual(
      content.map(({ type }) => type),
      ['thinking', 'text'],
    );
    assert.ok(content[0]?.type === 'thinking' && content[0].thinking !== '' && content[0].signature !== '');
    const thought = usage.output_tokens_details?.thinking_tokens ?? 0;
    assert.ok(thought > 0 && thought < usage.output_tokens);
    const types = typesOf(await eventsOf(asked));
    assert.ok(types.indexOf('thinking_delta') + 1 === types.indexOf('signature_delta'));
    assert.ok(types.indexOf('signature_delta') < types.indexOf('text_delta'));
  }
});

test('an omitted thought is only signed, and comes back as it was', async () => {
  const thinking = { type: 'adaptive', display: 'omitted' } as const;
  const { content } = await bothWays({ messages: [user('Hi')], thinking });
  assert.ok(content[0]?.type === 'thinking' && content[0].thinking === '' && content[0].signature !== '');
  await bothWays({ messages: [user('Hi'), { role: 'assistant', content }, user('And now?')] });
});

test('a thought that was altered on its way back is refused where it stands', async () => {
  const { content } = await bothWays('Hi [sim:think]');
  const [thought, ...others] = content;
  assert.ok(thought?.type === 'thinking');
  const sendBack = (block: Anthropic.ThinkingBlockParam) =>
    bothWays({ messages: [user('Hi'), { role: 'assistant', content: [block, ...others] }, user('And now?')] });
  await sendBack(thought);
  await sendBack({ ...thought, signature: 'of-another-model' });
  await assert.rejects(sendBack({ ...thought, thinking: `${thought.thinking}!` }), (error) => {
    assert.ok(error instanceof Anthropic.BadRequestError);
    assert.match(error.message, /messages\.1\.content\.0: Invalid `signature` in `thinking` block/);
    return true;
  });
});

test('the prompt has tools called with its own arguments, several at once and in turn, and a text after them', async () => {
  const script =
    'Edit it. [sim:say="Two at once."] [sim:tool=read {"path":"a, \\"b\\".txt"}][sim:tool=list {"path":"/"}] ' +
    '[sim:then] [sim:tool=edit {"path":"x","lines":[1,{"to":"]}"}]}]';
  const tools = ['read', 'list', 'edit'].map(tool);
  const messages: Anthropic.MessageParam[] = [user(script)];
  const turn = async () => {
    const message = await bothWays({ messages, tools });
    messages.push({ role: 'assistant', content: message.content });
    return message;
  };
  const answer = (message: Anthropic.Message, text: string) =>
    messages.push(
      user([
        ...callsIn(message).map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: text })),
        { type: 'text', text: 'A note that the agent adds.' },
      ]),
    );
  const first = await turn();
  assert.deepEqual(
    callsIn(first).map(({ name, input }) => [name, input]),
    [
      ['read', { path: 'a, "b".txt' }],
      ['list', { path: '/' }],
    ],
  );
  assert.equal(new Set(callsIn(first).map(({ id }) => id)).size, 2);
  assert.deepEqual([textIn(first), first.stop_reason], ['Two at once.', 'tool_use']);
  answer(first, 'was read');
  const second = await turn();
  assert.deepEqual(
    callsIn(second).map(({ name, input }) => [name, input]),
    [['edit', { path: 'x', lines: [1, { to: ']}' }] }]],
  );
  answer(second, 'was edited');
  const last = await turn();
  assert.equal(last.stop_reason, 'end_turn');
  assert.match(textIn(last), /The tool answered: "was edited"/);
  messages.push(user('Thanks'));
  assert.match(textIn(await turn()), /You wrote: "Thanks"/);
});

test('arguments are streamed in pieces', async () => {
  const events = await eventsOf({
    messages: [user('[sim:tool=read {"path":"a","from":1,"to":2}]')],
    tools: [tool('read')],
  });
  const pieces = events.flatMap(({ delta }) =>
    typeof delta?.['partial_json'] === 'string' ? [delta['partial_json']] : [],
  );
  assert.ok(pieces.length > 3);
  assert.deepEqual(JSON.parse(pieces.join('')), { path: 'a', from: 1, to: 2 });
});

for (const [what, more, calls] of [
  ['one at a time', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, ['read']],
  ['none', { tool_choice: { type: 'none' } }, []],
  ['any', { tool_choice: { type: 'any' } }, ['read', 'list']],
  ['a chosen one', { tool_choice: { type: 'tool', name: 'list' } }, ['list']],
] as const) {
  test(`a scripted prompt calls ${calls.length} of its tools where the request allows ${what}`, async () => {
    const messages = [user('[sim:tool=read {}] [sim:tool=list {}] [sim:tool=unknown {}]')];
    const message = await bothWays({ messages, tools: [tool('read'), tool('list')], ...more });
    assert.deepEqual(
      callsIn(message).map(({ name }) => name),
      calls,
    );
  });
}

test('without a scripted call a tool is called that the prompt names, or that has to be', async () => {
  const tools = [tool('read')];
  assert.deepEqual(callsIn(await bothWays({ messages: [user('read it')], tools }))[0]?.input, { path: 'simulated' });
  assert.equal(callsIn(await bothWays({ messages: [user('go')], tools })).length, 0);
  const forced = await bothWays({ messages: [user('go')], tools, tool_choice: { type: 'any' } });
  assert.equal(callsIn(forced).length, 1);
  const scripted = [user('[sim:say="Done."]')];
  assert.equal(callsIn(await bothWays({ messages: scripted, tools, tool_choice: { type: 'any' } })).length, 1);
});

test('max_tokens cuts thoughts, texts and arguments; a stop sequence is named', async () => {
  const cut = await bothWays({ messages: [user('Hi')], max_tokens: 3 });
  assert.deepEqual([cut.stop_reason, cut.usage.output_tokens], ['max_tokens', 3]);
  const thought = await bothWays({ messages: [user('Hi [sim:think]')], max_tokens: 2 });
  assert.deepEqual([thought.content.length, thought.content[0]?.type], [1, 'thinking']);
  const call = [user('[sim:tool=read {"path":"a","from":1}]')];
  const cutCall = await whole({ messages: call, tools: [tool('read')], max_tokens: 2 });
  assert.deepEqual([cutCall.stop_reason, callsIn(cutCall)[0]?.input], ['max_tokens', {}]);
  const nothing = await bothWays({ messages: [user('Hi')], max_tokens: 0 });
  assert.deepEqual([nothing.content, nothing.stop_reason, nothing.usage.output_tokens], [[], 'max_tokens', 0]);
  const messages = [user('alpha beta gamma')];
  const stopped = await bothWays({ messages, stop_sequences: ['gamma', ' beta', 'absent'] });
  assert.deepEqual([stopped.stop_reason, stopped.stop_sequence], ['stop_sequence', ' beta']);
  assert.match(textIn(stopped), /alpha$/);
});

/** Disjoint, in the order fresh, read, written for five minutes, written for an hour. */
const cacheUseOf = ({ usage }: Anthropic.Message) => [
  usage.input_tokens,
  usage.cache_read_input_tokens,
  usage.cache_creation?.ephemeral_5m_input_tokens,
  usage.cache_creation?.ephemeral_1h_input_tokens,
];

const marked = (text: string, ttl?: '5m' | '1h') => ({
  ...{ type: 'text' as const, text },
  cache_control: { type: 'ephemeral' as const, ...(ttl === undefined ? {} : { ttl }) },
});

test('a marked prefix is written once and read while it lasts, and the counts add up to those of the prompt', async () => {
  let nowMs = 1_790_000_000_000;
  const client = clientOf(simulator({}, { now: () => nowMs }));
  const asked = { system: [marked('one two three', '1h')], messages: [user([marked('four five')]), user('six')] };
  const use = async (body: Asked = asked) => cacheUseOf(await client.messages.create(bodyOf(body)));
  assert.deepEqual(await use(), [5, 0, 6, 7]);
  assert.deepEqual(await use(), [5, 13, 0, 0]);
  const { input_tokens: all } = await client.messages.countTokens({ model: 'sim-chat', ...asked });
  assert.equal(all, 18);
  const moved = { ...asked, messages: [user('four five'), user([marked('six')])] };
  assert.deepEqual(await use(moved), [0, 13, 5, 0]);
  assert.deepEqual(await use({ ...asked, system: [marked('others', '1h')] }), [5, 0, 6, 5]);
  assert.deepEqual(await use({ ...asked, model: 'another' }), [5, 0, 6, 7]);
  nowMs += 300_001;
  assert.deepEqual(await use(), [5, 7, 6, 0]);
  nowMs += 3_600_001;
  assert.deepEqual(await use(), [5, 0, 6, 7]);
});

test('a read keeps a prefix for as long again, though its mark has moved', async () => {
  let nowMs = 1_790_000_000_000;
  const client = clientOf(simulator({}, { now: () => nowMs }));
  const use = async (...messages: Body['messages']) => cacheUseOf(await client.messages.create(bodyOf({ messages })));
  assert.deepEqual(await use(user([marked('one')])), [0, 0, 5, 0]);
  nowMs += 240_000;
  assert.deepEqual(await use(user('one'), user([marked('two')])), [0, 5, 5, 0]);
  nowMs += 240_000;
  assert.deepEqual(await use(user([marked('one')])), [0, 5, 0, 0]);
});

test('a mark at the top of a body is one on its last block', async () => {
  const client = clientOf(simulator());
  const body = bodyOf({ messages: [user('one two')], cache_control: { type: 'ephemeral' } });
  assert.deepEqual(cacheUseOf(await client.messages.create(body)), [0, 0, 6, 0]);
  assert.deepEqual(cacheUseOf(await client.messages.create(body)), [0, 6, 0, 0]);
});

test('of many cached prefixes those that were used longest ago are forgotten', async () => {
  const client = clientOf(simulator());
  const read = async (at: number) => {
    const body = bodyOf({ messages: [user([marked(`number ${at}`)])] });
    return (await client.messages.create(body)).usage.cache_read_input_tokens;
  };
  for (let at = 0; at < 1001; at++) {
    assert.equal(await read(at), 0);
    if (at === 500) assert.equal(await read(0), 6);
  }
  assert.deepEqual([await read(0), await read(1000), await read(1)], [6, 6, 0]);
});

test('the prompt can state any usage, of which inputs are in the first event and all in the last', async () => {
  const usage = {
    ...{ input_tokens: 100, cache_read_input_tokens: 2000, cache_creation_input_tokens: 30 },
    cache_creation: { ephemeral_1h_input_tokens: 30 },
    ...{ output_tokens: 77, service_tier: 'priority', server_tool_use: { web_search_requests: 2 } },
  };
  const prompt = `Hi [sim:usage=${JSON.stringify(usage)}]`;
  const { usage: said } = await whole(prompt);
  assert.deepEqual(said.cache_creation, { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 30 });
  assert.deepEqual([said.input_tokens, said.output_tokens, said.service_tier], [100, 77, 'priority']);
  const events = await eventsOf(prompt);
  const first = events[0]?.message?.usage;
  assert.deepEqual([first?.['input_tokens'], first?.['output_tokens'], first?.['server_tool_use']], [100, 1, null]);
  const last = events.at(-2)?.usage;
  assert.deepEqual([last?.['output_tokens'], last?.['server_tool_use']], [77, { web_search_requests: 2 }]);
});

for (const [knob, status, type, message] of [
  ['[sim:fail=out of words]', 500, 'api_error', 'out of words'],
  ['[sim:policy]', 400, 'invalid_request_error', 'Simulated policy refusal ([sim:policy]).'],
  ['[sim:status=529]', 529, 'overloaded_error', 'Simulated failure ([sim:status=529]).'],
  ['[sim:status=429] [sim:fail=slow down]', 429, 'rate_limit_error', 'slow down'],
  ['[sim:status=413]', 413, 'request_too_large', 'Simulated failure ([sim:status=413]).'],
] as const) {
  test(`'${knob}' answers ${status} with ${type}, streamed or not`, async () => {
    for (const stream of [false, true]) {
      await assert.rejects(clientOf(simulator()).messages.create({ ...bodyOf(`x ${knob}`), stream }), (error) => {
        assert.ok(error instanceof Anthropic.APIError);
        assert.equal(error.status, status);
        const body = error.error as { request_id: string };
        assert.deepEqual(body, { type: 'error', error: { type, message }, request_id: body.request_id });
        assert.match(body.request_id, /^req_/);
        return true;
      });
    }
  });
}

test('a stream can end with an error after its 200, or break off', async () => {
  const events = await eventsOf('Hi [sim:break=too much to do]');
  assert.deepEqual(typesOf(events).slice(-2), ['text_delta', 'error']);
  assert.deepEqual(events.at(-1)?.error, { type: 'overloaded_error', message: 'too much to do' });
  await assert.rejects(
    clientOf(simulator()).messages.stream(bodyOf('Hi [sim:break=too much to do]')).finalMessage(),
    /too much to do/,
  );
  for (const stream of [true, false]) {
    const body = { ...bodyOf('Hi [sim:break]'), stream };
    const { head, text, failure } = await listen(simulator(), callOf(body, { path: 'messages' }));
    assert.deepEqual([head?.status, failure?.kind], [200, 'broken']);
    assert.ok(text.length > 100 && !text.includes('message_stop'));
  }
});

test('count_tokens counts what a message is charged for, and a query is ignored', async () => {
  const asked = {
    ...{ system: 'Be brief.', tools: [tool('read')] },
    messages: [user([{ type: 'image', source: { type: 'url', url: 'http://x/' } }]), user('Hi')],
  } satisfies Asked;
  const { usage } = await bothWays(asked);
  const counted = await clientOf(simulator()).beta.messages.countTokens({ model: 'sim-chat', ...asked });
  assert.equal(counted.input_tokens, usage.input_tokens);
  assert.ok(counted.input_tokens > 85);
});

test('images are counted, those in results of tools too, and a schema is fitted', async () => {
  const image = { type: 'image' as const, source: { type: 'url' as const, url: 'http://x/' } };
  const look = [user([image, { type: 'text', text: 'Look' }])];
  assert.match(textIn(await bothWays({ messages: look })), /You sent one image\./);
  const result = { type: 'tool_result' as const, tool_use_id: 't', content: [image] };
  const call = { type: 'tool_use' as const, id: 't', name: 'look', input: {} };
  const messages = [...look, { role: 'assistant' as const, content: [call] }, user([result])];
  assert.match(textIn(await bothWays({ messages })), /You sent 2 images\./);
  const format = { type: 'json_schema' as const, schema: { const: { a: 1 } } };
  assert.equal(textIn(await bothWays({ messages: look, output_config: { format } })), '{"a":1}');
});

for (const knob of ['[sim:tool=read {"path":]', '[sim:tool=read 7]', '[sim:say=hello]', '[sim:usage=[1]]']) {
  test(`'${knob}' is refused with what should be there`, async () => {
    await assert.rejects(bothWays(`x ${knob}`), (error) => {
      assert.ok(error instanceof Anthropic.BadRequestError);
      assert.match(error.message, /The simulator can't read '\[sim:\w+=.*': a JSON (object|string)/);
      return true;
    });
  });
}

test('many long knobs that never end are refused, not searched through', async () => {
  await assert.rejects(bothWays('[sim:say="x'.repeat(50_000)), /at most 64 knobs/);
});
