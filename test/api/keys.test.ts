/** The keys of an account, as its admin keys see and set them over the API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Money } from '../../src/domain/money.ts';
import { findKeyBySecret, revokeKey } from '../../src/accounts/api-keys.ts';
import { assertError } from '../support/errors.ts';
import { type Answer, answerOf, bearer, sharedTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { allRows } from '../support/tables.ts';

const path = '/v1/account/keys';
const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

const send = async (method: string, address: string, key = gateway.key, body?: unknown): Promise<Answer> =>
  answerOf(
    await gateway.fetch(address, {
      method,
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
const make = (body: object, key = gateway.key, at = path) => send('POST', at, key, body);
const call = (key: string, body: object = image) => gateway.post('/ai/v1/images/generations', body, bearer(key));
/** An account of its own with an admin key. */
const owner = () => gateway.newKey({ balance: '100', level: 'admin' });

test('a key that was made is shown once, works at once, and is stored as its hash only', async () => {
  const { key, keyId: maker, account } = await owner();
  const made = await make({ name: 'first' }, key);
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('cache-control'), 'no-store');
  const { key: secret, ...object } = made.body as { key: string; id: string };
  assert.match(secret, /^sk-tg-[\w-]{43}$/);
  assert.deepEqual(object, {
    id: object.id,
    object: 'api_key',
    name: 'first',
    level: 'standard',
    models: null,
    call_limits: [],
    spend_limit: null,
    max_running_tasks: null,
    queue: false,
    expires_at: null,
    allowed_ips: null,
    created: (object as { created?: unknown }).created,
    created_by: `key:${maker}`,
    last_used: null,
    start: secret.slice(0, 10),
    last4: secret.slice(-4),
    revoked: false,
  });
  assert.match(object.id, /^key_[0-9a-f]{32}$/);
  assert.equal(
    (await findKeyBySecret(gateway.core.database, gateway.core.secrets.ledgerKeys, secret))?.accountId,
    account,
  );
  assert.equal((await call(secret)).status, 202);
  const shown = await send('GET', `${path}/${object.id}`, key);
  assert.equal(shown.status, 200);
  assert.ok(!JSON.stringify(shown.body).includes(secret));
  assert.ok(!(await allRows(gateway.core.database)).includes(secret));
});

test('a key has the limits that were asked for, on both roots, and obeys them', async () => {
  const { key } = await owner();
  const limits = {
    models: ['sim-image', 'sim-later'],
    call_limits: [
      { calls: 2, per: 'total' },
      { calls: 100, per: 'day' },
    ],
    spend_limit: { amount: 10.5, per: 'month' },
    max_running_tasks: 5,
    queue: false,
    expires_at: '2099-01-31T08:00:00.000Z',
  };
  const made = await make({ name: 'limited', level: 'standard', ...limits }, key, '/ai/v1/account/keys');
  assert.equal(made.status, 201);
  const { id, key: secret } = made.body as { id: string; key: string };
  const { body: shown } = await send('GET', `${path}/${id}`, key);
  assert.deepEqual(Object.fromEntries(Object.keys(limits).map((name) => [name, shown[name]])), limits);
  assertError(await call(secret, { ...image, model: 'sim-video-fast' }), 'model_not_allowed', 'model');
  assert.deepEqual([(await call(secret)).status, (await call(secret)).status], [202, 202]);
  assertError(await call(secret), 'call_limit_exceeded');
  // Raised by one and lowered again, the very next call counts with it.
  await send('PATCH', `${path}/${id}`, key, { call_limits: [{ calls: 3, per: 'total' }] });
  assert.equal((await call(secret)).status, 202);
  assertError(await call(secret), 'call_limit_exceeded');
  await send('PATCH', `${path}/${id}`, key, { call_limits: null, max_running_tasks: 3 });
  assertError(await call(secret), 'concurrency_limit_exceeded');
  await send('PATCH', `${path}/${id}`, key, { queue: true });
  assert.equal((await call(secret)).status, 202);
  await send('PATCH', `${path}/${id}`, key, {
    max_running_tasks: null,
    queue: null,
    spend_limit: { amount: 0.9, per: 'total' },
  });
  assertError(await call(secret), 'spend_limit_exceeded');
  await send('PATCH', `${path}/${id}`, key, { spend_limit: null, models: ['sim-later'] });
  assertError(await call(secret), 'model_not_allowed', 'model');
  await send('PATCH', `${path}/${id}`, key, { models: null });
  // What is remembered of the key may refuse for three seconds more.
  await until('the call', async () => ((await call(secret)).status === 202 ? true : undefined));
});

