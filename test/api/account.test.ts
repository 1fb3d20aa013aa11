/** What an account's admin keys set of it: its default webhook and its low-balance threshold. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ worker: false, env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'false' } });
});
after(() => gateway.stop());

const change = async (key: string, body: unknown, root = '/v1') =>
  answerOf(
    await gateway.fetch(`${root}/account`, {
      method: 'PATCH',
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
const owner = () => gateway.newKey({ balance: '5', level: 'admin' });

test('an account shows its webhook and threshold, none at first, as they were set on either root', async () => {
  const { key, account } = await owner();
  const before = (await gateway.get('/v1/account', bearer(key))).body;
  assert.deepEqual(before, {
    object: 'account',
    id: account,
    name: 'test',
    currency: 'CNY',
    balance: 5,
    held: 0,
    webhook_url: null,
    low_balance: null,
    time_zone: 'UTC',
  });
  const url = 'https://192.0.66.2/hooks?of=mine';
  const first = await change(key, { webhook_url: url }, '/ai/v1');
  assert.deepEqual([first.status, first.body], [200, { ...before, webhook_url: url }]);
  const second = await change(key, { low_balance: 2.000001 });
  assert.deepEqual(second.body, { ...before, webhook_url: url, low_balance: 2.000001 });
  assert.deepEqual((await gateway.get('/ai/v1/account', bearer(key))).body, second.body);
  assert.deepEqual((await change(key, { webhook_url: null, low_balance: null })).body, before);
  const third = await change(key, { time_zone: 'Asia/Shanghai' });
  assert.deepEqual(third.body, { ...before, time_zone: 'Asia/Shanghai' });
  assert.deepEqual((await change(key, { time_zone: null })).body, before);
});

for (const [what, body, code, param] of [
  ['an unknown field', { webhook: 'https://h.example/' }, 'invalid_parameter', 'webhook'],
  ['a balance', { balance: 1_000_000 }, 'invalid_parameter', 'balance'],
  ['an address that is none', { webhook_url: 'here' }, 'invalid_parameter', 'webhook_url'],
  ['an address on this machine', { webhook_url: 'http://127.0.0.1/hooks' }, 'invalid_parameter', 'webhook_url'],
  ['an address that leads inwards', { webhook_url: 'http://metadata.internal/' }, 'invalid_parameter', 'webhook_url'],
  ['an address with credentials', { webhook_url: 'https://a:b@192.0.66.2/' }, 'invalid_parameter', 'webhook_url'],
  ['a threshold of 0', { low_balance: 0 }, 'invalid_parameter', 'low_balance'],
  ['a body that is an array', [], 'invalid_parameter', null],
] as const) {
  test(`${what} is refused and changes nothing`, async () => {
    const { key } = await owner();
    const before = (await gateway.get('/v1/account', bearer(key))).body;
    assertError(await change(key, body), code, param);
    assert.deepEqual((await gateway.get('/v1/account', bearer(key))).body, before);
  });
}

test('a change is in the audit log under the admin key, and what is so already is not', async () => {
  const { key, keyId, account } = await owner();
  await change(key, { low_balance: 2 });
  await change(key, { low_balance: 2 });
  await change(key, {});
  const { rows } = await gateway.core.database.pool.query(
    `select actor, subject, facts->>'low_balance' as low_balance from acts where account_id = $1 and action = 'account.changed'`,
    [account],
  );
  assert.deepEqual(rows, [{ actor: `key:${keyId}`, subject: account, low_balance: '2000000' }]);
});

test('a call that follows a change is admitted on the account as it is', async () => {
  const { key } = await owner();
  const create = () =>
    gateway.post('/ai/v1/images/generations', { model: 'sim-image', prompt: 'A gate', size: '1024x1024' }, bearer(key));
  assert.equal((await create()).status, 202);
  assert.equal((await change(key, { webhook_url: 'https://192.0.66.2/', low_balance: 1 })).body['held'], 0.2);
  assert.equal((await create()).status, 202);
  assert.deepEqual(await gateway.money(key), { balance: 4.6, held: 0.4 });
});
