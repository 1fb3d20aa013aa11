/** Anthropic's messages over an upstream that speaks them: what passes, what it costs, and how it fails. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type ChatGateway,
  type Customer,
  messagesPath,
  startChatGateway,
  typesOf,
  wireOf,
} from '../support/chat-gateway.ts';
import { cut } from '../support/mutations.ts';
import { seeded } from '../support/seeded.ts';
import {
  type Answer,
  messagesAnswer,
  messagesErrorAnswer,
  messagesEvent,
  messagesStream,
  messageStartEvent,
  textDeltaEvent,
} from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const hello = { model: 'claude-one', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
const stream = { ...hello, stream: true };
const countPath = `${messagesPath}/count_tokens`;
/** Of the prompt that the fixtures count: 9 fresh tokens, 5 read, 7 written for five minutes and 2 for an hour. */
const promptCost = 0.009 + 0.0005 + 0.00875 + 0.004;
const money = (amount: number): number => Number(amount.toFixed(6));

const post = (customer: Customer, body: unknown, headers: Record<string, string> = {}, path = messagesPath) =>
  customer.post(body, headers, path);
const raw = (customer: Customer, body: unknown) => customer.raw(body, messagesPath);

/** Asserts an error in Anthropic's form, with the id that the header has. */
function assertMessagesError(answer: Awaited<ReturnType<typeof post>>, status: number, type: string, message?: RegExp) {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  const { error, request_id: requestId, ...others } = answer.body;
  assert.deepEqual(others, { type: 'error' });
  assert.deepEqual(Object.keys(error).sort(), ['message', 'type']);
  assert.equal(error.type, type);
  if (message) assert.match(error.message, message);
  assert.equal(requestId, answer.headers.get('request-id'));
}

describe('straight through', () => {
  test('an answer passes byte for byte', async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('Hi'));
    const { status, headers, text } = await raw(customer, hello);
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json']);
    assert.equal(text, JSON.stringify(messagesAnswer('Hi').json));
    assert.equal(headers.get('request-id'), headers.get('x-request-id'));
  });

  test("the body is the caller's but for the model, and the query is left out", async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('Hi'));
    const body = `{ "max_tokens":5, "model" : "claude-one","system":[{"type":"text","text":"x"}],\n"messages":[{"role":"user","content":"ü"}], "unknown": 1.50 }`;
    const response = await chat.gateway.fetch(`${messagesPath}?beta=true`, {
      method: 'POST',
      headers: { ...customer.headers, 'Content-Type': 'application/json' },
      body,
    });
    assert.equal(response.status, 200);
    await response.text();
    const seen = chat.first.requests.at(-1);
    assert.equal(seen?.path, '/v1/messages');
    assert.equal(seen.body.toString(), body.replace('"claude-one"', '"upstream-claude"'));
  });

  test("version and beta are forwarded as they come, and the operator's key in the place of the caller's", async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('Hi'));
    await post(customer, hello);
    const plain = chat.first.requests.at(-1)?.headers ?? {};
    assert.deepEqual([plain['anthropic-version'], plain['anthropic-beta']], ['2023-06-01', undefined]);
    assert.deepEqual([plain['x-api-key'], plain.authorization], ['sk-ant-operator-1', undefined]);
    const beta = 'made-up-2026-01-01,context-1m-2025-08-07';
    await post(customer, hello, { 'anthropic-version': '2030-01-01', 'anthropic-beta': beta });
    const own = chat.first.requests.at(-1)?.headers ?? {};
    assert.deepEqual([own['anthropic-version'], own['anthropic-beta']], ['2030-01-01', beta]);
  });

  test('a key is taken from x-api-key, too, and never forwarded', async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('Hi'));
    const headers = { 'x-api-key': customer.key, 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(hello), key: null };
    assert.equal((await chat.gateway.fetch(messagesPath, init)).status, 200);
    assert.ok(!JSON.stringify(chat.first.requests.at(-1)?.headers).includes(customer.key));
  });

  test('any vendor may serve messages at an address of its own', async () => {
    const customer = await chat.customer();
    chat.second.answers(messagesAnswer('Hi'));
    assert.equal((await post(customer, { ...hello, model: 'vendor-one' })).status, 200);
    const { path, headers } = chat.second.requests.at(-1) ?? {};
    assert.equal(path, '/v1/anthropic/messages');
    assert.deepEqual([headers?.['x-api-key'], headers?.authorization], ['sk-of-the-vendor', 'Bearer sk-of-the-vendor']);
  });

  test('a stream passes as it came, with its names and pings', async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesStream(['Hel', 'lo']));
    const { headers, text, isWhole } = await raw(customer, stream);
    assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.equal(text, wireOf(messagesStream(['Hel', 'lo'])));
    assert.ok(isWhole);
  });

  test('a base URL answers HEAD', async () => {
    for (const path of ['/', '/ai']) {
      assert.equal((await chat.gateway.fetch(path, { method: 'HEAD', key: null })).status, 200, path);
    }
  });
});

