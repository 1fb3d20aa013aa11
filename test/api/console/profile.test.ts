/** One's own sessions and password. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, type ConsoleAnswer, type ConsoleClient, password, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

interface SignIn {
  id: string;
  is_current: boolean;
  user_agent: string;
  address: string;
}
const signInsOf = async (client: ConsoleClient) => (await client.get('/profile/sessions')).body['data'] as SignIn[];
/** The same person in another browser. */
async function elsewhere(client: ConsoleClient, typed = password): Promise<ConsoleAnswer & { cookie: string }> {
  const body = { email: client.person.email, password: typed };
  const answer = await client.call('POST', '/session', body, { 'User-Agent': 'Elsewhere/1' });
  return { ...answer, cookie: answer.headers.get('Set-Cookie')?.split(';')[0] ?? '' };
}
const isSignedIn = async (cookie: string) => (await callConsole(gateway, cookie, 'GET', '/session')).status === 200;
const change = (client: ConsoleClient, current: string, wanted: string) =>
  client.call('PUT', '/profile/password', { current_password: current, new_password: wanted });
const refused = ({ status, body }: ConsoleAnswer): unknown[] => {
  const { code, param } = body['error'] as { code: string; param: string | null };
  return [status, code, param];
};

test('sessions are listed with their browsers, the own one marked, and any of them can be ended', async () => {
  const client = await signedIn(gateway);
  const other = await elsewhere(client);
  const listed = await signInsOf(client);
  assert.deepEqual(
    listed.map((session) => [session.is_current, session.user_agent === 'Elsewhere/1']).sort(),
    [
      [false, true],
      [true, false],
    ].sort(),
  );
  assert.ok(listed.every(({ address }) => /127\.0\.0\.1|::1/.test(address)));
  const id = listed.find((session) => !session.is_current)?.id ?? '';
  const stranger = await signedIn(gateway);
  assert.deepEqual(refused(await stranger.call('DELETE', `/profile/sessions/${id}`)), [404, 'route_not_found', null]);
  assert.equal((await client.call('DELETE', `/profile/sessions/${id}`)).status, 204);
  assert.equal(await isSignedIn(other.cookie), false);
  assert.deepEqual(refused(await client.call('DELETE', `/profile/sessions/${id}`)), [404, 'route_not_found', null]);
  assert.deepEqual(refused(await client.call('DELETE', '/profile/sessions/%00')), [404, 'route_not_found', null]);
  assert.equal((await signInsOf(client)).length, 1);
});

test('all other sessions can be ended at once', async () => {
  const client = await signedIn(gateway);
  const others = [await elsewhere(client), await elsewhere(client)];
  const { body } = await client.call('DELETE', '/profile/sessions');
  assert.equal(body['count'], 2);
  for (const { cookie } of others) assert.equal(await isSignedIn(cookie), false);
  assert.equal(await isSignedIn(client.cookie), true);
});

test('a person who ends their own session is signed out', async () => {
  const client = await signedIn(gateway);
  const [own] = await signInsOf(client);
  const { status, headers } = await client.call('DELETE', `/profile/sessions/${own?.id ?? ''}`);
  assert.equal(status, 204);
  assert.match(headers.get('Set-Cookie') ?? '', /^tollgate_session=; Max-Age=0;/);
  assert.equal(await isSignedIn(client.cookie), false);
});

test('a new password holds from then on, and ends the sessions of other browsers', async () => {
  const client = await signedIn(gateway);
  const other = await elsewhere(client);
  assert.equal((await change(client, password, 'a new one, longer')).status, 204);
  assert.equal(await isSignedIn(client.cookie), true);
  assert.equal(await isSignedIn(other.cookie), false);
  assert.equal((await elsewhere(client)).status, 401);
  assert.equal((await elsewhere(client, 'a new one, longer')).status, 200);
});

test('a wrong current password, or a new one that is too short, is named and changes nothing', async () => {
  const client = await signedIn(gateway);
  const wrong = [400, 'invalid_parameter', 'current_password'];
  assert.deepEqual(refused(await change(client, 'not mine', 'a new one, longer')), wrong);
  assert.deepEqual(refused(await change(client, password, 'short')), [400, 'invalid_parameter', 'new_password']);
  assert.equal((await elsewhere(client)).status, 200);
});

test('a password that is guessed first, or of blanks only, is refused', async () => {
  const client = await signedIn(gateway);
  for (const weak of [
    'password',
    'Iloveyou',
    '1q2w3e4r',
    'qwertyuiop',
    '1234567890',
    'password123!',
    '1q2w3e4r5t6y',
    '          ',
    '\u00a0\u2003 \t\t \u00a0 ',
  ])
    assert.deepEqual(refused(await change(client, password, weak)), [400, 'invalid_parameter', 'new_password'], weak);
  assert.equal((await change(client, password, 'iloveyou more than that')).status, 204);
});

test('of two changes at once one holds', async () => {
  const client = await signedIn(gateway);
  const wanted = ['the first of them', 'the second of them'];
  const answers = await Promise.all(wanted.map((text) => change(client, password, text)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 400]);
  const holds = wanted[answers.findIndex(({ status }) => status === 204)];
  assert.equal((await elsewhere(client, holds)).status, 200);
});

test('guesses of the current password are stopped as those at the door are', async () => {
  const client = await signedIn(gateway);
  const statuses: number[] = [];
  for (let tries = 0; tries < 12; tries++)
    statuses.push((await change(client, `guess ${tries}`, 'a new one, longer')).status);
  assert.deepEqual(statuses, [...Array<number>(10).fill(400), 429, 429]);
  const answer = await change(client, password, 'a new one, longer');
  assert.deepEqual([answer.status, Number(answer.headers.get('X-RateLimit-Reset')) > 60], [429, true]);
});
