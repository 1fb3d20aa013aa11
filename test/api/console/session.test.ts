/** Signing in to the console, staying signed in, and signing out. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Attempts } from '../../../src/api/console/sign-in-attempts.ts';
import { invite } from '../../../src/accounts/invitations.ts';
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
    assert.deepEqual(body['accounts'], [
      { id: gateway.account, name: 'test', role: 'owner', status: 'active', time_zone: 'UTC' },
    ]);
    const [session, browser] = headers.getSetCookie();
    const attributes = /; Expires=[^;]+; Path=\/console; HttpOnly; SameSite=Strict$/;
    assert.match(session ?? '', /^tollgate_session=[\w-]{43};/);
    assert.match(session ?? '', attributes);
    assert.match(browser ?? '', /^tollgate_browser=[\w-]{22}\.[\w-]{43};/);
    assert.match(browser ?? '', attributes);
    assert.equal(headers.get('Cache-Control'), 'no-store');
  });

  test('a wrong password and an unknown address are answered alike', async () => {
    const { email } = await newPerson(gateway);
    const wrong = await signIn(email, 'something else');
    const unknown = await signIn('stranger@example.com', 'something else');
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
    assert.deepEqual([refused.status, Number(refused.headers.get('X-RateLimit-Reset')) > 60], [429, true]);
    await signedIn(gateway);
  });
});

test('guesses from an address that is refused lock no one out elsewhere', async () => {
  const attempts = new Attempts();
  const victim = 'victim@example.com';
  const addresses = Array.from({ length: 10 }, (_, at) => `192.0.2.${at}`);
  for (const address of addresses) {
    for (let at = 0; at < 1_000; at++) await attempts.begin({ email: `${at}@example.com-${address}`, address });
    for (let at = 0; at < 10; at++)
      await assert.rejects(attempts.begin({ email: victim, address }), { code: 'too_many_attempts' });
  }
  await attempts.begin({ email: victim, address: '198.51.100.1' });
});

test('guesses from all of an IPv6 network count as one caller’s', async () => {
  const attempts = new Attempts();
  const email = 'victim@example.com';
  const addresses = ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:db8:0:0:1:2:3:4', '2001:0db8:0000::192.0.2.1'];
  for (let at = 0; at < 10; at++) await attempts.begin({ email, address: addresses[at % addresses.length] ?? '' });
  for (const address of addresses)
    await assert.rejects(attempts.begin({ email, address }), { code: 'too_many_attempts' });
  await attempts.begin({ email, address: '2001:db8:0:1::1' });
});

test('guesses from a thousand networks keep no person out of a browser that is known as theirs', async () => {
  const attempts = new Attempts();
  const email = 'victim@example.com';
  const tried = Array.from({ length: 1_000 }, (_, at) =>
    attempts.begin({ email, address: `2001:db8:0:${at.toString(16)}::1` }).then(
      () => 1,
      () => 0,
    ),
  );
  assert.equal(
    (await Promise.all(tried)).reduce<number>((sum, one) => sum + one, 0),
    100,
  );
  await assert.rejects(attempts.begin({ email, address: '198.51.100.1' }), { code: 'too_many_attempts' });
  await attempts.begin({ email, address: '198.51.100.1', browser: 'theirs' });
});

describe('a browser in which its person signed in before', () => {
  /** From an address that they share with the person, as behind a proxy that isn't trusted. */
  const guessElsewhere = (email: string) =>
    Promise.all(Array.from({ length: 10 }, (_, at) => signIn(email, `a stranger's guess ${at}`)));
  const browserOf = ({ headers }: { headers: Headers }) => headers.getSetCookie()[1]?.split(';')[0] ?? '';
  const signInThere = (browser: string, email: string, typed: string) =>
    callConsole(gateway, browser, 'POST', '/session', { email, password: typed });

  test('lets them in however often strangers guessed', async () => {
    const { email } = await newPerson(gateway);
    const browser = browserOf(await signIn(email, password));
    await guessElsewhere(email);
    assert.equal((await signIn(email, password)).status, 429);
    assert.equal((await signInThere(browser, email, password)).status, 200);
  });

  test('may guess ten times itself', async () => {
    const { email } = await newPerson(gateway);
    const browser = browserOf(await signIn(email, password));
    const statuses: number[] = [];
    for (let at = 0; at < 11; at++) statuses.push((await signInThere(browser, email, `guess ${at}`)).status);
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429]);
  });

  test('is known for that person only, and not by a cookie that was made up', async () => {
    const [mine, other] = [await newPerson(gateway), await newPerson(gateway)];
    const browser = browserOf(await signIn(mine.email, password));
    await guessElsewhere(other.email);
    assert.equal((await signInThere(browser, other.email, password)).status, 429);
    await guessElsewhere(mine.email);
    const last = browser.at(-1) === 'A' ? 'E' : 'A';
    assert.equal((await signInThere(browser.slice(0, -1) + last, mine.email, password)).status, 429);
    assert.equal((await signInThere('tollgate_browser=nonsense', mine.email, password)).status, 429);
  });

  test('a change of the password is not kept from the person by strangers', async () => {
    const client = await signedIn(gateway);
    await guessElsewhere(client.person.email);
    const body = { current_password: password, new_password: 'quite another one' };
    assert.equal((await client.call('PUT', '/profile/password', body)).status, 204);
  });
});