describe('money', () => {
  test('caches are charged apart, of a stream as of a whole answer', async () => {
    const seen: unknown[] = [];
    for (const body of [hello, stream]) {
      const customer = await chat.customer();
      chat.first.answers(body === stream ? messagesStream(['a', 'b', 'c']) : messagesAnswer('abc'));
      await raw(customer, body);
      const { balance, entries } = await customer.settled();
      assert.deepEqual(typesOf(entries), ['hold', 'capture', 'release']);
      const { charged, usage_source: source, lines } = entries[1] ?? {};
      assert.deepEqual([charged, source], [money(promptCost + 0.015), 'upstream']);
      assert.equal(balance, money(100 - promptCost - 0.015));
      seen.push(lines);
    }
    assert.deepEqual(seen[0], seen[1]);
    assert.deepEqual(seen[0], [
      { unit: 'input_token', units: 9, unit_price: 0.001, amount: 0.009 },
      { unit: 'cached_input_token', units: 5, unit_price: 0.0001, amount: 0.0005 },
      { unit: 'cache_write_token', units: 7, unit_price: 0.00125, amount: 0.00875 },
      { unit: 'cache_write_1h_token', units: 2, unit_price: 0.002, amount: 0.004 },
      { unit: 'output_token', units: 3, unit_price: 0.005, amount: 0.015 },
    ]);
    await chat.assertAddsUp();
  });

  test('however its bytes are cut, a stream passes and is charged alike', async () => {
    const { pieces = [] } = messagesStream(['Hel', 'lo, "wörld"\\n', '…']);
    const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
    for (let seed = 0; seed < 25; seed++) {
      const customer = await chat.customer();
      const chance = seeded(seed);
      const parts = seed === 0 ? Array.from(whole, (byte) => Buffer.from([byte])) : cut(whole, chance);
      const turns = parts.flatMap((part) => [part, new Promise((resolve) => setImmediate(resolve))]);
      chat.first.answers({ pieces: turns });
      const { text, isWhole } = await raw(customer, stream);
      assert.deepEqual([text, isWhole], [whole.toString(), true], `seed ${seed}`);
      const { entries } = await customer.settled();
      assert.equal(entries[1]?.['charged'], money(promptCost + 0.015), `seed ${seed}`);
    }
  });

  test('the hold is the input at its dearest and the whole output', async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('abc'));
    await raw(customer, hello);
    const input = Math.ceil(Buffer.byteLength(JSON.stringify(hello)) / 2);
    assert.equal((await customer.settled()).entries[0]?.['amount'], -money(input * 0.00125 + 0.5));
    const cached = { ...hello, cache_control: { type: 'ephemeral', ttl: '1h' } };
    await raw(customer, cached);
    const more = Math.ceil(Buffer.byteLength(JSON.stringify(cached)) / 2);
    assert.equal((await customer.settled()).entries[3]?.['amount'], -money(more * 0.002 + 0.5));
  });

  test('a request that only warms the cache pays for its input', async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('', { input_tokens: 10, output_tokens: 0 }));
    assert.equal((await raw(customer, { ...hello, max_tokens: 0 })).status, 200);
    assert.equal((await customer.settled()).entries[1]?.['charged'], 0.01);
  });

  test('a hosted tool with a price passes, and its calls are charged', async () => {
    const customer = await chat.customer();
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }];
    const usage = { input_tokens: 10, output_tokens: 10, server_tool_use: { web_search_requests: 2 } };
    chat.first.answers(messagesAnswer('Hi', usage));
    assert.equal((await raw(customer, { ...hello, model: 'claude-searching', tools })).status, 200);
    const { entries } = await customer.settled();
    assert.equal(entries[1]?.['charged'], 1.02);
    assert.ok(-entries[0]?.['amount'] > 1.5);
  });

  test('counting the input costs nothing', async () => {
    const customer = await chat.customer();
    chat.first.answers({ json: { input_tokens: 2095 } });
    const body = { model: hello.model, messages: hello.messages };
    const { status, body: counted } = await post(customer, body, {}, countPath);
    assert.deepEqual([status, counted], [200, { input_tokens: 2095 }]);
    assert.equal(chat.first.requests.at(-1)?.path, '/v1/messages/count_tokens');
    chat.first.answers(messagesErrorAnswer(404, 'not_found_error', 'Not found'));
    assert.deepEqual((await post(customer, body, {}, countPath)).body, { input_tokens: 3 }, "the gateway's own count");
    chat.first.answers(messagesErrorAnswer(400, 'invalid_request_error', 'messages: too odd'));
    assertMessagesError(await post(customer, body, {}, countPath), 400, 'invalid_request_error', /^messages: too odd$/);
    assert.deepEqual((await customer.settled()).entries, []);
  });
});

