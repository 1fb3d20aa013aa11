/** Keys that may be used from some addresses only: at every door, behind a proxy or not, and the playground's. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/api/operations/all-operations.ts';
import { routePath } from '../../src/api/operation.ts';
import { playgroundKeyOf } from '../../src/accounts/playground-keys.ts';
import { changeKey } from '../../src/accounts/api-keys.ts';
import { audit } from '../../src/audit/audit.ts';
import { rowChecks } from '../../src/audit/checks/all-checks.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { signedIn } from '../support/people.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ worker: false, env: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' } });
});
after(() => gateway.stop());

const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
const from = (address: string, key: string) => ({ ...bearer(key), 'X-Forwarded-For': address });
const callFrom = (address: string, key: string) => gateway.post('/v1/chat/completions', chat, from(address, key));

test('a key is used from its addresses and ranges, of both families, and from no other', async () => {
  const { key, keyId, account } = await gateway.newKey({
    balance: '10',
    allowedIps: ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32'],
  });
  for (const good of ['203.0.113.7', '10.255.0.1', '::ffff:10.1.2.3', '2001:db8:1::1', '[2001:DB8::5]:4711'])
    assert.equal((await callFrom(good, key)).status, 200, good);
  for (const bad of ['203.0.113.8', '11.0.0.1', '2001:db9::1', '::1', '10.0.0.1, 198.51.100.1']) {
    const answer = await callFrom(bad, key);
    assertError(answer, 'permission_denied');
    assert.match(String(answer.body['error'].message), /may not be used from this address/);
  }
  // Without the header it is the proxy itself that calls.
  assert.equal((await gateway.post('/v1/chat/completions', chat, bearer(key))).status, 403);
  const admin = await gateway.newKeyOf(account, { level: 'admin' });
  const records = await gateway.get(`/v1/requests?key_id=${keyId}&code=permission_denied`, bearer(admin.key));
  assert.equal((records.body['data'] as unknown[]).length, 6);
});

test('a header of a peer that is no trusted proxy is not believed', async () => {
  const direct = await startTestGateway({ worker: false });
  try {
    const { key } = await direct.newKey({ allowedIps: ['203.0.113.7'] });
    const post = () => direct.post('/v1/chat/completions', chat, from('203.0.113.7', key));
    assert.equal((await post()).status, 403);
    const home = await direct.newKey({ allowedIps: ['127.0.0.0/8', '::1'] });
    assert.equal((await direct.post('/v1/chat/completions', chat, from('203.0.113.7', home.key))).status, 200);
  } finally {
    await direct.stop();
  }
});

describe('every operation that needs a key refuses it from elsewhere, before it reads a body', () => {
  let key: string;
  before(async () => {
    ({ key } = await gateway.newKey({ level: 'admin', allowedIps: ['203.0.113.7'] }));
  });
  for (const { method, path, level } of operations.ofRoots) {
    if (level === undefined) continue;
    test(`${method.toUpperCase()} ${path}`, async () => {
      const address = routePath(path).replaceAll(/[:*]\w+/g, 'x');
      const headers = from('203.0.113.8', key);
      const answer = await answerOf(await gateway.fetch(`/v1${address}`, { method: method.toUpperCase(), headers }));
      assert.equal(answer.status, 403, JSON.stringify(answer.body));
    });
  }
});

test('the list is set, normalised, changed and lifted by the API, and holds within seconds', async () => {
  const admin = await gateway.newKey({ balance: '10', level: 'admin' });
  const path = '/v1/account/keys';
  const made = await gateway.post(
    path,
    { name: 'office', allowed_ips: ['10.1.2.3/8', '::ffff:192.0.2.1', '2001:DB8::1', '10.0.0.0/8'] },
    bearer(admin.key),
  );
  assert.equal(made.status, 201);
  assert.deepEqual(made.body['allowed_ips'], ['10.0.0.0/8', '192.0.2.1', '2001:db8::1']);
  const change = async (allowed: unknown) => {
    const init = { method: 'PATCH', headers: { ...bearer(admin.key), 'Content-Type': 'application/json' } };
    const body = JSON.stringify({ allowed_ips: allowed });
    return answerOf(await gateway.fetch(`${path}/${made.body['id']}`, { ...init, body }));
  };
  assert.deepEqual((await change(['192.0.2.0/24'])).body['allowed_ips'], ['192.0.2.0/24']);
  assert.equal((await change([])).body['allowed_ips'], null);
  const wrong = await change(['192.0.2.1', 'office']);
  assertError(wrong, 'invalid_parameter', 'allowed_ips[1]');
  assert.match(String(wrong.body['error'].message), /must be an IP address or a CIDR range, such as/);
  const many = await change(Array.from({ length: 51 }, (_, at) => `10.0.0.${at}`));
  assertError(many, 'invalid_parameter', 'allowed_ips');
});

test('a key with a list makes no key that reaches further, and its own list binds what it administers', async () => {
  const { key } = await gateway.newKey({ level: 'admin', allowedIps: ['10.0.0.0/8'] });
  const make = (allowed: unknown) =>
    gateway.post('/v1/account/keys', { name: 'x', allowed_ips: allowed }, from('10.0.0.1', key));
  assert.equal((await make(['10.1.0.0/16'])).status, 201);
  for (const wider of [null, ['10.0.0.0/7'], ['10.0.0.1', '192.0.2.1']]) {
    const answer = await make(wider);
    assertError(answer, 'permission_denied', 'allowed_ips');
  }
});

test('the playground keeps to the list of its key, by the address of the browser', async () => {
  const owner = await signedIn(gateway);
  const { first, ledgerKeys } = gateway.core.secrets;
  const by = { ...gateway.by, ledgerKey: first.ledger, ledgerKeys, actor: `person:${owner.person.id}` } as const;
  const { id } = await playgroundKeyOf(by, gateway.account);
  await changeKey(gateway.by, id, { allowedIps: ['203.0.113.7'] });
  const path = `/accounts/${gateway.account}/v1/chat/completions`;
  const call = (address: string) => owner.call('POST', path, chat, { 'X-Forwarded-For': address });
  assert.equal((await call('203.0.113.7')).status, 200);
  assert.equal((await call('203.0.113.8')).status, 403);
  await changeKey(gateway.by, id, { allowedIps: null });
});

test('the audit knows who made a key and from where it may be used', async () => {
  const { database, secrets } = gateway.core;
  const { keyId } = await gateway.newKey({ allowedIps: ['203.0.113.7'] });
  const says = async () => {
    const { findings } = await audit({ database, ledgerKeys: [...secrets.ledgerKeys] }, rowChecks);
    return findings.filter(({ subject }) => subject === keyId).map((finding) => finding.says);
  };
  assert.deepEqual(await says(), []);
  await database.pool.query(`update api_keys set allowed_ips = null, created_by = 'tollgate!' where id = $1`, [keyId]);
  assert.deepEqual(await says(), ['its newest act says otherwise of allowed_ips, created_by']);
  await database.pool.query(
    `update api_keys set allowed_ips = '{203.0.113.7}', created_by = 'tollgate' where id = $1`,
    [keyId],
  );
});
