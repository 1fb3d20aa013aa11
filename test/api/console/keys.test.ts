/** The keys of an account in the console: what each did, and making, changing and revoking them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Actor, listActs } from '../../../src/ledger/audit-log.ts';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { createApiKey, noLimits } from '../../../src/accounts/api-keys.ts';
import { playgroundKeyOf } from '../../../src/accounts/playground-keys.ts';
import { assertError } from '../../support/errors.ts';
import { bearer, sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleAnswer, type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let owner: ConsoleClient;
let keys: string;
before(async () => {
  gateway = await sharedTestGateway();
  owner = await signedIn(gateway);
  keys = `/accounts/${gateway.account}/keys`;
});
after(() => gateway.stop());

type Key = Record<string, unknown> & { id: string; key: string };
const make = async (body: object): Promise<Key> => made(await owner.call('POST', keys, body));
function made({ status, body }: ConsoleAnswer): Key {
  assert.equal(status, 200, JSON.stringify(body));
  return body as Key;
}
const recordsOf = ({ body }: ConsoleAnswer) => body['data'] as Key[];
const found = async (id: string): Promise<Key> => {
  const key = recordsOf(await owner.get(`${keys}?limit=100`)).find((record) => record.id === id);
  assert.ok(key, `${id} is in the list`);
  return key;
};
const chat = (key: string) =>
  gateway.post('/v1/chat/completions', { model: 'sim-chat', messages: [{ role: 'user', content: 'Hi' }] }, bearer(key));
const refused = ({ status, body }: ConsoleAnswer): unknown[] => {
  const { code, param } = body['error'] as { code: string; param: string | null };
  return [status, code, param];
};

test('a key is made with all its limits, shown once, works, and is logged under the person', async () => {
  const limits = {
    models: ['sim-chat'],
    call_limits: [{ calls: 5, per: 'day' }],
    spend_limit: { amount: 2.5, per: 'month' },
    max_running_tasks: 3,
    queue: true,
    expires_at: '2099-01-31T08:00:00.000Z',
    allowed_ips: ['127.0.0.0/8', '::1'],
  };
  const { key, example, ...record } = await make({ name: 'all of them', level: 'chat', ...limits });
  assert.match(key, /^sk-tg-/);
  assert.deepEqual(example, { root: '/v1', model: 'sim-chat' });
  const nothing = { minute: 0, hour: 0, day: 0, month: 0, total: 0 };
  assert.deepEqual(record, {
    id: record.id,
    object: 'api_key',
    name: 'all of them',
    level: 'chat',
    ...limits,
    created: record['created'],
    last_used: null,
    start: key.slice(0, 10),
    last4: key.slice(-4),
    revoked: false,
    state: 'active',
    is_playground: false,
    created_by: { kind: 'person', name: owner.person.email, id: owner.person.id },
    calls: nothing,
    spent: nothing,
    resets: record['resets'],
    running_tasks: 0,
    queued_tasks: 0,
  });
  const listed = await owner.get(keys);
  assert.deepEqual(recordsOf(listed)[0], record);
  assert.ok(!JSON.stringify(listed.body).includes(key));
  assert.deepEqual((await owner.get(`${keys}/${record.id}`)).body, record);
  assert.equal((await chat(key)).status, 200);
  const [act] = await listActs(gateway.core.database, { subject: record.id, limit: 1 });
  assert.deepEqual([act?.action, act?.actor], ['key.created', `person:${owner.person.id}`]);
});

test('a key says by whom it was made, without what is not the account’s matter', async () => {
  const { database } = gateway.core;
  const admin = await gateway.newKeyOf(gateway.account, { name: 'maker', level: 'admin' });
  const body = { name: 'by the API' };
  const byKey = await gateway.post('/v1/account/keys', body, bearer(admin.key));
  const operator = await signedIn(gateway, { memberships: [], isOperator: true });
  const madeBy = async (actor: Actor) => {
    const wanted = { ...noLimits, name: 'x', level: 'read' } as const;
    const { key } = await createApiKey({ ...gateway.by, actor }, gateway.account, wanted);
    return (await owner.get(`${keys}/${key.id}`)).body['created_by'];
  };
  const shown = await owner.get(`${keys}/${byKey.body['id']}`);
  assert.deepEqual(shown.body['created_by'], { kind: 'key', name: 'maker', id: admin.keyId });
  assert.deepEqual(await madeBy('cli:root'), { kind: 'cli', name: null, id: null });
  assert.deepEqual(await madeBy('tollgate'), { kind: 'tollgate', name: null, id: null });
  assert.deepEqual(await madeBy(`person:${operator.person.id}`), { kind: 'operator', name: null, id: null });
  await database.pool.query('update api_keys set created_by = null where id = $1', [admin.keyId]);
  const old = await owner.get(`${keys}/${admin.keyId}`);
  assert.deepEqual(old.body['created_by'], { kind: 'unknown', name: null, id: null });
  const stranger = await gateway.newKey({ balance: '1' });
  assert.equal((await owner.get(`${keys}/${stranger.keyId}`)).status, 404);
});

test('the usage of one key is that of no other', async () => {
  const [one, other] = [await gateway.newKey({ name: 'one' }), await gateway.newKey({ name: 'other' })];
  for (const { key } of [one, one, other]) assert.equal((await chat(key)).status, 200);
  for (const [metric, figure] of [
    ['calls', 'calls'],
    ['errors', 'requests'],
  ] as const) {
    const path = `/accounts/${gateway.account}/usage-table?group=day&by=model&metric=${metric}&key_id=${one.keyId}`;
    const { total } = (await owner.get(path)).body as { total: { sums: Record<string, number> } };
    assert.equal(total.sums[figure], 2, metric);
  }
});

test('the example of a key names no model that it may not chat with', async () => {
  assert.deepEqual((await make({ name: 'x', level: 'read' }))['example'], { root: '/v1', model: null });
  assert.deepEqual((await make({ name: 'x', models: ['sim-image'] }))['example'], { root: '/v1', model: null });
});

test('the key of the playground is marked', async () => {
  const { id } = await playgroundKeyOf({ ...gateway.by, ledgerKeys: [gateway.by.ledgerKey] }, gateway.account);
  assert.equal((await found(id))['is_playground'], true);
  const others = recordsOf(await owner.get(`${keys}?limit=100`)).filter((key) => key.id !== id);
  assert.ok(others.length > 0 && others.every((key) => key['is_playground'] === false));
});

test('the list shows at once what a key did: calls, money and when', async () => {
  const { id, key } = await make({ name: 'busy' });
  await chat(key);
  await chat(key);
  const { calls, spent, last_used: lastUsed } = await found(id);
  // A minute, or a day, may have begun meanwhile.
  const { minute, hour, day, month, total: counted } = calls as Record<string, number>;
  assert.equal(counted, 2);
  for (const count of [minute, hour, day, month]) assert.ok([0, 1, 2].includes(count ?? -1));
  const { total } = spent as { total: number };
  const { data } = (await gateway.get('/v1/account/ledger?limit=100')).body as {
    data: { key_id: string; charged: number }[];
  };
  const charged = data.filter((entry) => entry.key_id === id).reduce((sum, entry) => sum + entry.charged * 1e6, 0);
  assert.ok(total > 0);
  assert.equal(Math.round(total * 1e6), Math.round(charged));
  assert.ok(Math.abs(Number(lastUsed) - Date.now() / 1000) < 300);
});

test('a change sets what it names, null lifts a limit, and a key that is revoked stays as it is', async () => {
  const { id, key } = await make({ name: 'before', max_running_tasks: 2, models: ['sim-chat'] });
  const changed = await owner.call('PATCH', `${keys}/${id}`, { name: 'after', models: null });
  assert.deepEqual(
    [changed.status, changed.body['name'], changed.body['models'], changed.body['max_running_tasks']],
    [200, 'after', null, 2],
  );
  const revoked = await owner.call('DELETE', `${keys}/${id}`);
  assert.deepEqual([revoked.status, revoked.body['state']], [200, 'revoked']);
  assertError(await chat(key), 'invalid_api_key');
  assert.deepEqual(refused(await owner.call('PATCH', `${keys}/${id}`, { name: 'x' })), [
    400,
    'invalid_parameter',
    null,
  ]);
  assert.equal((await owner.call('DELETE', `${keys}/${id}`)).body['state'], 'revoked');
});

test('pages follow each other, and `active` leaves out what can no longer be used', async () => {
  const { id: account } = await createAccount(gateway.by, 'pages');
  const client = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
  const at = `/accounts/${account}/keys`;
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) ids.unshift(made(await client.call('POST', at, { name })).id);
  const { keyId: expired } = await gateway.newKeyOf(account, { expiresAt: new Date(Date.now() - 1_000) });
  await client.call('DELETE', `${at}/${String(ids[1])}`);
  const first = await client.get(`${at}?limit=3`);
  assert.deepEqual([recordsOf(first).map(({ id }) => id), first.body['has_more']], [[expired, ids[0], ids[1]], true]);
  const second = await client.get(`${at}?limit=3&cursor=${String(first.body['next_cursor'])}`);
  assert.deepEqual(
    recordsOf(second).map(({ id }) => id),
    [ids[2], ids[3]],
  );
  const active = recordsOf(await client.get(`${at}?state=active`));
  assert.deepEqual(
    active.map(({ id }) => id),
    [ids[0], ids[2], ids[3]],
  );
  const states = recordsOf(await client.get(at)).map(({ state }) => state);
  assert.deepEqual(states, ['expired', 'active', 'revoked', 'active', 'active']);
});

describe('what is wrong is named', () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const cases: [object, string, string][] = [
    [{}, 'missing_parameter', 'name'],
    [{ name: 'x', expires_at: yesterday }, 'invalid_parameter', 'expires_at'],
    [{ name: 'x', models: [] }, 'invalid_parameter', 'models'],
    [{ name: 'x', spend_limit: { amount: 0, per: 'day' } }, 'invalid_parameter', 'spend_limit.amount'],
    [{ name: 'x', call_limits: [{ calls: 0, per: 'day' }] }, 'invalid_parameter', 'call_limits[0].calls'],
    [{ name: 'x', level: 'root' }, 'invalid_parameter', 'level'],
    [{ name: 'x', spend_limits: null }, 'invalid_parameter', 'spend_limits'],
  ];
  for (const [body, code, param] of cases) {
    test(JSON.stringify(body).replace(/\d{4}-[\d-]+T[^"]+/, 'yesterday'), async () =>
      assert.deepEqual(refused(await owner.call('POST', keys, body)), [400, code, param]),
    );
  }
  test('a time of expiry that has passed, in a change', async () => {
    const { id } = await make({ name: 'x' });
    const answer = await owner.call('PATCH', `${keys}/${id}`, { expires_at: yesterday });
    assert.deepEqual(refused(answer), [400, 'invalid_parameter', 'expires_at']);
  });
});

test('a member sees the keys and may change none; a key of another account is none', async () => {
  const member = await signedIn(gateway, { memberships: [{ account: gateway.account, role: 'member' }] });
  const { id } = await make({ name: 'seen' });
  assert.equal((await member.get(keys)).status, 200);
  for (const [method, path, body] of [
    ['POST', keys, { name: 'x' }],
    ['PATCH', `${keys}/${id}`, { name: 'x' }],
    ['DELETE', `${keys}/${id}`, undefined],
  ] as const) {
    assert.deepEqual(refused(await member.call(method, path, body)), [403, 'permission_denied', null]);
  }
  const { keyId } = await gateway.newKey({ balance: '1' });
  for (const other of [keyId, 'key_x', '%00', `${id}%27`]) {
    assert.deepEqual(refused(await owner.call('DELETE', `${keys}/${other}`)), [404, 'route_not_found', null]);
  }
  assert.equal((await found(id))['state'], 'active');
});

test('an operator makes no key in an account that is not theirs, and may still change and revoke its keys', async () => {
  const operator = await signedIn(gateway, { memberships: [], isOperator: true });
  assert.deepEqual(refused(await operator.call('POST', keys, { name: 'mine now' })), [403, 'permission_denied', null]);
  const { id } = await make({ name: 'theirs' });
  assert.equal((await operator.call('PATCH', `${keys}/${id}`, { max_running_tasks: 1 })).status, 200);
  assert.equal((await operator.call('DELETE', `${keys}/${id}`)).status, 200);
});

describe('rotating a key', () => {
  const rotate = (id: string, body: object) => owner.call('POST', `${keys}/${id}/rotate`, body);

  test('makes one with its name and limits; both work until the old one expires, and both acts are logged', async () => {
    const limits = { models: ['sim-chat'], call_limits: [{ calls: 5, per: 'day' }], max_running_tasks: 3 };
    const old = await make({ name: 'moved', level: 'chat', ...limits });
    assert.equal((await chat(old.key)).status, 200);
    const { key, ...record } = made(await rotate(old.id, { overlap_hours: 24 }));
    assert.notEqual(record.id, old.id);
    for (const [field, value] of Object.entries({ name: 'moved', level: 'chat', expires_at: null, ...limits }))
      assert.deepEqual(record[field], value, field);
    assert.equal((record['calls'] as { total: number }).total, 0);
    assert.equal((await chat(key)).status, 200);
    assert.equal((await chat(old.key)).status, 200);
    const before = await found(old.id);
    const leftMs = Date.parse(String(before['expires_at'])) - Date.now();
    assert.ok(leftMs > 23.9 * 3_600_000 && leftMs <= 24 * 3_600_000);
    const acts = await listActs(gateway.core.database, { account: gateway.account, limit: 2 });
    assert.deepEqual(
      acts.map(({ action, subject }) => [action, subject]),
      [
        ['key.changed', old.id],
        ['key.created', record.id],
      ],
    );
  });

  test('at once stops the old one', async () => {
    const old = await make({ name: 'leaked' });
    const { key } = made(await rotate(old.id, { overlap_hours: 0 }));
    assert.equal((await chat(old.key)).status, 401);
    assert.equal((await chat(key)).status, 200);
    assert.equal((await found(old.id))['state'], 'expired');
  });

  test('never makes the old one live longer', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const old = await make({ name: 'short', expires_at: soon });
    assert.equal(made(await rotate(old.id, { overlap_hours: 24 }))['expires_at'], soon);
    assert.equal((await found(old.id))['expires_at'], soon);
  });

  test('is refused without hours, of a key that is over, and of the playground’s', async () => {
    const { id } = await make({ name: 'over' });
    for (const hours of [-1, 1.5, 721, 'a day'])
      assert.deepEqual(refused(await rotate(id, { overlap_hours: hours })), [
        400,
        'invalid_parameter',
        'overlap_hours',
      ]);
    await rotate(id, { overlap_hours: 0 });
    assert.deepEqual(refused(await rotate(id, { overlap_hours: 0 })), [400, 'invalid_parameter', null]);
    await owner.call('DELETE', `${keys}/${id}`);
    assert.deepEqual(refused(await rotate(id, { overlap_hours: 0 })), [400, 'invalid_parameter', null]);
    const maker = { ...gateway.by, ledgerKeys: [gateway.by.ledgerKey] };
    const { id: playground } = await playgroundKeyOf(maker, gateway.account);
    assert.deepEqual(refused(await rotate(playground, { overlap_hours: 0 })), [400, 'invalid_parameter', null]);
  });
});
