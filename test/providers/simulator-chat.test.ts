import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatStreamMeter } from '../../src/domain/chat/chat-meter.ts';
import { MeteredStream } from '../../src/domain/chat/metered-stream.ts';
import { ResponsesStreamMeter } from '../../src/domain/chat/responses-meter.ts';
import { SseDecoder } from '../../src/domain/chat/sse.ts';
import { isUsage } from '../../src/domain/usage/vendor-usage.ts';
import type { ChatCall, ChatProvider } from '../../src/providers/chat-contract.ts';
import { jsonSample } from '../../src/simulator/chat-json.ts';
import { callOf, listen } from './openai/support.ts';
import { simulator } from './simulator-chat-support.ts';

const never = new AbortController().signal;

/* What answers look like, as far as the tests read them. */
interface Call {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}
interface Completion {
  id: string;
  object: string;
  model: string;
  choices: { index: number; message: { content: string | null; tool_calls?: Call[] }; finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  error?: { message: string; type: string; param: string | null; code: string | null };
}
interface Item {
  type: string;
  status: string;
  name?: string;
  arguments?: string;
  content?: { type: string; text: string }[];
}
interface Response {
  id: string;
  object: string;
  status: string;
  output: Item[];
  incomplete_details: { reason: string } | null;
  usage: { input_tokens: number; output_tokens: number; total_tokens: number };
}

const user = (content: unknown) => ({ role: 'user', content });
const chat = (prompt: unknown, more: object = {}) => callOf({ model: 'sim-chat', messages: [user(prompt)], ...more });
const respond = (input: unknown, more: object = {}, call: Partial<ChatCall> = {}) =>
  callOf({ model: 'sim-code', input, ...more }, { path: 'responses', ...call });

async function answerTo(call: ChatCall, from: ChatProvider): Promise<{ status: number; body: unknown }> {
  const { head, text } = await listen(from, call);
  return { status: head?.status ?? 0, body: JSON.parse(text) as unknown };
}

const ask = async (call: ChatCall, from = simulator()) =>
  (await answerTo(call, from)) as { status: number; body: Completion };

const askResponse = async (call: ChatCall, from = simulator()) =>
  (await answerTo(call, from)) as { status: number; body: Response };

/** The data of a stream's events. */
async function events(call: ChatCall, from = simulator()): Promise<string[]> {
  const { head, text } = await listen(from, call);
  assert.equal(head?.contentType, 'text/event-stream; charset=utf-8');
  return new SseDecoder().push(Buffer.from(text)).map(({ data }) => data.toString());
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'kelvin'] },
        days: { type: 'integer', minimum: 2 },
      },
      required: ['city', 'unit', 'days'],
    },
  },
};

test('an answer says that it is simulated, repeats the prompt, and is the same for the same prompt', async () => {
  const { status, body } = await ask(chat('What is a fox?'));
  const again = await ask(chat('What is a fox?'));
  assert.equal(status, 200);
  assert.deepEqual([body.object, body.model, body.choices.length], ['chat.completion', 'sim-chat', 1]);
  assert.match(body.choices[0]?.message.content ?? '', /[Ss]imulator.*What is a fox\?/);
  assert.equal(body.choices[0]?.finish_reason, 'stop');
  assert.equal(again.body.choices[0]?.message.content, body.choices[0].message.content);
  assert.match(body.id, /^chatcmpl-/);
  assert.notEqual(again.body.id, body.id);
});

test('the usage adds up, and the tokens of a stream are its chunks', async () => {
  const { body } = await ask(chat('one two three'));
  assert.equal(body.usage.total_tokens, body.usage.prompt_tokens + body.usage.completion_tokens);
  assert.ok(body.usage.prompt_tokens >= 3);
  const more = await ask(chat('one two three four five'));
  assert.equal(more.body.usage.prompt_tokens, body.usage.prompt_tokens + 2);
  const stream = await events(chat('one two three', { stream: true, stream_options: { include_usage: true } }));
  assert.equal(stream.length, 1 + body.usage.completion_tokens + 1 + 1 + 1);
});

