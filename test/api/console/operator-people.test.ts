/** What operators do with people: invite, give links, disable, make operators; and that one operator always stays. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { removeOperator, setDisabled } from '../../../src/accounts/operators.ts';
import { rightSeal } from '../../../src/ledger/access-seals.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, type ConsoleAnswer, type ConsoleClient, password, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  operator = await signedIn(gateway, { memberships: [], isOperator: true, email: 'first@example.com' });
});
after(() => gateway.stop());

type Record_ = Record<string, unknown>;
const codeOf = ({ status, body }: ConsoleAnswer) => [status, (body['error'] as Record_ | undefined)?.['code']];
const errorParamOf = ({ body }: ConsoleAnswer) => (body['error'] as Record_)['param'];
const dataOf = async (path: string) => (await operator.get(path)).body['data'] as Record_[];
const pathOf = ({ person }: ConsoleClient, rest: string) => `/operator/people/${person.id}/${rest}`;
const accept = (token: unknown, chosen: string) =>
  callConsole(gateway, '', 'POST', '/invitations/accept', { token, password: chosen });
const signIn = (email: string, typed: string) =>
  callConsole(gateway, '', 'POST', '/session', { email, password: typed });

test('people are listed with their accounts, and found by a part of their address', async () => {
  const ada = await signedIn(gateway, { email: 'ada.l@example.com' });
  const [found, ...others] = await dataOf('/operator/people?search=ADA.L');
  assert.deepEqual(others, []);
  const { created, last_seen: seen, ...facts } = found ?? {};
  assert.ok(typeof created === 'number' && typeof seen === 'number');
  assert.deepEqual(facts, {
    object: 'person',
    id: ada.person.id,
    email: 'ada.l@example.com',
    is_operator: false,
    is_disabled: false,
    joined_by_account: null,
    accounts: [{ id: gateway.account, name: 'test', role: 'owner' }],
  });
  const first = (await operator.get('/operator/people?limit=1')).body;
  assert.deepEqual([(first['data'] as Record_[])[0]?.['id'], first['has_more']], [ada.person.id, true]);
  const second = (await operator.get(`/operator/people?limit=1&cursor=${String(first['next_cursor'])}`)).body;
  assert.equal((second['data'] as Record_[])[0]?.['email'], 'first@example.com');
});

test('a link sets a new password of a person, once, and ends their sessions', async () => {
  const person = await signedIn(gateway);
  const { status, body } = await operator.call('POST', pathOf(person, 'link'));
  assert.deepEqual([status, body['email'], body['account_id']], [200, person.person.email, null]);
  assert.equal((await accept(body['token'], 'another password')).status, 200);
  assert.equal((await accept(body['token'], 'a third password')).status, 404);
  assert.equal((await person.get('/session')).status, 401);
  assert.equal((await signIn(person.person.email, 'another password')).status, 200);
});

test('an address that an account’s owner invited proves nothing: only a link makes its holder an operator', async () => {
  const email = 'alice@customer.example';
  const owner = await signedIn(gateway);
  const invited = await owner.call('POST', `/accounts/${gateway.account}/invitations`, { email, role: 'member' });
  const taken = await accept(invited.body['token'], 'chosen by the owner');
  assert.equal(taken.status, 200);
  const session = taken.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  const [listed] = await dataOf(`/operator/people?search=${email}`);
  assert.deepEqual(listed?.['joined_by_account'], { id: gateway.account, name: 'test' });
  const granted = await operator.call('PUT', `/operator/people/${String(listed['id'])}/operator`, {
    is_operator: true,
  });
  assert.deepEqual([...codeOf(granted), errorParamOf(granted)], [400, 'invalid_parameter', 'is_operator']);
  assert.equal((await callConsole(gateway, session, 'GET', '/operator/accounts')).status, 403);
  const link = await operator.call('POST', '/operator/invitations', { email, is_operator: true });
  assert.equal((await callConsole(gateway, session, 'GET', '/operator/accounts')).status, 403);
  const hers = await accept(link.body['token'], 'chosen by alice');
  const cookie = hers.headers.get('Set-Cookie')?.split(';')[0] ?? '';
  assert.equal((await callConsole(gateway, cookie, 'GET', '/operator/accounts')).status, 200);
  assert.equal((await callConsole(gateway, session, 'GET', '/session')).status, 401);
  assert.equal((await signIn(email, 'chosen by the owner')).status, 401);
  const id = String(listed['id']);
  assert.equal((await operator.call('PUT', `/operator/people/${id}/operator`, { is_operator: false })).status, 200);
});

test('a person who is disabled, or no operator any more, cannot come back by an earlier link', async () => {
  for (const [method, rest, body] of [
    ['POST', 'disable', {}],
    ['PUT', 'operator', { is_operator: false }],
  ] as const) {
    const other = await signedIn(gateway, { memberships: [], isOperator: true });
    const invited = { email: `second-${rest}@example.com`, is_operator: true };
    const own = await other.call('POST', '/operator/invitations', invited);
    const reset = await operator.call('POST', pathOf(other, 'link'));
    assert.equal((await operator.call(method, pathOf(other, rest), body)).status, 200);
    for (const link of [own, reset]) assert.equal((await accept(link.body['token'], 'chosen by me')).status, 404);
  }
});

describe('invitations', () => {
  test('make an operator, or an owner of an account', async () => {
    const invited = await operator.call('POST', '/operator/invitations', {
      email: 'Op@example.com',
      is_operator: true,
    });
    assert.equal(invited.status, 200, JSON.stringify(invited.body));
    const joined = await accept(invited.body['token'], 'long enough');
    assert.deepEqual([(joined.body['person'] as Record_)['is_operator'], joined.body['accounts']], [true, []]);
    const of = { email: 'owner@example.com', account: gateway.account, role: 'owner' };
    const owner = await operator.call('POST', '/operator/invitations', of);
    assert.deepEqual([owner.body['account_name'], owner.body['role']], ['test', 'owner']);
    await operator.call('PUT', `/operator/people/${String((joined.body['person'] as Record_)['id'])}/operator`, {
      is_operator: false,
    });
  });

  test('are listed without their tokens, with who invited, and taken back', async () => {
    const email = 'back@example.com';
    const { body } = await operator.call('POST', '/operator/invitations', { email, is_operator: true });
    const token = String(body['token']);
    const [newest] = await dataOf('/operator/invitations?limit=1');
    assert.deepEqual(
      [newest?.['email'], newest?.['state'], (newest?.['invited_by'] as Record_)['name']],
      [email, 'open', 'first@example.com'],
    );
    assert.ok(!JSON.stringify(newest).includes(token));
    const path = `/operator/invitations/${String(body['id'])}`;
    assert.equal((await operator.call('DELETE', path)).status, 204);
    assert.deepEqual(codeOf(await operator.call('DELETE', path)), [404, 'route_not_found']);
    assert.equal((await accept(token, 'long enough')).status, 404);
    assert.equal((await dataOf('/operator/invitations?limit=1'))[0]?.['state'], 'revoked');
  });

  test('to nothing, to half of something and to an account that is not there are refused', async () => {
    for (const [more, param] of [
      [{}, 'is_operator'],
      [{ account: gateway.account }, 'account'],
      [{ role: 'owner' }, 'account'],
      [{ account: `acc_${'0'.repeat(32)}`, role: 'owner' }, 'account'],
      [{ is_operator: 'yes' }, 'is_operator'],
      [{ is_operator: true, email: 'x' }, 'email'],
    ] as const) {
      const answer = await operator.call('POST', '/operator/invitations', { email: 'x@example.com', ...more });
      assert.deepEqual([answer.status, (answer.body['error'] as Record_)['param']], [400, param], JSON.stringify(more));
    }
  });
});

describe('disabling', () => {
  test('ends all sessions at once and keeps a person out until they are enabled; both are logged with their reason', async () => {
    const person = await signedIn(gateway);
    const { email } = person.person;
    const disabled = await operator.call('POST', pathOf(person, 'disable'), { reason: 'left' });
    assert.deepEqual([disabled.status, disabled.body['is_disabled']], [200, true]);
    assert.equal((await person.get('/session')).status, 401);
    assert.deepEqual(codeOf(await signIn(email, password)), [401, 'wrong_password']);
    assert.deepEqual(codeOf(await operator.call('POST', pathOf(person, 'link'))), [400, 'invalid_parameter']);
    assert.deepEqual(codeOf(await operator.call('POST', '/operator/invitations', { email, is_operator: true })), [
      400,
      'invalid_parameter',
    ]);
    const enabled = await operator.call('POST', pathOf(person, 'enable'), {});
    assert.equal(enabled.body['is_disabled'], false);
    assert.equal((await person.get('/session')).status, 401);
    assert.equal((await signIn(email, password)).status, 200);
    const acts = await dataOf('/operator/acts?limit=2');
    assert.deepEqual(
      acts.map(({ action, reason, details }) => [action, reason, (details as Record_)['email']]),
      [
        ['person.enabled', null, email],
        ['person.disabled', 'left', email],
      ],
    );
  });

  test('is nothing that an operator does to themselves', async () => {
    const other = await signedIn(gateway, { memberships: [], isOperator: true });
    assert.deepEqual(codeOf(await other.call('POST', pathOf(other, 'disable'), {})), [409, 'would_lock_out']);
    assert.deepEqual(codeOf(await other.call('PUT', pathOf(other, 'operator'), { is_operator: false })), [
      409,
      'would_lock_out',
    ]);
    assert.equal((await operator.call('PUT', pathOf(other, 'operator'), { is_operator: false })).status, 200);
    assert.deepEqual(codeOf(await other.get('/operator/people')), [403, 'permission_denied']);
  });

  test('leaves an operator, though all of them disable and demote each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const more = await Promise.all(
        Array.from({ length: 3 }, () => signedIn(gateway, { memberships: [], isOperator: true })),
      );
      const all = [operator, ...more];
      const calls = all.flatMap((by, at) => {
        const of = all[(at + 1) % all.length] ?? by;
        return [
          by.call('POST', pathOf(of, 'disable'), {}),
          by.call('PUT', pathOf(of, 'operator'), { is_operator: false }),
        ];
      });
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assert.ok(
        statuses.every((status) => [200, 401, 403, 409].includes(status)),
        statuses.join(),
      );
      const { rows } = await gateway.core.database.pool.query<{ id: string }>(
        'select id from people where is_operator and disabled_at is null',
      );
      assert.ok(rows.length >= 1, `no operator is left in round ${round}`);
      await restore(all);
    }
  });

  test('never hits the last one', async () => {
    const answer = await setDisabled({ ...gateway.by, actor: 'cli:root' }, operator.person, true);
    assert.equal(answer, 'last');
    assert.equal((await operator.get('/operator/people')).status, 200);
  });

  /** The first operator is the only one again, and signed in. */
  async function restore([first, ...others]: readonly ConsoleClient[]): Promise<void> {
    assert.ok(first);
    await setDisabled(gateway.by, first.person, false);
    const { id, email } = first.person;
    await gateway.core.database.pool.query('update people set is_operator = true, operator_seal = $2 where id = $1', [
      id,
      rightSeal(gateway.by.ledgerKey, ['operator', id, email]),
    ]);
    for (const { person } of others) await removeOperator(gateway.by, person);
    const again = await signIn(operator.person.email, password);
    const cookie = again.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const call: ConsoleClient['call'] = (method, path, body) => callConsole(gateway, cookie, method, path, body);
    operator = { ...operator, cookie, call, get: (path) => call('GET', path) };
  }
});

test('an unknown person is 404 to every call', async () => {
  for (const id of [`usr_${'0'.repeat(32)}`, 'nothing'])
    for (const [method, path, body] of [
      ['POST', 'link', undefined],
      ['POST', 'disable', {}],
      ['POST', 'enable', {}],
      ['PUT', 'operator', { is_operator: false }],
    ] as const)
      assert.deepEqual(codeOf(await operator.call(method, `/operator/people/${id}/${path}`, body)), [
        404,
        'route_not_found',
      ]);
});
