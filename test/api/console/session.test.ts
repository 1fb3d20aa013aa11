/** Signing in to the console, staying signed in, and signing out. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Attempts } from '../../../src/api/console/attempts.ts';
import { invite } from '../../../src/storage/console/invitations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, newPerson, password, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ worker: false });
});
after(() => gateway.stop());

const signIn = (email: string, typed: string) =>
  callConsole(gateway, '', 'POST', '/session', { email, password: typed });

describe('signing in', () => {
  test('answers who it is and their accounts, and keeps the token out of reach of scripts', async () => {
    const { email, id } = await newPerson(gateway);
    const { status, body, headers } = await signIn(email.toUpperCase(), password);
    assert.equal(status, 200);
    assert.deepEqual(body['person'], { id, email, is_operator: false });
    assert.deepEqual(body['accounts'], [{ id: gateway.account, name: 'test', role: 'owner', status: 'active' }]);
    assert.match(
      headers.get('Set-Cookie') ?? '',
      /^tollgate_session=[\w-]{43}; Expires=[^;]+; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(headers.get('Cache-Control'), 'no-store');
  });

  test('a wrong password and an unknown address are answered alike', async () => {
    const { email } = await newPerson(gateway);
    const wrong = await signIn(email, 'something else');
    const unknown = await signIn('nobody@example.com', 'something else');
    assert.deepEqual([wrong.status, wrong.body], [unknown.status, unknown.body]);
    assert.equal((wrong.body['error'] as { code: string }).code, 'wrong_password');
    assert.equal(wrong.headers.get('Set-Cookie'), null);
  });

  test('guesses are stopped, a thousand at once as well, and others can still sign in', async () => {
    const { email } = await newPerson(gateway);
    const statuses = new Map<number, number>();
    await Promise.all(
      Array.from({ length: 1_000 }, async (_, at) => {
        const { status } = await signIn(email, `guess number ${at}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
    );
    assert.deepEqual([...statuses].sort(), [
      [401, 10],
      [429, 990],
    ]);
    const refused = await signIn(email, password);
    assert.deepEqual([refused.status, Number(refused.headers.get('Retry-After')) > 0], [429, true]);
    await signedIn(gateway);
  });
});

test('guesses from an address that is refused lock nobody out elsewhere', async () => {
  const attempts = new Attempts();
  const victim = 'victim@example.com';
  const addresses = Array.from({ length: 10 }, (_, at) => `192.0.2.${at}`);
  for (const address of addresses) {
    for (let at = 0; at < 1_000; at++) await attempts.begin(`${at}@example.com-${address}`, address);
    for (let at = 0; at < 10; at++)
      await assert.rejects(attempts.begin(victim, address), { code: 'too_many_attempts' });
  }
  await attempts.begin(victim, '198.51.100.1');
});

test('a password that is changed while it is checked begins no session', async () => {
  const { id, email } = await newPerson(gateway);
  const client = await gateway.core.database.pool.connect();
  try {
    await client.query('begin');
    await client.query("update people set password_hash = 'another' where id = $1", [id]);
    const signingIn = signIn(email, password);
    await until('it to wait, or to be through', async () => {
      const { rows } = await gateway.core.database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         union all select 1 from sessions where person_id = $1`,
        [id],
      );
      return rows.length > 0 ? true : undefined;
    });
    await client.query('delete from sessions where person_id = $1', [id]);
    await client.query('commit');
    assert.equal((await signingIn).status, 401);
  } finally {
    client.release(true);
  }
});

test('a session ends when its person signs out', async () => {
  const client = await signedIn(gateway);
  assert.equal((await client.get('/session')).status, 200);
  const { status, headers } = await client.call('DELETE', '/session');
  assert.equal(status, 204);
  assert.match(headers.get('Set-Cookie') ?? '', /^tollgate_session=; Max-Age=0;/);
  assert.equal((await client.get('/session')).status, 401);
});

describe('one-time links', () => {
  const look = (token: string) => callConsole(gateway, '', 'POST', '/invitations/look', { token });
  const accept = (token: string, chosen: string) =>
    callConsole(gateway, '', 'POST', '/invitations/accept', { token, password: chosen });

  test('make a person of the account, once', async () => {
    const { account, by } = gateway;
    const email = 'new@example.com';
    const { token } = await invite(by, { email, account, role: 'member', makesOperator: false });
    assert.deepEqual((await look(token)).body, {
      object: 'invitation',
      email,
      account_name: 'test',
      role: 'member',
      is_operator: false,
      keeps_password: false,
    });
    const answers = await Promise.all([accept(token, 'chosen by me'), accept(token, 'chosen by me')]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
    const { status, body } = await signIn(email, 'chosen by me');
    assert.equal(status, 200);
    assert.deepEqual(body['accounts'], [{ id: account, name: 'test', role: 'member', status: 'active' }]);
    assert.equal((await look(token)).status, 404);
  });

  test('give who is there already a new password, and end their sessions', async () => {
    const client = await signedIn(gateway);
    const { email } = client.person;
    const { token } = await invite(gateway.by, { email, account: null, role: null, makesOperator: false });
    assert.equal((await accept(token, 'another password')).status, 200);
    assert.equal((await client.get('/session')).status, 401);
    assert.equal((await signIn(email, password)).status, 401);
    assert.equal((await signIn(email, 'another password')).status, 200);
  });

  test('refuse a password that is too short, and stay good', async () => {
    const offer = { email: 'short@example.com', account: null, role: null, makesOperator: true };
    const { token } = await invite(gateway.by, offer);
    const { status, body } = await accept(token, 'seven77');
    assert.deepEqual([status, (body['error'] as { param: string }).param], [400, 'password']);
    assert.equal((await accept(token, 'eight888')).status, 200);
  });
});