test('a stream has role, deltas, finish, usage if asked for, and [DONE]; together they are the whole answer', async () => {
  const { body } = await ask(chat('Hello there'));
  for (const includesUsage of [true, false]) {
    const options = includesUsage ? { stream_options: { include_usage: true } } : {};
    const { text } = await listen(simulator(), chat('Hello there', { stream: true, ...options }));
    const bytes = Buffer.from(text);
    const stream = new MeteredStream(new ChatStreamMeter({ choices: 1, showsUsage: true }));
    assert.equal(stream.push(bytes)?.toString(), bytes.toString().replace('data: [DONE]\n\n', ''));
    assert.equal(stream.state, 'done');
    assert.equal(stream.meter.producedText(), body.choices[0]?.message.content);
    assert.deepEqual(stream.meter.stated.usage, includesUsage ? body.usage : undefined);
    const first = new SseDecoder().push(bytes)[0]?.data.toString() ?? '';
    assert.match(first, /"role":"assistant"/);
  }
});

test('n choices differ, are numbered, and all finish', async () => {
  const { body } = await ask(chat('Hi', { n: 3 }));
  assert.deepEqual(
    body.choices.map(({ index }) => index),
    [0, 1, 2],
  );
  assert.equal(new Set(body.choices.map(({ message }) => message.content)).size, 3);
  const stream = new MeteredStream(new ChatStreamMeter({ choices: 3, showsUsage: false }));
  for (const data of await events(chat('Hi', { n: 3, stream: true }))) {
    if (data !== '[DONE]') stream.push(Buffer.from(`data: ${data}\n\n`));
  }
  assert.equal(stream.meter.isComplete, true);
});

test('max_tokens cuts the answer, a stop sequence ends it', async () => {
  for (const limit of ['max_tokens', 'max_completion_tokens']) {
    const { body } = await ask(chat('Hi', { [limit]: 3 }));
    assert.equal(body.choices[0]?.finish_reason, 'length');
    assert.equal(body.usage.completion_tokens, 3);
  }
  const whole = (await ask(chat('alpha beta gamma'))).body.choices[0]?.message.content ?? '';
  for (const stop of [' beta', ['nothing', ' beta', 'gamma']]) {
    const { body } = await ask(chat('alpha beta gamma', { stop }));
    assert.equal(body.choices[0]?.message.content, whole.slice(0, whole.indexOf(' beta')));
    assert.equal(body.choices[0].finish_reason, 'stop');
  }
});

test('JSON mode gives a JSON object, and a schema what fits it', async () => {
  const contentOf = async (format: unknown) =>
    JSON.parse((await ask(chat('Hi', { response_format: format }))).body.choices[0]?.message.content ?? '') as unknown;
  assert.deepEqual(await contentOf({ type: 'json_object' }), { simulator: true, you_wrote: 'Hi' });
  const schema = {
    ...{ type: 'object', required: ['name', 'tags', 'place'], additionalProperties: false },
    properties: {
      name: { type: 'string', minLength: 12 },
      tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 },
      place: { $ref: '#/$defs/place' },
      more: { type: 'string' },
    },
    $defs: { place: { type: ['null', 'object'], properties: { x: { type: 'number' } }, required: ['x'] } },
  };
  assert.deepEqual(await contentOf({ type: 'json_schema', json_schema: { name: 's', schema } }), {
    ...{ name: 'simulated...', tags: ['a', 'a'], place: { x: 1 } },
  });
});

