/** `GET /requests`: what is kept of each call, of refused ones too, and how the list is cut down. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { assertError } from '../support/errors.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  const simulator = '  simulator: { kind: simulator }';
  const providers = `${simulator}\n  unreachable: { kind: openai, base_url: "http://127.0.0.1:9/v1", api_key: sk-none }`;
  const configuration = `${builtInConfiguration.replace(simulator, providers)}${failing}`;
  gateway = await startTestGateway({ configuration });
});
after(() => gateway.stop());

/** A model whose first route refuses all connections. */
const failing = `
  - id: two-routes
    kind: chat
    owned_by: test
    routes: [{ provider: unreachable, model: none }, { provider: simulator, model: sim-chat }]
    price: { input_per_million: 1, output_per_million: 2 }
`;

interface Shown extends Record<string, unknown> {
  id: string;
  status: number;
  model: string | null;
}

async function requestsOf(key: string, query = '', root = '/v1'): Promise<Shown[]> {
  const { status, body } = await gateway.get(`${root}/requests${query}`, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'] as Shown[];
}

const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
const chat = (key: string, more: object = {}, headers: Record<string, string> = {}) =>
  gateway.post('/v1/chat/completions', { ...hello, ...more }, { ...bearer(key), ...headers });

test('a call is there once it was answered, with its tokens and cost, on both roots', async () => {
  const { key, keyId } = await gateway.newKey({ balance: '10', level: 'chat' });
  const answer = await chat(
    key,
    { user: 'user-7' },
    { 'User-Agent': 'OpenAI/JS 6.1 (x64)', 'X-Tollgate-Tag': 'team:search' },
  );
  const [request, ...others] = await requestsOf(key);
  assert.deepEqual(others, []);
  assert.ok(request);
  const { created, latency_ms: latencyMs, cost, ...rest } = request;
  assert.ok(Math.abs(Number(created) - Date.now() / 1000) < 600);
  assert.ok(Number(latencyMs) >= 0);
  const { usage } = answer.body as { usage: { prompt_tokens: number; completion_tokens: number } };
  assert.deepEqual(rest, {
    ...{ id: answer.headers.get('x-request-id'), object: 'request', method: 'POST', path: '/v1/chat/completions' },
    ...{ model: 'sim-chat', key_id: keyId, status: 200, code: null, first_token_ms: null, stream: false },
    ...{ input_tokens: usage.prompt_tokens, cached_input_tokens: 0, output_tokens: usage.completion_tokens },
    ...{ task_id: null, user: 'user-7', tag: 'team:search' },
  });
  const { body } = await gateway.get(`/v1/account/ledger?request_id=${request.id}&type=capture`, bearer(key));
  assert.equal(cost, (body['data'] as { charged: number }[])[0]?.charged);
  assert.deepEqual(await requestsOf(key, '', '/ai/v1'), [request]);
});

test('a stream has the time of its first piece; one that its caller left says so', async () => {
  const { key } = await gateway.newKey({ balance: '10', level: 'chat' });
  const streamed = await gateway.fetch('/v1/chat/completions', {
    ...{ key, method: 'POST', body: JSON.stringify({ ...hello, stream: true }) },
    headers: { 'Content-Type': 'application/json' },
  });
  await streamed.text();
  const [request] = await requestsOf(key);
  assert.equal(request?.['stream'], true);
  assert.ok(Number(request['first_token_ms']) <= Number(request['latency_ms']));
  assert.ok(Number(request['output_tokens']) > 0);

  const leaving = new AbortController();
  const left = await gateway.fetch('/v1/chat/completions', {
    ...{ key, method: 'POST', signal: leaving.signal, headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ ...hello, stream: true, messages: [{ role: 'user', content: 'word '.repeat(2000) }] }),
  });
  await left.body?.getReader().read();
  leaving.abort();
  for (;;) {
    const [newest] = await requestsOf(key, '?code=client_disconnected');
    if (!newest) continue;
    assert.equal(newest.status, 200);
    assert.ok(Number(newest['cost']) > 0);
    return;
  }
});

test('refused calls are there: an unknown model, a bad body, no money, a limit, a revoked key', async () => {
  const { key } = await gateway.newKey({ balance: '10', level: 'admin' });
  await chat(key, { model: 'no-such-model' });
  await chat(key, { messages: 'no list' });
  const made = await gateway.post(
    '/v1/account/keys',
    { name: 'limited', level: 'chat', call_limits: [{ calls: 1, per: 'day' }] },
    bearer(key),
  );
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, key: limited } = made.body as { id: string; key: string };
  await chat(limited);
  await chat(limited);
  const revoked = await gateway.fetch(`/v1/account/keys/${id}`, { key, method: 'DELETE' });
  assert.ok(revoked.ok);
  assert.equal((await chat(limited)).status, 401);
  const facts = (await requestsOf(key)).map(({ status, code, model, method }) => [
    ...[method, status, code],
    status === 401 ? undefined : model, // by then its body may have been read
  ]);
  assert.deepEqual(facts, [
    ['POST', 401, 'invalid_api_key', undefined],
    ['DELETE', revoked.status, null, null],
    ['POST', 429, 'call_limit_exceeded', 'sim-chat'],
    ['POST', 200, null, 'sim-chat'],
    ['POST', 201, null, null],
    ['POST', 400, 'invalid_parameter', 'sim-chat'],
    ['POST', 404, 'model_not_found', 'no-such-model'],
  ]);

  const poor = await gateway.newKey({ balance: '0', level: 'chat' });
  await chat(poor.key);
  const [unpaid] = await requestsOf(poor.key);
  assert.deepEqual([unpaid?.status, unpaid?.['code'], unpaid?.['cost']], [402, 'insufficient_balance', null]);
});