test('an admin key with limits lifts none of them, neither its own nor by way of another key', async () => {
  const limits = {
    models: ['sim-image', 'sim-chat'],
    callLimits: [{ calls: 10, per: 'day' as const }],
    spendLimit: { amount: 5_000_000n as Money, per: 'month' as const },
    maxRunningTasks: 3,
    expiresAt: new Date('2098-01-01T00:00:00Z'),
  };
  const { key, keyId, account } = await gateway.newKey({ balance: '100', level: 'admin', ...limits });
  const within = {
    models: ['sim-chat'],
    call_limits: [
      { calls: 10, per: 'day' },
      { calls: 2, per: 'minute' },
    ],
    spend_limit: { amount: 5, per: 'month' },
    max_running_tasks: 2,
    expires_at: '2097-01-01T00:00:00Z',
  };
  const beyond = {
    models: [null, ['sim-chat', 'sim-video-fast']],
    call_limits: [null, [], [{ calls: 11, per: 'day' }], [{ calls: 10, per: 'hour' }]],
    spend_limit: [null, { amount: 5.000001, per: 'month' }, { amount: 1, per: 'day' }],
    max_running_tasks: [null, 4],
    queue: [true],
    expires_at: [null, '2098-01-01T00:00:01Z'],
  };
  const other = await gateway.newKeyOf(account);
  for (const [field, values] of Object.entries(beyond)) {
    for (const value of values) {
      for (const id of [keyId, other.keyId])
        assertError(await send('PATCH', `${path}/${id}`, key, { [field]: value }), 'permission_denied', field);
      assertError(await make({ name: 'more', ...within, [field]: value }, key), 'permission_denied', field);
    }
  }
  assertError(await make({ name: 'without limits' }, key), 'permission_denied', 'models');
  assert.equal((await make({ name: 'within', ...within }, key)).status, 201);
  assert.equal((await send('PATCH', `${path}/${keyId}`, key, { name: 'tighter', ...within })).status, 200);
});

test('a change sets what it names and leaves the rest', async () => {
  const { key } = await owner();
  const { body } = await make({ name: 'a', level: 'chat', max_running_tasks: 3, queue: true, models: ['m'] }, key);
  const before = withoutKey(body);
  const at = `/ai/v1/account/keys/${String(body['id'])}`;
  const changed = await send('PATCH', at, key, { name: 'b', models: null, expires_at: '2099-01-01T00:00:00+08:00' });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, { ...before, name: 'b', models: null, expires_at: '2098-12-31T16:00:00.000Z' });
  const same = await send('PATCH', at, key, {});
  assert.deepEqual([same.status, same.body], [200, changed.body]);
});

test('a revoked key stays in the list, is refused, and can be revoked again but not changed', async () => {
  const { key } = await owner();
  const { body } = await make({ name: 'a' }, key);
  const at = `${path}/${String(body['id'])}`;
  assert.equal((await gateway.get('/v1/models', bearer(String(body['key'])))).status, 200);
  const before = withoutKey(body);
  const revoked = await send('DELETE', at, key);
  assert.deepEqual([revoked.status, { ...revoked.body, last_used: null }], [200, { ...before, revoked: true }]);
  assert.deepEqual((await send('DELETE', at, key)).body['revoked'], true);
  assertError(await call(String(body['key'])), 'invalid_api_key');
  assertError(await send('PATCH', at, key, { expires_at: null }), 'invalid_parameter');
  const list = (await send('GET', path, key)).body['data'] as { id: unknown }[];
  assert.ok(list.some(({ id }) => id === body['id']));
});

