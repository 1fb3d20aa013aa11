/** Chat calls that may not be made, or may be made once: the upstream sees none too many. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { revokeKey } from '../../src/accounts/api-keys.ts';
import { assertError } from '../support/errors.ts';
import {
  type ChatGateway,
  chatPath,
  customerOf,
  hello,
  readToEnd,
  responsesPath,
  startChatGateway,
  typesOf,
} from '../support/chat-gateway.ts';
import { chatAnswer, chatStream, deltaEvent, errorAnswer } from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const stream = { ...hello, stream: true };
type Limits = Parameters<ChatGateway['customer']>[1];

const refusals: [code: string, body: Record<string, unknown>, balance: string, limits: Limits, param?: string][] = [
  ['insufficient_balance', hello, '0', {}],
  ['insufficient_balance', hello, '4.1', {}],
  ['spend_limit_exceeded', hello, '100', { spendLimit: { amount: 4_000_000n as never, per: 'day' } }],
  ['permission_denied', hello, '100', { level: 'read' }],
  ['model_not_allowed', hello, '100', { models: ['code-one'] }, 'model'],
  ['invalid_api_key', hello, '100', { expiresAt: new Date(Date.now() - 1000) }],
  ['model_not_found', { ...hello, model: 'unknown' }, '100', {}, 'model'],
  ['missing_parameter', { messages: hello.messages }, '100', {}, 'model'],
  ['invalid_parameter', { ...hello, model: 'an-image' }, '100', {}, 'model'],
  ['model_in_maintenance', { ...hello, model: 'chat-maintained' }, '100', {}],
  ['invalid_parameter', { ...hello, max_tokens: 1.5 }, '100', {}, 'max_tokens'],
  ['invalid_parameter', { ...hello, n: 129 }, '100', {}, 'n'],
  ['invalid_parameter', { ...hello, messages: [{ role: 'user', content: 7 }] }, '100', {}, 'messages[0].content'],
];
for (const [index, [code, body, balance, limits, param]] of refusals.entries()) {
  test(`${code} (${index}): the upstream sees no request, and nothing is held`, async () => {
    const customer = await chat.customer(balance, limits);
    const before = chat.first.requests.length;
    for (const one of [body, { ...body, stream: true }]) assertError(await customer.post(one), code, param ?? null);
    assert.equal(chat.first.requests.length, before);
    const { balance: left, entries } = await customer.settled();
    assert.deepEqual([left, entries], [Number(balance), []]);
  });
}

const response = {
  json: { id: 'resp_1', object: 'response', status: 'completed', model: 'upstream-code', output: [] },
};
for (const { path, model, body, answer } of [
  { path: chatPath, model: 'chat', body: { messages: hello.messages }, answer: chatAnswer('Hi') },
  { path: responsesPath, model: 'code', body: { input: 'Hello' }, answer: response },
]) {
  test(`what costs money upstream reaches it over ${path} where the model's settings allow it, and only that`, async () => {
    const customer = await chat.customer();
    const before = chat.first.requests.length;
    const costs = { service_tier: 'priority', tools: [{ type: 'web_search' }] };
    assertError(
      await customer.post({ ...body, model: `${model}-one`, ...costs }, {}, path),
      'invalid_parameter',
      'service_tier',
    );
    const more = { ...costs, tools: [...costs.tools, { type: 'code_interpreter', container: { type: 'auto' } }] };
    const allowing = { ...body, model: `${model}-allowing` };
    assertError(await customer.post({ ...allowing, ...more }, {}, path), 'invalid_parameter', 'tools[1].type');
    assert.equal(chat.first.requests.length, before);
    assert.deepEqual((await customer.settled()).entries, []);
    chat.first.answers(answer);
    const good = await customer.post({ ...allowing, ...costs }, {}, path);
    assert.equal(good.status, 200, JSON.stringify(good.body));
    const sent = chat.first.requests.at(-1)?.json() as typeof costs;
    assert.deepEqual({ service_tier: sent.service_tier, tools: sent.tools }, costs);
    assert.deepEqual(typesOf((await customer.settled()).entries).slice(0, 2), ['hold', 'capture']);
  });
}

test('a call beyond the limit of calls is refused, with the rate in its headers', async () => {
  const customer = await chat.customer('100', { callLimits: [{ calls: 1, per: 'day' }] });
  chat.first.answers(chatAnswer('Hi'));
  const before = chat.first.requests.length;
  const good = await customer.post(hello);
  assert.deepEqual([good.status, good.headers.get('x-ratelimit-remaining')], [200, '0']);
  const refused = await customer.post(hello);
  assertError(refused, 'call_limit_exceeded');
  assert.ok(Number(refused.headers.get('retry-after') ?? refused.headers.get('x-ratelimit-reset')) > 0);
  assert.equal(chat.first.requests.length, before + 1);
});

test('a revoked key is refused at once where it costs money', async () => {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('Hi'));
  assert.equal((await customer.post(hello)).status, 200);
  await revokeKey(chat.gateway.by, customer.keyId);
  const before = chat.first.requests.length;
  assertError(await customer.post(hello), 'invalid_api_key');
  assert.equal(chat.first.requests.length, before);
});

test('a hold that no second call fits beside lets one of two concurrent calls through', async () => {
  const customer = await chat.customer('6');
  chat.first.answers({ ending: 'break-before' }, chatAnswer('Hi'));
  const before = chat.first.requests.length;
  chat.first.answers(chatAnswer('Hi'));
  const answers = await Promise.all(Array.from({ length: 8 }, () => customer.post(hello)));
  const good = answers.filter(({ status }) => status === 200).length;
  for (const answer of answers.filter(({ status }) => status !== 200)) assertError(answer, 'insufficient_balance');
  assert.ok(good >= 1);
  assert.equal(chat.first.requests.length, before + good);
  assert.equal((await customer.settled()).balance, Number((6 - good * 0.012).toFixed(6)));
});

test('fifty concurrent calls under one Idempotency-Key are one call, fifty answers and one charge', async () => {
  const customer = await chat.customer('1000');
  const before = chat.first.requests.length;
  let go = () => {};
  const answered = new Promise<void>((resolve) => (go = resolve));
  const json = JSON.stringify(chatAnswer('Hi').json);
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: [answered, json] });
  const calls = Array.from({ length: 50 }, () => customer.post(hello, { 'Idempotency-Key': 'once' }));
  await chat.first.received(before + 1);
  go();
  const answers = await Promise.all(calls);
  for (const { status, body } of answers) assert.deepEqual([status, body], [200, chatAnswer('Hi').json]);
  assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, 49);
  assert.deepEqual(new Set(answers.map(({ headers }) => headers.get('content-type'))), new Set(['application/json']));
  assert.equal(chat.first.requests.length, before + 1);
  assert.equal((await customer.settled()).balance, 999.988);

  const reordered = { messages: hello.messages, model: hello.model };
  assert.equal((await customer.post(reordered, { 'Idempotency-Key': 'once' })).status, 200);
  assertError(await customer.post({ ...hello, n: 2 }, { 'Idempotency-Key': 'once' }), 'idempotency_key_reused');
  assert.equal(chat.first.requests.length, before + 1);
  const other = await chat.customer();
  chat.first.answers(chatAnswer('Ho'));
  assert.deepEqual((await other.post(hello, { 'Idempotency-Key': 'once' })).body, chatAnswer('Ho').json);
});

test('a call with an Idempotency-Key goes on when its caller disconnects, and a repetition gets its answer', async () => {
  const customer = await chat.customer();
  const before = chat.first.requests.length;
  let go = () => {};
  const answered = new Promise<void>((resolve) => (go = resolve));
  const json = JSON.stringify(chatAnswer('Late').json);
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: [answered, json] });
  const leaving = new AbortController();
  const call = chat.gateway.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { ...customer.headers, 'Content-Type': 'application/json', 'Idempotency-Key': 'kept' },
    body: JSON.stringify(hello),
    signal: leaving.signal,
  });
  await chat.first.received(before + 1);
  leaving.abort();
  await assert.rejects(call);
  const again = customer.post(hello, { 'Idempotency-Key': 'kept' });
  go();
  assert.deepEqual((await again).body, chatAnswer('Late').json);
  assert.equal(chat.first.requests.length, before + 1);
  assert.equal((await customer.settled()).balance, 99.988);
});

test('a stream under an Idempotency-Key is given once, during and after it', async () => {
  const customer = await chat.customer();
  const before = chat.first.requests.length;
  const key = { 'Idempotency-Key': 'streamed' };
  let go = () => {};
  const second = new Promise<void>((resolve) => (go = resolve));
  const [head, ...rest] = chatStream(['Hi']).pieces ?? [];
  chat.first.answers({ pieces: [head ?? '', second, ...rest] });
  const first = customer.post(stream, key);
  await chat.first.received(before + 1);
  assertError(await customer.post(stream, key), 'idempotency_key_used');
  go();
  assert.equal((await first).status, 200);
  await customer.settled();
  assertError(await customer.post(stream, key), 'idempotency_key_used');
  assertError(await customer.post(hello, key), 'idempotency_key_reused');
  assert.equal(chat.first.requests.length, before + 1);
});

const freeing: [what: string, answer: Parameters<ChatGateway['first']['answers']>[0], body: object][] = [
  ['failed', errorAnswer(500, 'Oh'), hello],
  ["was the caller's fault", errorAnswer(400, 'No'), hello],
  ['broke off mid-stream', { pieces: [deltaEvent('a')], ending: 'break' }, stream],
];
for (const [what, answer, body] of freeing) {
  test(`a call that ${what} frees its Idempotency-Key`, async () => {
    const customer = await chat.customer();
    const key = { 'Idempotency-Key': 'again' };
    chat.first.answers(answer);
    await readToEnd(
      await chat.gateway.fetch(chatPath, {
        method: 'POST',
        headers: { ...customer.headers, ...key, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    await customer.settled();
    chat.first.answers(body === stream ? chatStream(['Hi']) : chatAnswer('Hi'));
    const again = await customer.post(body, key);
    assert.equal(again.status, 200);
    assert.match(JSON.stringify(again.body), /Hi/);
  });
}

test('callers that wait for a call with an Idempotency-Key get its error when it fails', async () => {
  const customer = await chat.customer();
  const before = chat.first.requests.length;
  let go = () => {};
  const failing = new Promise<void>((resolve) => (go = resolve));
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: [failing], ending: 'break' });
  const key = { 'Idempotency-Key': 'failing' };
  const first = customer.post(hello, key);
  await chat.first.received(before + 1);
  const second = customer.post(hello, key);
  setImmediate(go);
  for (const answer of await Promise.all([first, second])) assertError(answer, 'upstream_error');
});

test('an empty Idempotency-Key is refused', async () => {
  const customer = await chat.customer();
  assertError(await customer.post(hello, { 'Idempotency-Key': '' }), 'invalid_parameter', 'Idempotency-Key');
});

test('another key of the same account meets the same Idempotency-Key', async () => {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('Hi'));
  const account = customer.account;
  const other = customerOf(chat.gateway, await chat.gateway.newKeyOf(account, { level: 'chat' }));
  const before = chat.first.requests.length;
  for (const one of [customer, other])
    assert.equal((await one.post(hello, { 'Idempotency-Key': 'shared' })).status, 200);
  assert.equal(chat.first.requests.length, before + 1);
});

test('the ledger adds up', () => chat.assertAddsUp());
