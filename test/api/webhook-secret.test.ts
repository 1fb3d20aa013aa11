/** The secret of an account's webhooks: the same from every process, replaced at will, and stored nowhere. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deriveKeys } from '../../src/config/secrets.ts';
import { rotateWebhookSecret, webhookSecrets } from '../../src/webhooks/webhook-secrets.ts';
import { bearer, sharedTestGateway, type TestGateway } from '../support/gateway.ts';
import { allRows } from '../support/tables.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

const oldText = 'a secret of the tests with 40 characters';
const newText = 'another secret of the tests, which is new';
const path = '/v1/account/webhook-secret';
const owner = () => gateway.newKey({ balance: '1', level: 'admin' });
const ask = async (key: string) => (await gateway.get(path, bearer(key))).body['secret'] as string;
const rotate = async (key: string) =>
  (await gateway.post(`/ai${path}/rotate`, '', bearer(key))).body['secret'] as string;
const signing = (account: Awaited<ReturnType<typeof owner>>['account'], ...texts: string[]) =>
  webhookSecrets(gateway.core.database, deriveKeys(texts), account);
/** Lets so many hours pass for the secrets of an account. */
const age = (account: string, hours: number) =>
  gateway.core.database.pool.query(
    'update webhook_secrets set retires_at = retires_at - make_interval(hours => $2) where account_id = $1',
    [account, hours],
  );

test('the first request makes the secret, and all requests at once and afterwards get the same', async () => {
  const { key, account } = await owner();
  const secrets = await Promise.all(Array.from({ length: 10 }, () => ask(key)));
  const [secret = ''] = secrets;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(new Set(secrets), new Set([secret]));
  const answer = await gateway.get(`/ai${path}`, bearer(key));
  assert.deepEqual(answer.body, { object: 'webhook_secret', secret });
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.deepEqual(await signing(account, oldText), [secret]);
  assert.notEqual(await ask((await owner()).key), secret, 'each account has its own');
});

test('a rotation makes a new one, and for 24 hours the old one signs too', async () => {
  const { key, account } = await owner();
  const first = await ask(key);
  const answer = await gateway.post(`${path}/rotate`, '', bearer(key));
  const second = String(answer.body['secret']);
  assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store']);
  assert.deepEqual(answer.body, { object: 'webhook_secret', secret: second });
  assert.equal(await ask(key), second);
  const third = await rotate(key);
  assert.deepEqual(await signing(account, oldText), [third, second, first]);
  await age(account, 23);
  assert.deepEqual(await signing(account, oldText), [third, second, first]);
  await age(account, 1);
  assert.deepEqual(await signing(account, oldText), [third]);
});

test('of many rotations the five last replaced sign, and rotations at once take turns', async () => {
  const { key, account } = await owner();
  const made = [await ask(key)];
  for (let turn = 0; turn < 6; turn++) made.unshift(await rotate(key));
  assert.deepEqual(await signing(account, oldText), made.slice(0, 6));
  const atOnce = await Promise.all(Array.from({ length: 6 }, () => rotate(key)));
  const now = await signing(account, oldText);
  assert.deepEqual([...now].sort(), [...atOnce].sort());
  const { rows } = await gateway.core.database.pool.query('select 1 from webhook_secrets where account_id = $1', [
    account,
  ]);
  assert.equal(rows.length, 6, 'what signs no more is deleted');
});

test('rotations are in the audit log, and neither there nor anywhere else is a secret to be read', async () => {
  const { key, keyId, account } = await owner();
  const secrets = [await ask(key), await rotate(key)];
  const { rows } = await gateway.core.database.pool.query(
    `select actor, action, subject, reason from acts where account_id = $1 and action like 'webhook%'`,
    [account],
  );
  assert.deepEqual(rows, [{ actor: `key:${keyId}`, action: 'webhook_secret.rotated', subject: null, reason: null }]);
  const stored = await allRows(gateway.core.database);
  for (const secret of secrets) {
    const base64 = secret.slice('whsec_'.length);
    for (const form of [base64, Buffer.from(base64, 'base64').toString('hex')]) assert.ok(!stored.includes(form));
  }
});

test("it outlives a new operator's secret as long as the old one is listed, and is replaced when that is gone", async () => {
  const { key, account } = await owner();
  const first = await ask(key);
  assert.deepEqual(await signing(account, newText, oldText), [first]);
  const replaced = await Promise.all([signing(account, newText), signing(account, newText)]);
  const [second = ''] = replaced[0];
  assert.deepEqual(replaced, [[second], [second]]);
  assert.notEqual(second, first);
  assert.deepEqual(
    await signing(account, newText, oldText),
    [second, first],
    'who still knows the old one signs with both',
  );
  const { rows } = await gateway.core.database.pool.query<{ actor: string; reason: string }>(
    `select actor, reason from acts where account_id = $1 and action like 'webhook%'`,
    [account],
  );
  assert.deepEqual(
    rows.map(({ actor }) => actor),
    ['tollgate'],
  );
  assert.match(rows[0]?.reason ?? '', /no longer set/);
});

test('the same row under another account gives another secret', async () => {
  const [mine, theirs] = [await owner(), await owner()];
  const secret = await rotateWebhookSecret(gateway.by, gateway.core.secrets, theirs.account);
  await gateway.core.database.pool.query(
    `insert into webhook_secrets select $1, salt, secret_id, created_at from webhook_secrets where account_id = $2`,
    [mine.account, theirs.account],
  );
  assert.notEqual(await ask(mine.key), secret);
});