test('behind TLS the cookies can be set by this host only, and only its pages by TLS may change anything', async () => {
  const behindTls = await startTestGateway({ worker: false, env: { PUBLIC_URL: 'https://gateway.example' } });
  try {
    const { email } = await newPerson(behindTls);
    const from = (origin: string, headers: Record<string, string> = {}) =>
      callConsole(behindTls, '', 'POST', '/session', { email, password }, { Origin: origin, ...headers });
    const { status, headers } = await from('https://gateway.example');
    assert.equal(status, 200);
    for (const cookie of headers.getSetCookie())
      assert.match(cookie, /^__Host-tollgate_\w+=[\w.-]+; Expires=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    assert.equal((await from(behindTls.url.replace('http:', 'https:'))).status, 200);
    assert.equal((await from('http://gateway.example')).status, 403);
    assert.equal((await from(behindTls.url)).status, 403);
    const [session] = headers.getSetCookie();
    assert.equal((await callConsole(behindTls, session?.split(';')[0] ?? '', 'GET', '/session')).status, 200);
  } finally {
    await behindTls.stop();
  }
});

test('a page of this very host by another scheme may change nothing', async () => {
  const { email } = await newPerson(gateway);
  const headers = { Origin: gateway.url.replace('http:', 'https:') };
  const { status } = await callConsole(gateway, '', 'POST', '/session', { email, password }, headers);
  assert.equal(status, 403);
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

test('a session ends after seven days without use, and after thirty in any case', async () => {
  const ageing = async (column: 'seen_at' | 'expires_at') => {
    const client = await signedIn(gateway);
    return {
      status: async () => (await client.get('/session')).status,
      age: (by: string) =>
        gateway.core.database.pool.query(
          `update sessions set ${column} = ${column} - $2::interval where person_id = $1`,
          [client.person.id, by],
        ),
    };
  };
  const unused = await ageing('seen_at');
  await unused.age('6 days 23 hours');
  assert.equal(await unused.status(), 200); // which is a use: the seven days begin anew
  await unused.age('6 days 23 hours');
  assert.equal(await unused.status(), 200);
  await unused.age('7 days 1 minute');
  assert.equal(await unused.status(), 401);
  const old = await ageing('expires_at');
  await old.age('29 days 23 hours');
  assert.equal(await old.status(), 200);
  await old.age('61 minutes');
  assert.equal(await old.status(), 401);
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
    assert.deepEqual(body['accounts'], [
      { id: account, name: 'test', role: 'member', status: 'active', time_zone: 'UTC' },
    ]);
    assert.equal((await look(token)).status, 404);
  });

  test('give an existing person a new password, and end their sessions', async () => {
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
    const { status, body } = await accept(token, 'nine 9999');
    assert.deepEqual([status, (body['error'] as { param: string }).param], [400, 'password']);
    assert.equal((await accept(token, 'password1234')).status, 400);
    assert.equal((await accept(token, 'ten 77 sun')).status, 200);
  });
});