test('an admin key may revoke itself, and may set nothing from then on, whatever is remembered of it', async () => {
  const { key, keyId } = await owner();
  assert.equal((await send('DELETE', `${path}/${keyId}`, key)).body['revoked'], true);
  assertError(await make({ name: 'after' }, key), 'invalid_api_key');
});

test('a key that was revoked elsewhere makes no other key while it is still remembered here', async () => {
  const { key, keyId } = await owner();
  assert.equal((await send('GET', path, key)).status, 200);
  await revokeKey(gateway.by, keyId);
  assertError(await make({ name: 'after' }, key), 'invalid_api_key');
});

test('the list is newest first and stays right while keys are made', async () => {
  const { key, keyId } = await owner();
  const ids = [keyId];
  for (let made = 0; made < 5; made++) ids.unshift(String((await make({ name: `${made}` }, key)).body['id']));
  const first = (await send('GET', `${path}?limit=2`, key)).body;
  assert.deepEqual([first['object'], first['has_more']], ['list', true]);
  const seen = [...(first['data'] as { id: string }[])];
  const added = String((await make({ name: 'added' }, key)).body['id']);
  let cursor: unknown = first['next_cursor'];
  while (typeof cursor === 'string') {
    const page = (await send('GET', `${path}?limit=2&cursor=${cursor}`, key)).body;
    seen.push(...(page['data'] as { id: string }[]));
    cursor = page['next_cursor'];
    assert.equal(page['has_more'], cursor !== null);
  }
  assert.deepEqual(
    seen.map(({ id }) => id),
    ids,
  );
  const all = (await send('GET', `/ai${path}`, key)).body;
  assert.deepEqual(
    (all['data'] as { id: string }[]).map(({ id }) => id),
    [added, ...ids],
  );
  assert.deepEqual([all['has_more'], all['next_cursor']], [false, null]);
});

for (const [query, param] of [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['cursor=x', 'cursor'],
  ['cursor=key_%00', 'cursor'],
  ['limits=5', 'limits'],
] as const) {
  test(`a page with ${query} is refused`, async () => {
    assertError(await send('GET', `${path}?${query}`), 'invalid_parameter', param);
  });
}

test('what breaks a rule is refused with its place, and makes no key', async () => {
  const { key } = await owner();
  const limit = [{ calls: 1, per: 'week' }];
  assertError(await make({ level: 'chat' }, key), 'missing_parameter', 'name');
  assertError(await make({ name: 'a', call_limits: limit }, key), 'invalid_parameter', 'call_limits[0].per');
  assertError(await make({ name: 'a', call_limit: [] }, key), 'invalid_parameter', 'call_limit');
  assertError(await make({ name: 'a', expires_at: '2020-01-01T00:00:00Z' }, key), 'invalid_parameter', 'expires_at');
  assertError(await answerOf(await gateway.fetch(path, { method: 'POST', body: 'x', key })), 'unsupported_media_type');
  assertError(await gateway.post(path, '{', bearer(key)), 'invalid_json');
  const list = (await send('GET', path, key)).body['data'] as unknown[];
  assert.equal(list.length, 1);
  const wrong = await make({ name: 'a', call_limit: [] }, key);
  assert.match(String(wrong.body['error'].message), /call_limits/, 'the message says what is known');
});