describe('what breaks off', () => {
  const begun = [messageStartEvent(), textDeltaEvent('Hello there')];

  test('a caller that leaves pays the exact prompt, and the output that was produced', async () => {
    const customer = await chat.customer();
    const gone = chat.first.aborted;
    chat.first.answers({ pieces: begun, ending: 'stall' });
    const leaving = new AbortController();
    const response = await customer.open(stream, leaving.signal, messagesPath);
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('there')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    leaving.abort();
    await chat.first.abortions(gone + 1);
    const { entries } = await customer.settled();
    const { charged, usage_source: source } = entries[1] ?? {};
    assert.deepEqual([charged, source], [money(promptCost + 0.01), 'estimated']);
    await chat.assertAddsUp();
  });

  test('a model that is drained is read to its end', async () => {
    const customer = await chat.customer();
    let end: (value?: unknown) => void = () => undefined;
    const gate = new Promise((resolve) => (end = resolve));
    const [start, ...rest] = messagesStream(['a', 'b', 'c']).pieces ?? [];
    chat.first.answers({ pieces: [start ?? '', gate, ...rest] });
    const leaving = new AbortController();
    const response = await customer.open({ ...stream, model: 'claude-drained' }, leaving.signal, messagesPath);
    await response.body?.getReader().read();
    leaving.abort();
    end();
    const { entries } = await customer.settled();
    assert.deepEqual([entries[1]?.['usage_source'], entries[1]?.['charged']], ['upstream', 0.026]);
  });

  for (const [what, answer, type] of [
    [
      'an error event',
      {
        pieces: [
          ...begun,
          messagesEvent('error', { error: { type: 'overloaded_error', message: 'Overloaded at http://10.0.0.1/x' } }),
        ],
      },
      'overloaded_error',
    ],
    ['a broken connection', { pieces: begun, ending: 'break' }, 'api_error'],
  ] as const satisfies readonly (readonly [string, Answer, string])[]) {
    test(`after ${what} the stream ends with an error, broken off, and is charged as far as it came`, async () => {
      const customer = await chat.customer();
      chat.first.answers(answer);
      const { status, text, isWhole, headers } = await raw(customer, stream);
      assert.deepEqual([status, isWhole], [200, false]);
      assert.ok(text.startsWith(begun.join('')));
      const [name, data = ''] = text.slice(begun.join('').length).trim().split('\ndata: ');
      assert.equal(name, 'event: error');
      const event = JSON.parse(data) as { error: { type: string; message: string }; request_id: string };
      assert.deepEqual([event.error.type, event.request_id], [type, headers.get('request-id')]);
      assert.ok(!event.error.message.includes('10.0.0.1'));
      const { entries } = await customer.settled();
      const { charged, usage_source: source } = entries[1] ?? {};
      assert.deepEqual([charged, source], [money(promptCost + 0.01), 'estimated']);
    });
  }

  test('a stream that gave its stop reason and then closed is whole', async () => {
    const customer = await chat.customer();
    const { pieces = [] } = messagesStream(['a']);
    chat.first.answers({ pieces: pieces.slice(0, -1) });
    const { text, isWhole } = await raw(customer, stream);
    assert.deepEqual([text, isWhole], [wireOf({ pieces }), true]);
    assert.equal((await customer.settled()).entries[1]?.['usage_source'], 'upstream');
  });
});