for (const [schema, value] of [
  [{ const: 7 }, 7],
  [{ type: 'integer', exclusiveMinimum: 3 }, 4],
  [{ type: 'number', maximum: -2 }, -2],
  [{ type: 'boolean' }, true],
  [{ type: 'null' }, null],
  [{ type: 'string', format: 'date' }, '2026-01-01'],
  [{ type: 'string', maxLength: 3 }, 'sim'],
  [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, true],
  [
    {
      allOf: [
        { properties: { a: { const: 1 } }, required: ['a'] },
        { properties: { b: { const: 2 } }, required: ['b'] },
      ],
    },
    { a: 1, b: 2 },
  ],
  [{ type: 'array', items: { type: 'string' } }, []],
  [{ default: 'd', type: 'string' }, 'd'],
  [true, null],
] as const) {
  test(`${JSON.stringify(schema)} is fitted by ${JSON.stringify(value)}`, () =>
    assert.deepEqual(jsonSample(schema), value));
}

test('a schema that refers to itself comes to an end', () => {
  const schema = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] } },
  };
  assert.equal(typeof jsonSample(schema), 'object');
});

for (const [what, more, prompt, isCalled] of [
  ['named in the prompt', {}, 'please get_weather', true],
  ['not named', {}, 'please', false],
  ['required', { tool_choice: 'required' }, 'please', true],
  ['chosen', { tool_choice: { type: 'function', function: { name: 'get_weather' } } }, 'please', true],
  ['forbidden', { tool_choice: 'none' }, 'please get_weather', false],
] as const) {
  test(`a tool that is ${what} is ${isCalled ? '' : 'not '}called`, async () => {
    const { body } = await ask(chat(prompt, { tools: [weather], ...more }));
    const [choice] = body.choices;
    assert.equal(choice?.finish_reason, isCalled ? 'tool_calls' : 'stop');
    const [call] = choice.message.tool_calls ?? [];
    assert.equal(call?.function.name, isCalled ? 'get_weather' : undefined);
    if (call === undefined) return;
    assert.equal(choice.message.content, null);
    assert.deepEqual(JSON.parse(call.function.arguments), { city: 'simulated', unit: 'celsius', days: 2 });
  });
}

test('a streamed tool call gives its name first and its arguments in pieces', async () => {
  const data = await events(chat('get_weather', { tools: [weather], stream: true }));
  const calls = data.slice(0, -1).flatMap((event) => {
    const { choices } = JSON.parse(event) as { choices: { delta: { tool_calls?: Partial<Call>[] } }[] };
    return choices[0]?.delta.tool_calls ?? [];
  });
  assert.equal(calls[0]?.function?.name, 'get_weather');
  assert.match(calls[0].id ?? '', /^call_/);
  const joined = calls.map((call) => call.function?.arguments ?? '').join('');
  assert.deepEqual(JSON.parse(joined), { city: 'simulated', unit: 'celsius', days: 2 });
  assert.match(data.at(-2) ?? '', /"finish_reason":"tool_calls"/);
});

test('the answer of a tool is in the reply, and the tool is not called again', async () => {
  const messages = [
    user('get_weather'),
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'rain' },
  ];
  const { body } = await ask(callOf({ model: 'm', messages, tools: [weather] }));
  assert.match(body.choices[0]?.message.content ?? '', /The tool answered: "rain"/);
});

test('images are counted and cost tokens', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const { body } = await ask(chat([{ type: 'text', text: 'Look' }, image, image]));
  const without = await ask(chat([{ type: 'text', text: 'Look' }]));
  assert.match(body.choices[0]?.message.content ?? '', /You sent 2 images\./);
  assert.equal(body.usage.prompt_tokens - without.body.usage.prompt_tokens, 170);
});

test('the prompt can ask for a failure or a refusal, on both endpoints', async () => {
  for (const make of [chat, respond]) {
    const failed = await ask(make('x [sim:fail=out of words]'));
    assert.equal(failed.status, 500);
    assert.deepEqual(failed.body.error, { message: 'out of words', type: 'server_error', param: null, code: null });
    const refused = await ask(make('x [sim:policy]', { stream: true }));
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error?.code, 'content_policy_violation');
    assert.equal(refused.body.error.type, 'invalid_request_error');
  }
});

