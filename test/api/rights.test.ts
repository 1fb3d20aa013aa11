/** Rights can't be written into the database: what gives one is made with the operator's secret. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { deriveKeys } from '../../src/config/secrets.ts';
import { findKeyBySecret } from '../../src/accounts/api-keys.ts';
import { beginLog } from '../../src/ledger/audit-log.ts';
import { createPerson } from '../../src/accounts/people.ts';
import { beginSession, findSession } from '../../src/accounts/sessions.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { callConsole, newPerson, password, signedIn } from '../support/people.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ worker: false });
});
after(() => gateway.stop());

const sql = (text: string, values: readonly unknown[] = []) => gateway.core.database.pool.query(text, [...values]);
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const credit = (cookie: string) =>
  callConsole(gateway, cookie, 'POST', `/operator/accounts/${gateway.account}/credits`, {
    amount: 1000,
    reason: 'invoice 4711',
    request_id: randomBytes(16).toString('hex'),
  });

test('a person and a session that are written into the database open no access', async () => {
  const id = `usr_${randomBytes(16).toString('hex')}`;
  await sql(
    `insert into people (id, email, password_hash, password_seal, is_operator) values ($1, $2, 'x', '', true)`,
    [id, `${id}@example.com`],
  );
  const token = randomBytes(32).toString('base64url');
  await sql(
    `insert into sessions (id, person_id, token_hash, seal, user_agent, address, expires_at)
     values ($1, $2, $3, $3, '', '', now() + interval '1 day')`,
    [`ses_${randomBytes(16).toString('hex')}`, id, sha256(token)],
  );
  assert.equal((await credit(`tollgate_session=${token}`)).status, 401);
  await sql('delete from sessions where person_id = $1', [id]);
  await sql('delete from people where id = $1', [id]);
});

test('a session that is given to another person in the database ends', async () => {
  const [owner, operator] = [await signedIn(gateway), await newPerson(gateway, { isOperator: true })];
  assert.equal((await owner.get('/session')).status, 200);
  await sql('update sessions set person_id = $2 where person_id = $1', [owner.person.id, operator.id]);
  assert.equal((await credit(owner.cookie)).status, 401);
});

test('whom the database alone calls an operator is none', async () => {
  const client = await signedIn(gateway);
  const { person, cookie } = client;
  await sql('update people set is_operator = true where id = $1', [person.id]);
  assert.equal((await credit(cookie)).status, 403);
  assert.deepEqual(((await client.get('/session')).body['person'] as { is_operator: boolean }).is_operator, false);
  await sql('update people set is_operator = false where id = $1', [person.id]);
});

test('a password that is written into the database opens nothing, nor does that of another person', async () => {
  const [mine, theirs] = [await newPerson(gateway), await newPerson(gateway, { isOperator: true })];
  await sql(
    `update people p set password_hash = o.password_hash, password_seal = o.password_seal from people o
     where p.id = $1 and o.id = $2`,
    [theirs.id, mine.id],
  );
  assert.equal((await callConsole(gateway, '', 'POST', '/session', { email: theirs.email, password })).status, 401);
  assert.equal((await callConsole(gateway, '', 'POST', '/session', { email: mine.email, password })).status, 200);
});

test('a role that is written into the database gives nothing', async () => {
  const client = await signedIn(gateway, { memberships: [{ account: gateway.account, role: 'member' }] });
  const keys = `/accounts/${gateway.account}/keys`;
  await sql(`update memberships set role = 'owner' where person_id = $1`, [client.person.id]);
  assert.equal((await client.call('POST', keys, { name: 'mine' })).status, 404);
  await sql(`update memberships set role = 'member' where person_id = $1`, [client.person.id]);
  assert.equal((await client.call('POST', keys, { name: 'mine' })).status, 403);
});

test('a link that is made to offer more in the database is no good', async () => {
  const owner = await signedIn(gateway);
  const email = `i-${randomBytes(6).toString('hex')}@example.com`;
  const made = await owner.call('POST', `/accounts/${gateway.account}/invitations`, { email, role: 'member' });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const token = made.body['token'];
  const look = () => callConsole(gateway, '', 'POST', '/invitations/look', { token });
  assert.equal((await look()).status, 200);
  await sql('update invitations set makes_operator = true where email = $1', [email]);
  assert.equal((await look()).status, 404);
  const taken = await callConsole(gateway, '', 'POST', '/invitations/accept', { token, password: 'a new password' });
  assert.equal(taken.status, 404);
  assert.equal((await sql('select 1 from people where email = $1', [email])).rowCount, 0);
});

test('a key is no good in the row of another, nor as its plain hash', async () => {
  const [mine, victim] = [await gateway.newKey({ balance: '1' }), await gateway.newKey({ balance: '100' })];
  const account = (key: string) => gateway.fetch('/v1/account', { key });
  const hashes = await sql('select id, hash, seal from api_keys where id = any($1)', [[mine.keyId, victim.keyId]]);
  const own = hashes.rows.find((row: { id: string }) => row.id === mine.keyId) as { hash: Buffer; seal: Buffer };
  assert.ok(!own.hash.equals(sha256(mine.key)));
  await sql('update api_keys set hash = $2 where id = $1', [mine.keyId, randomBytes(32)]);
  await sql('update api_keys set hash = $2, seal = $3 where id = $1', [victim.keyId, own.hash, own.seal]);
  assert.equal((await account(mine.key)).status, 401);
  const forged = `sk-tg-${randomBytes(32).toString('base64url')}`;
  await sql('update api_keys set hash = $2 where id = $1', [victim.keyId, sha256(forged)]);
  assert.equal((await account(forged)).status, 401);
});

test('the playground spends nothing of another account whose key is written into its row, nor by a key whose seal was removed', async () => {
  const [mine, victim] = [await gateway.newKey({ balance: '1' }), await gateway.newKey({ balance: '100' })];
  const owner = await signedIn(gateway, { memberships: [{ account: mine.account, role: 'owner' }] });
  const payers = async () => {
    const answer = await owner.call('POST', `/accounts/${mine.account}/v1/chat/completions`, {
      ...{ model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { rows } = await sql(
      `select account_id, key_id from entries where account_id = any($1) and type = 'hold' order by created_at`,
      [[mine.account, victim.account]],
    );
    return rows as { account_id: string; key_id: string }[];
  };
  await payers();
  await sql('update playground_keys set key_id = $2 where account_id = $1', [mine.account, victim.keyId]);
  await payers();
  await sql(`update api_keys k set seal = '' from playground_keys p where k.id = p.key_id and p.account_id = $1`, [
    mine.account,
  ]);
  const paid = await payers();
  assert.deepEqual(
    paid.map(({ account_id: account }) => account),
    [mine.account, mine.account, mine.account],
  );
  assert.equal(new Set(paid.map(({ key_id: key }) => key)).size, 3);
});

test('keys and sessions from before a change of the secret stay good while the old secret is listed', async () => {
  const { database } = gateway.core;
  const [old, both] = [deriveKeys(['a'.repeat(32)]), deriveKeys(['b'.repeat(32), 'a'.repeat(32)])];
  const by = { database, ledgerKey: gateway.by.ledgerKey, actor: 'tollgate' } as const;
  const person = await createPerson(by, {
    ...{ email: 'rotated@example.com', passwordHash: 'x', isOperator: false, memberships: [] },
  });
  assert.ok(person);
  const wanted = { userAgent: '', address: '', passwordHash: 'x' };
  const session = await beginSession(database, old.first.ledger, person.id, wanted);
  const found = (keys: readonly Buffer[]) => findSession(database, keys, session?.token ?? '');
  assert.equal((await found(both.ledgerKeys))?.id, session?.id);
  assert.equal(await found([both.first.ledger]), undefined);
  const { key, account } = await gateway.newKey();
  const rotated = [both.first.ledger, ...gateway.core.secrets.ledgerKeys];
  assert.equal((await findKeyBySecret(database, rotated, key))?.accountId, account);
  assert.equal(await findKeyBySecret(database, [both.first.ledger], key), undefined);
});

test('a key whose seal was removed is refused, also after the audit log was removed and begins again', async () => {
  const other = await startTestGateway({ worker: false });
  try {
    const { pool } = other.core.database;
    const { keyId } = await other.newKey();
    const forged = `sk-tg-${randomBytes(32).toString('base64url')}`;
    await pool.query('alter table acts disable trigger user; alter table chains disable trigger user');
    await pool.query("update api_keys set hash = $2, seal = '' where id = $1", [keyId, sha256(forged)]);
    await pool.query(`truncate acts; delete from chains where name = 'acts'`);
    const started = openDatabase(other.databaseUrl, { onIdleError: () => undefined });
    try {
      await beginLog(started, other.by.ledgerKey);
    } finally {
      await started.close();
    }
    assert.equal((await other.fetch('/v1/account', { headers: bearer(forged) })).status, 401);
  } finally {
    await other.stop();
  }
});