test('a key of another account is refused like one that never was', async () => {
  const { key } = await owner();
  const foreign = (await owner()).keyId;
  for (const id of [foreign, foreign.replace(/.$/, '_'), 'key_0', '%00', 'KEY', `key_${'0'.repeat(32)}`]) {
    assertError(await send('GET', `${path}/${id}`, key), 'route_not_found');
    assertError(await send('PATCH', `${path}/${id}`, key, { name: 'mine' }), 'route_not_found');
    assertError(await send('DELETE', `${path}/${id}`, key), 'route_not_found');
  }
  const { revoked } = (await findKey(foreign)) ?? assert.fail('it is gone');
  assert.equal(revoked, false);
});

for (const level of ['read', 'chat', 'standard'] as const) {
  test(`a key of level ${level} administers nothing`, async () => {
    const { key, keyId } = await gateway.newKey({ level });
    assertError(await make({ name: 'a', level: 'read' }, key), 'permission_denied');
    for (const [method, address] of [
      ['GET', path],
      ['GET', `${path}/${keyId}`],
      ['PATCH', `${path}/${keyId}`],
      ['DELETE', `${path}/${keyId}`],
      ['PATCH', '/v1/account'],
      ['GET', '/v1/account/webhook-secret'],
      ['POST', '/ai/v1/account/webhook-secret/rotate'],
    ] as const) {
      assertError(await send(method, address, key), 'permission_denied');
    }
  });
}

for (const [address, method, allow] of [
  [path, 'PUT', ['GET', 'HEAD', 'POST']],
  [`${path}/key_0`, 'POST', ['DELETE', 'GET', 'HEAD', 'PATCH']],
  ['/v1/account/webhook-secret', 'POST', ['GET', 'HEAD']],
  ['/ai/v1/account/webhook-secret/rotate', 'GET', ['POST']],
] as const) {
  test(`${method} ${address} is answered with the methods that are allowed`, async () => {
    const answer = await send(method, address);
    assertError(answer, 'method_not_allowed');
    assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), [...allow]);
  });
}

test('making, changing and revoking are in the audit log under the admin key, each once', async () => {
  const { key, keyId, account } = await owner();
  const { body } = await make({ name: 'a' }, key);
  const id = String(body['id']);
  await send('PATCH', `${path}/${id}`, key, { name: 'b' });
  await send('PATCH', `${path}/${id}`, key, {});
  await send('DELETE', `${path}/${id}`, key);
  await send('DELETE', `${path}/${id}`, key);
  const { rows } = await gateway.core.database.pool.query(
    `select actor, action, account_id, facts->>'name' as name from acts where subject = $1 order by seq`,
    [id],
  );
  const by = { actor: `key:${keyId}`, account_id: account };
  assert.deepEqual(rows, [
    { ...by, action: 'key.created', name: 'a' },
    { ...by, action: 'key.changed', name: 'b' },
    { ...by, action: 'key.revoked', name: 'b' },
  ]);
});

test('an account has at most a thousand keys that are not revoked, however many are asked for at once', async () => {
  const { key, account } = await owner();
  const rest = `insert into api_keys (id, account_id, name, level, hash, seal, start, last4)
    select 'key_' || lpad(to_hex(n), 32, '0'), $1, 'many', 'read', sha256(('many ' || n)::bytea), '', 'sk-tg-', 'many'
    from generate_series(1, 996) as n`;
  await gateway.core.database.pool.query(rest, [account]);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => make({ name: `${at}` }, key)));
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 3);
  for (const answer of answers) if (answer.status !== 201) assertError(answer, 'invalid_parameter');
  await send('DELETE', `${path}/${String(made[0]?.body['id'])}`, key);
  assert.equal((await make({ name: 'room again' }, key)).status, 201);
});

/** What a key shows after the first time. */
function withoutKey(made: Answer['body']): Answer['body'] {
  const shown = { ...made };
  delete shown['key'];
  return shown;
}

async function findKey(id: string): Promise<{ revoked: boolean } | undefined> {
  const { rows } = await gateway.core.database.pool.query<{ revoked: boolean }>(
    'select revoked_at is not null as revoked from api_keys where id = $1',
    [id],
  );
  return rows[0];
}