test('the fail rate fails its share of the calls', async () => {
  const half = simulator({ fail_rate: 0.5 });
  let failed = 0;
  for (let at = 0; at < 100; at++) {
    const { head } = await listen(half, { ...chat('Hi'), requestId: `r-${at}` });
    if (head?.status === 500) failed++;
  }
  assert.ok(failed > 25 && failed < 75, String(failed));
});

test('latency comes before the first byte, and one beyond the time-out is a time-out', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  const slow = listen(simulator({ latency_ms: 500 }), chat('Hi'));
  void slow.then(() => (isOver = true));
  context.mock.timers.tick(499);
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  context.mock.timers.tick(1);
  assert.equal((await slow).head?.status, 200);

  const endless = listen(simulator({}, { timeoutMs: 1_000 }), chat('Hi [sim:delay=2h] [sim:delay=2000s]'));
  context.mock.timers.tick(1_000);
  assert.equal((await endless).failure?.kind, 'timeout');
});

test('an abort ends a call that waits and one that streams, and a paused stream goes on later', async () => {
  const heard: string[] = [];
  const tell = (what: string) => () => void heard.push(what);
  const all = { onHead: tell('head'), onData: tell('data'), onEnd: tell('end'), onFailure: tell('failure') };
  simulator().start(chat('Hi'), all).abort();
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(heard.length, 0);
  await new Promise<void>((resolve) => {
    const exchange = simulator().start(chat('Hi', { stream: true }), {
      onHead: () => heard.push('head'),
      onData: () => {
        heard.push('data');
        exchange.abort();
        setImmediate(() => setImmediate(resolve));
      },
      onEnd: () => heard.push('end'),
      onFailure: () => heard.push('failure'),
    });
  });
  assert.deepEqual(heard, ['head', 'data']);
  let chunks = 0;
  let chunksWhilePaused = 0;
  const received = await listen(simulator(), chat('Hi', { stream: true }), (exchange) => {
    if (chunks++ > 0) return;
    exchange.pause();
    let turns = 10;
    const turn = () => {
      if (turns-- > 0) setImmediate(turn);
      else {
        chunksWhilePaused = chunks - 1;
        exchange.resume();
      }
    };
    turn();
  });
  assert.equal(chunksWhilePaused, 0);
  assert.match(received.text, /\[DONE\]\n\n$/);
});

test('a response has its message and usage, and cut ones are incomplete', async () => {
  const { status, body } = await askResponse(respond('Write a loop', { instructions: 'Be brief.' }));
  assert.equal(status, 200);
  assert.match(body.id, /^resp_/);
  assert.deepEqual([body.object, body.status, body.output.length], ['response', 'completed', 1]);
  assert.match(body.output[0]?.content?.[0]?.text ?? '', /Write a loop/);
  assert.ok(isUsage('responses', body.usage));
  const cut = await askResponse(respond('Write a loop', { max_output_tokens: 2 }));
  assert.deepEqual([cut.body.status, cut.body.incomplete_details?.reason], ['incomplete', 'max_output_tokens']);
  assert.equal(cut.body.usage.output_tokens, 2);
});

test('input as items, schemas and tools are understood on responses too', async () => {
  const tools = [{ type: 'function', ...weather.function }];
  const items = [
    user([
      { type: 'input_text', text: 'get_weather' },
      { type: 'input_image', image_url: 'x' },
    ]),
  ];
  const call = await askResponse(respond(items, { tools }));
  assert.deepEqual([call.body.output[0]?.type, call.body.output[0]?.name], ['function_call', 'get_weather']);
  assert.deepEqual(JSON.parse(call.body.output[0]?.arguments ?? ''), { city: 'simulated', unit: 'celsius', days: 2 });
  const after = [...items, { type: 'function_call_output', call_id: 'c', output: 'rain' }];
  const received = await askResponse(respond(after, { tools }));
  assert.match(received.body.output[0]?.content?.[0]?.text ?? '', /"rain"/);
  const text = { format: { type: 'json_schema', name: 's', schema: { const: { a: 1 } } } };
  const fitted = await askResponse(respond('x', { text }));
  assert.equal(fitted.body.output[0]?.content?.[0]?.text, '{"a":1}');
});