test("a task's request has its id, and its cost once it has ended; polling it is left out", async () => {
  const { key } = await gateway.newKey({ balance: '10', level: 'admin' });
  const answer = await gateway.post('/v1/images/generations', { model: 'sim-image', prompt: 'A gate' }, bearer(key));
  const id = String(answer.body['id']);
  await gateway.finished(`/v1/images/${id}`, key);
  const [request, ...others] = await requestsOf(key);
  assert.deepEqual(others, []);
  assert.equal(request?.['task_id'], id);
  assert.ok(Number(request['cost']) > 0);
});

test('the list is cut down by end user and tag; a tag that is none is refused by name', async () => {
  const { key } = await gateway.newKey({ balance: '10', level: 'chat' });
  await chat(key, { user: 'ann' }, { 'X-Tollgate-Tag': 'search' });
  await chat(key, { user: 'bob' });
  const shown = async (query: string) => (await requestsOf(key, `?${query}`)).map(({ user, tag }) => ({ user, tag }));
  assert.deepEqual(await shown('user=ann'), [{ user: 'ann', tag: 'search' }]);
  assert.deepEqual(await shown('tag=search'), [{ user: 'ann', tag: 'search' }]);
  assert.deepEqual(await shown('user=bob&tag=search'), []);
  for (const tag of ['', 'two words', 'a,b', 'x'.repeat(65)])
    assertError(await chat(key, {}, { 'X-Tollgate-Tag': tag }), 'invalid_parameter', 'X-Tollgate-Tag');
  const [refused] = await requestsOf(key, '?status=400');
  assert.deepEqual([refused?.['code'], refused?.['tag']], ['invalid_parameter', null]);
  for (const [query, param] of [
    ['user=', 'user'],
    ['tag=a,b', 'tag'],
    ['status=6xx', 'status'],
  ])
    assertError(await gateway.get(`/v1/requests?${query}`, bearer(key)), 'invalid_parameter', param);
});

test('the list is cut down by time, model, key, status, code and id, and read in pages', async () => {
  const { key, keyId } = await gateway.newKey({ balance: '10', level: 'chat' });
  const first = await chat(key);
  await chat(key, { model: 'nothing' });
  await chat(key, { model: 'sim-code' }, { 'X-Request-Id': 'my.own-id' });
  const count = async (query: string) => (await requestsOf(key, `?${query}`)).length;
  assert.equal(await count(`key_id=${keyId}`), 3);
  assert.equal(await count('key_id=key_of_others'), 0);
  assert.equal(await count('model=sim-code'), 1);
  assert.equal(await count('status=2xx'), 2);
  assert.equal(await count('status=404'), 1);
  assert.equal(await count('status=error'), 1);
  assert.equal(await count('status=4xx&code=model_not_found'), 1);
  assert.equal(await count('request_id=my.own-id'), 1);
  assert.equal(await count(`request_id=${first.headers.get('x-request-id') ?? ''}`), 1);
  assert.equal(await count('from=2020-01-01&to=2021-01-01'), 0);
  assert.equal(await count('from=2020-01-01'), 3);

  const page = await gateway.get('/v1/requests?limit=2', bearer(key));
  assert.equal(page.body['has_more'], true);
  const next = await gateway.get(`/v1/requests?limit=2&cursor=${String(page.body['next_cursor'])}`, bearer(key));
  const ids = [...(page.body['data'] as Shown[]), ...(next.body['data'] as Shown[])].map(({ model }) => model);
  assert.deepEqual(ids, ['sim-code', 'nothing', 'sim-chat']);
  assert.equal(next.body['has_more'], false);

  const csv = await gateway.fetch('/v1/requests', { key, headers: { Accept: 'text/csv' } });
  const lines = (await csv.text()).trim().split('\r\n');
  assert.equal(lines.length, 4);
  assert.match(lines[0] ?? '', /^id,object,created,method,path,model,key_id,status,code,/);
});

test('what is no filter is refused', async () => {
  const { key } = await gateway.newKey({ balance: '10', level: 'chat' });
  for (const [query, param] of [
    ['status=ok', 'status'],
    ['code=a%20b', 'code'],
    ['from=yesterday', 'from'],
    ['cursor=1', 'cursor'],
    ['limit=0', 'limit'],
    ['provider=simulator', 'provider'],
  ] as const) {
    assertError(await gateway.get(`/v1/requests?${query}`, bearer(key)), 'invalid_parameter', param);
  }
});

test('of a call that fell over to its second route both attempts are kept, for operators', async () => {
  const { key } = await gateway.newKey({ balance: '10', level: 'chat' });
  assert.equal((await chat(key, { model: 'two-routes' })).status, 200);
  const [request] = await requestsOf(key);
  assert.ok(request && !('provider' in request) && !('attempts' in request));
  const { rows } = await gateway.core.database.pool.query<{
    provider: string;
    attempts: { provider: string; fault?: string }[];
  }>('select provider, attempts from requests where request_id = $1', [request.id]);
  assert.equal(rows[0]?.provider, 'simulator');
  assert.deepEqual(
    rows[0].attempts.map(({ provider, fault }) => [provider, fault === undefined]),
    [
      ['unreachable', false],
      ['simulator', true],
    ],
  );
});