describe('routes', () => {
  test('what fails before the first byte falls over to the next route', async () => {
    const failures: Answer[] = [
      messagesErrorAnswer(529, 'overloaded_error', 'Overloaded'),
      messagesErrorAnswer(401, 'authentication_error', 'invalid x-api-key'),
      { pieces: [messagesEvent('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })] },
      { ending: 'break-before' },
    ];
    for (const failure of failures) {
      const customer = await chat.customer();
      chat.first.answers(failure);
      chat.second.answers(messagesStream(['a']));
      const { status, text } = await raw(customer, { ...stream, model: 'claude-two' });
      assert.deepEqual([status, text], [200, wireOf(messagesStream(['a']))]);
      assert.equal(JSON.parse(chat.second.requests.at(-1)?.body.toString() ?? '').model, 'upstream-claude-2');
      assert.deepEqual(typesOf((await customer.settled()).entries), ['hold', 'capture', 'release']);
    }
  });

  test('an overloaded provider stays 529, whole and as the first event of a stream', async () => {
    const customer = await chat.customer();
    chat.first.answers({
      ...messagesErrorAnswer(529, 'overloaded_error', 'Overloaded'),
      headers: { 'retry-after': '7' },
    });
    const answer = await post(customer, hello);
    assertMessagesError(answer, 529, 'overloaded_error');
    assert.equal(answer.headers.get('retry-after'), '7');
    chat.first.answers({
      pieces: [messagesEvent('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })],
    });
    assertMessagesError(await post(customer, stream), 529, 'overloaded_error');
    assert.deepEqual(typesOf((await customer.settled()).entries), ['hold', 'release', 'hold', 'release']);
  });

  test("a refusal of the caller's request keeps its words, its type and its status", async () => {
    const customer = await chat.customer();
    const message = 'prompt is too long: 213462 tokens > 200000 maximum';
    chat.first.answers(messagesErrorAnswer(400, 'invalid_request_error', message));
    assertMessagesError(await post(customer, hello), 400, 'invalid_request_error', new RegExp(`^${message}$`));
    chat.first.answers(messagesErrorAnswer(413, 'request_too_large', 'Request exceeds the maximum size'));
    assertMessagesError(await post(customer, stream), 413, 'request_too_large', /^Request exceeds the maximum size$/);
  });

  test("the operator's own errors are 502, and limited routes are 429", async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesErrorAnswer(401, 'authentication_error', 'invalid x-api-key'));
    assertMessagesError(await post(customer, hello), 502, 'api_error');
    chat.first.answers({
      ...messagesErrorAnswer(429, 'rate_limit_error', 'slow down'),
      headers: { 'retry-after': '3' },
    });
    const limited = await post(customer, hello);
    assertMessagesError(limited, 429, 'rate_limit_error');
    assert.equal(limited.headers.get('retry-after'), '3');
  });

  test('a model without a route for messages says so', async () => {
    const customer = await chat.customer();
    assertMessagesError(
      await post(customer, { ...hello, model: 'chat-one' }),
      400,
      'invalid_request_error',
      /messages endpoint/,
    );
  });
});

describe('refusals', () => {
  test('each has the form and the type of its status', async () => {
    const customer = await chat.customer();
    const poor = await chat.customer('0.001');
    const reader = await chat.customer('100', { level: 'read' });
    const strict = await chat.customer('100', { models: ['claude-two'] });
    const limited = await chat.customer('100', { callLimits: [{ calls: 1, per: 'total' }] });
    chat.first.answers(messagesAnswer('Hi'));
    assert.equal((await post(limited, hello)).status, 200);
    const asked = chat.first.requests.length;
    const withKey = (key: string) => ({ Authorization: `Bearer ${key}` });
    for (const [answer, status, type, message] of [
      [await post(customer, hello, withKey('sk-tg-unknown')), 401, 'authentication_error', /Invalid API key/],
      [await post(reader, hello), 403, 'permission_error', /chat/],
      [await post(strict, hello), 403, 'permission_error', /claude-one/],
      [await post(poor, hello), 402, 'billing_error', /Insufficient balance/],
      [await post(limited, hello), 429, 'rate_limit_error', /limited to 1 call/],
      [await post(customer, { ...hello, model: 'none' }), 404, 'not_found_error', /'none' not found/],
      [await post(customer, { ...hello, model: 'an-image' }), 400, 'invalid_request_error', /kind 'image'/],
      [await post(customer, { ...hello, model: 'claude-maintained' }), 503, 'api_error', /maintenance/],
      [await post(customer, { model: 'claude-one', messages: [] }), 400, 'invalid_request_error', /messages/],
      [
        await post(customer, { ...hello, max_tokens: undefined }),
        400,
        'invalid_request_error',
        /'max_tokens' is required/,
      ],
      [await post(customer, { ...hello, max_tokens: -1 }), 400, 'invalid_request_error', /'max_tokens' must be/],
      [await post(customer, hello, {}, `${messagesPath}/batches`), 404, 'not_found_error', /No route matches/],
    ] as const) {
      assertMessagesError(answer, status, type, message);
    }
    assert.equal(chat.first.requests.length, asked, 'nothing of it reached the upstream');
    const get = await chat.gateway.get(messagesPath, { ...customer.headers, 'anthropic-version': '2023-06-01' });
    assertMessagesError(get, 405, 'invalid_request_error');
  });

  test('what costs money upstream and has no price is refused by its name, unless it is allowed', async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('Hi'));
    const file = { type: 'document', source: { type: 'file', file_id: 'file_1' } };
    const nested = { type: 'tool_result', tool_use_id: 't', content: [{ ...file, type: 'image' }] };
    for (const [more, param, name] of [
      [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type', 'web_search'],
      [{ tools: [{ type: 'code_execution_20250825', name: 'x' }] }, 'tools[0].type', 'code_execution'],
      [{ tools: [{ name: 'mine', input_schema: {} }, { type: 'web_fetch_20250910' }] }, 'tools[1].type', 'web_fetch'],
      [{ service_tier: 'priority' }, 'service_tier', 'service_tier'],
      [{ container: 'container_1' }, 'container', 'container'],
      [{ mcp_servers: [{ type: 'url', url: 'https://example.com' }] }, 'mcp_servers', 'mcp'],
      [{ inference_geo: 'us' }, 'inference_geo', 'inference_geo'],
      [{ speed: 'fast' }, 'speed', 'speed'],
      [{ messages: [{ role: 'user', content: [file] }] }, 'messages[0].content[0].source.file_id', 'file_id'],
      [
        { messages: [{ role: 'user', content: [nested] }] },
        'messages[0].content[0].content[0].source.file_id',
        'file_id',
      ],
    ] as const) {
      const { status, body } = await post(customer, { ...hello, ...more });
      assert.equal(status, 400, name);
      const { message } = (body as { error: { message: string } }).error;
      assert.ok(message.startsWith(`'${param}' `) && message.includes(`allow: [${name}]`), message);
    }
    const tools = ['computer_20251124', 'bash_20250124', 'text_editor_20250728', 'memory_20250818', 'custom'];
    const own = { tools: tools.map((type) => ({ type, name: type })), service_tier: 'standard_only' };
    assert.equal((await post(customer, { ...hello, ...own })).status, 200, 'tools of the caller pass');
    const allowed = { ...hello, model: 'claude-searching', container: 'container_1' };
    assert.equal((await post(customer, allowed)).status, 200);
  });

  test('addresses that are none of the web are refused', async () => {
    const customer = await chat.customer();
    const image = { type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } };
    const answer = await post(customer, { ...hello, messages: [{ role: 'user', content: [image] }] });
    assertMessagesError(answer, 400, 'invalid_request_error', /messages\[0\]\.content\[0\]\.source\.url/);
  });
});

describe('as on chat', () => {
  test('an Idempotency-Key gives the same message and charges once; a stream is given once', async () => {
    const customer = await chat.customer();
    chat.first.answers(messagesAnswer('once'));
    const key = { 'Idempotency-Key': 'a' };
    const first = await post(customer, hello, key);
    chat.first.answers(messagesAnswer('twice'));
    const again = await post(customer, hello, key);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assertMessagesError(await post(customer, { ...hello, max_tokens: 7 }, key), 409, 'invalid_request_error');
    chat.first.answers(messagesStream(['a']));
    await post(customer, stream, { 'Idempotency-Key': 'b' }).catch(() => undefined);
    await customer.settled();
    assertMessagesError(await post(customer, stream, { 'Idempotency-Key': 'b' }), 409, 'invalid_request_error');
    assert.deepEqual(typesOf((await customer.settled()).entries), [
      'hold',
      'capture',
      'release',
      'hold',
      'capture',
      'release',
    ]);
  });

  test('a quote says what a message would hold', async () => {
    const customer = await chat.customer();
    const { status, body } = await post(customer, { path: '/messages', body: hello }, {}, '/v1/quotes');
    assert.equal(status, 200);
    chat.first.answers(messagesAnswer('Hi'));
    await raw(customer, hello);
    const { entries } = await customer.settled();
    assert.ok(Math.abs((body as { hold: number }).hold + Number(entries[0]?.['amount'])) < 0.02);
  });

  test("models are listed in Anthropic's form to its callers, and only those that take messages", async () => {
    const customer = await chat.customer('100', { models: ['claude-one', 'vendor-one', 'chat-one'] });
    const asAnthropic = { 'x-api-key': customer.key, 'anthropic-version': '2023-06-01' };
    const list = await (await chat.gateway.fetch('/v1/models?limit=1000', { headers: asAnthropic, key: null })).json();
    const recordOf = (id: string) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00.000Z' });
    assert.deepEqual(list, {
      data: [recordOf('claude-one'), recordOf('vendor-one')],
      has_more: false,
      first_id: 'claude-one',
      last_id: 'vendor-one',
    });
    const one = await chat.gateway.fetch('/v1/models/claude-one', { headers: asAnthropic, key: null });
    assert.deepEqual(await one.json(), recordOf('claude-one'));
    const none = await chat.gateway.fetch('/v1/models/chat-one', { headers: asAnthropic, key: null });
    assert.deepEqual([none.status, ((await none.json()) as { type: string }).type], [404, 'error']);
    const { body } = await chat.gateway.get('/v1/models', customer.headers);
    assert.deepEqual([body['object'], (body['data'] as unknown[]).length], ['list', 3]);
  });

  test('the whole ledger adds up', () => chat.assertAddsUp());
});