test('a responses stream has its events in order and numbered, and ends with what the whole answer is', async () => {
  for (const [more, last, kind] of [
    [{}, 'response.completed', 'output_text'],
    [{ max_output_tokens: 2 }, 'response.incomplete', 'output_text'],
    [
      { tools: [{ type: 'function', ...weather.function }], tool_choice: 'required' },
      'response.completed',
      'function_call_arguments',
    ],
  ] as const) {
    const { text } = await listen(simulator(), respond('Write a loop', { stream: true, ...more }));
    const bytes = Buffer.from(text);
    const received = new SseDecoder().push(bytes).map(({ event, data }) => {
      const parsed = JSON.parse(data.toString()) as { type: string; sequence_number: number };
      assert.equal(parsed.type, event);
      return parsed;
    });
    assert.deepEqual(
      received.map((event) => event.sequence_number),
      [...received.keys()],
    );
    const order = received.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    const hasParts = kind === 'output_text';
    assert.deepEqual(order, [
      ...['response.created', 'response.in_progress', 'response.output_item.added'],
      ...(hasParts ? ['response.content_part.added'] : []),
      ...[`response.${kind}.delta`, `response.${kind}.done`],
      ...(hasParts ? ['response.content_part.done'] : []),
      ...['response.output_item.done', last],
    ]);
    const stream = new MeteredStream(new ResponsesStreamMeter());
    assert.equal(stream.push(bytes)?.toString(), bytes.toString());
    assert.equal(
      stream.meter.stated.usage?.['output_tokens'],
      received.filter(({ type }) => type.endsWith('.delta')).length,
    );
  }
});

test('a response can be fetched and deleted, unless it was not to be stored; an unknown one is 404', async () => {
  const one = simulator();
  const at = (path: string, method: ChatCall['method']) => callOf(undefined, { method, path, body: [] });
  const { body } = await askResponse(respond('Hi'), one);
  assert.deepEqual((await askResponse(at(`responses/${body.id}`, 'GET'), one)).body, body);
  assert.equal((await ask(at(`responses/${body.id}/cancel`, 'POST'), one)).status, 400);
  assert.deepEqual((await ask(at(`responses/${body.id}`, 'DELETE'), one)).body, {
    id: body.id,
    object: 'response',
    deleted: true,
  });
  for (const method of ['GET', 'DELETE'] as const)
    assert.equal((await ask(at(`responses/${body.id}`, method), one)).status, 404);
  const unstored = await askResponse(respond('Hi', { store: false }), one);
  assert.equal((await ask(at(`responses/${unstored.body.id}`, 'GET'), one)).status, 404);
  assert.equal((await ask(at('elsewhere', 'GET'), one)).status, 404);
});

test('of many responses the oldest are forgotten', async () => {
  const one = simulator();
  const ids: string[] = [];
  for (let at = 0; at < 1001; at++) ids.push((await askResponse(respond('Hi'), one)).body.id);
  const get = async (id: string | undefined) =>
    (await ask(callOf(undefined, { method: 'GET', path: `responses/${id ?? ''}`, body: [] }), one)).status;
  assert.deepEqual([await get(ids[0]), await get(ids[1]), await get(ids.at(-1))], [404, 200, 200]);
});

test('a body that is no JSON object is refused', async () => {
  assert.equal((await ask(callOf(undefined, { body: [Buffer.from('[]')] }))).status, 400);
});

test('the probe costs nothing and succeeds', async () => {
  assert.deepEqual(await simulator().probe?.(never), { status: 200 });
});
