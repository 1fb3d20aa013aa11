/** The people of an account: their roles, and asking others in. */
import assert from 'node:assert/strict';
import { beforeEach, after, before, describe, test } from 'node:test';
import type { AccountId } from '../../../src/domain/ids.ts';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { listActs } from '../../../src/ledger/audit-log.ts';
import { invite as inviteTo } from '../../../src/accounts/invitations.ts';
import { sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, type ConsoleAnswer, type ConsoleClient, password, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
let account: AccountId;
let owner: ConsoleClient;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());
beforeEach(async () => {
  account = (await createAccount(gateway.by, 'team')).id;
  owner = await joined('owner');
});

const joined = (role: 'owner' | 'member') => signedIn(gateway, { memberships: [{ account, role }] });
const members = () => `/accounts/${account}/members`;
const memberOf = ({ person }: ConsoleClient) => `${members()}/${person.id}`;
const invitations = () => `/accounts/${account}/invitations`;
const dataOf = <Shown>({ body }: ConsoleAnswer) => body['data'] as Shown[];
const rolesOf = async () =>
  dataOf<{ id: string; role: string }>(await owner.get(members())).map(({ id, role }) => [id, role]);
const refused = ({ status, body }: ConsoleAnswer): unknown[] => {
  const { code, param } = body['error'] as { code: string; param: string | null };
  return [status, code, param];
};
const invite = async (email: string, role: string, by = owner): Promise<{ id: string; token: string }> => {
  const { status, body } = await by.call('POST', invitations(), { email, role });
  assert.equal(status, 200, JSON.stringify(body));
  return body as { id: string; token: string };
};
const accept = (token: string, typed: string) =>
  callConsole(gateway, '', 'POST', '/invitations/accept', { token, password: typed });
const look = (token: string) => callConsole(gateway, '', 'POST', '/invitations/look', { token });
const newest = async () => {
  const [act] = await listActs(gateway.core.database, { account, limit: 1 });
  return [act?.action, act?.actor, act?.details];
};

test('a role that is changed holds for the next request, either way, and is logged', async () => {
  const member = await joined('member');
  const invited = () => member.call('POST', invitations(), { email: 'x@example.com', role: 'member' });
  assert.equal((await invited()).status, 403);
  const raised = await owner.call('PATCH', memberOf(member), { role: 'owner' });
  assert.deepEqual([raised.status, raised.body['role'], raised.body['email']], [200, 'owner', member.person.email]);
  const { status, body: link } = await invited();
  assert.equal(status, 200);
  assert.equal((await owner.call('PATCH', memberOf(member), { role: 'member' })).status, 200);
  const { id, email } = member.person;
  assert.deepEqual(await newest(), [
    'person.changed',
    `person:${owner.person.id}`,
    { person: id, email, role: 'member', links_taken_back: link['id'] },
  ]);
  assert.equal((await invited()).status, 403);
});

test('a removed member finds no such account from the next request on', async () => {
  const member = await joined('member');
  assert.equal((await member.get(members())).status, 200);
  assert.equal((await owner.call('DELETE', memberOf(member))).status, 204);
  assert.deepEqual(refused(await member.get(members())), [404, 'route_not_found', null]);
  assert.deepEqual(refused(await owner.call('DELETE', memberOf(member))), [404, 'route_not_found', null]);
  assert.equal((await newest())[0], 'person.removed');
});

test('a removed member, or former owner, cannot come back by an earlier link', async () => {
  for (const leave of [
    (path: string) => owner.call('DELETE', path),
    (path: string) => owner.call('PATCH', path, { role: 'member' }),
  ]) {
    const other = await joined('owner');
    const own = await invite('second.address@example.com', 'owner', other);
    const kept = await invite('colleague@example.com', 'owner');
    const elsewhere = {
      email: other.person.email,
      account: gateway.account,
      role: 'owner',
      makesOperator: false,
    } as const;
    const { token } = await inviteTo(gateway.by, elsewhere);
    assert.equal((await leave(memberOf(other))).status < 300, true);
    assert.equal((await accept(own.token, 'chosen by me')).status, 404);
    const [, , details] = await newest();
    assert.equal((details as Record<string, string>)['links_taken_back'], own.id);
    for (const good of [kept.token, token]) assert.equal((await look(good)).status, 200);
  }
});

describe('the last owner', () => {
  test('stays, and stays owner', async () => {
    await joined('member');
    assert.deepEqual(refused(await owner.call('DELETE', memberOf(owner))), [409, 'last_owner', null]);
    assert.deepEqual(refused(await owner.call('PATCH', memberOf(owner), { role: 'member' })), [
      409,
      'last_owner',
      null,
    ]);
    assert.equal((await owner.call('PATCH', memberOf(owner), { role: 'owner' })).status, 200);
  });

  test('stays when all owners go at once', async () => {
    const owners = [owner, await joined('owner'), await joined('owner')];
    const head = await gateway.core.database.pool.connect();
    try {
      // No change can commit before all of them are under way.
      await head.query('begin');
      await head.query("select 1 from chains where name = 'acts' for update");
      const going = Promise.all(
        owners.map((each, at) =>
          at === 0 ? each.call('PATCH', memberOf(each), { role: 'member' }) : each.call('DELETE', memberOf(each)),
        ),
      );
      await until('all of them to wait', async () => ((await waiting()) >= owners.length ? true : undefined));
      await head.query('commit');
      assert.deepEqual(
        (await going).map(({ status }) => status).filter((status) => status >= 400),
        [409],
      );
    } finally {
      head.release(true);
    }
    const operator = await signedIn(gateway, { memberships: [], isOperator: true });
    const left = dataOf<{ role: string }>(await operator.get(members()));
    assert.equal(left.filter(({ role }) => role === 'owner').length, 1);
  });
});

/** How many of this database's connections wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await gateway.core.database.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length;
}

describe('invitations', () => {
  test('show their link once, are listed with what became of them, and make a person of the account', async () => {
    const { token, id } = await invite('New.One@Example.com', 'member');
    const listed = await owner.get(invitations());
    assert.ok(!JSON.stringify(listed.body).includes(token));
    assert.deepEqual((await look(token)).body['keeps_password'], false);
    assert.equal((await accept(token, 'chosen by me')).status, 200);
    const back = await invite('other@example.com', 'owner');
    assert.equal((await owner.call('DELETE', `${invitations()}/${back.id}`)).status, 204);
    assert.deepEqual(refused(await owner.call('DELETE', `${invitations()}/${back.id}`)), [
      404,
      'route_not_found',
      null,
    ]);
    assert.equal((await accept(back.token, 'chosen by me')).status, 404);
    const shown = dataOf<{ id: string; email: string; role: string; state: string }>(await owner.get(invitations()));
    assert.deepEqual(
      shown.map((one) => [one.id, one.email, one.role, one.state]),
      [
        [back.id, 'other@example.com', 'owner', 'revoked'],
        [id, 'new.one@example.com', 'member', 'used'],
      ],
    );
  });

  test('give no owner the sign-in of another: an existing person joins by their own password', async () => {
    const operator = await signedIn(gateway, { memberships: [], isOperator: true });
    const { token } = await invite(operator.person.email, 'member');
    assert.deepEqual((await look(token)).body['keeps_password'], true);
    assert.deepEqual(refused(await accept(token, 'chosen by the owner')), [401, 'wrong_password', null]);
    assert.equal((await operator.get('/session')).status, 200);
    assert.equal((await accept(token, password)).status, 200);
    assert.equal((await operator.get('/session')).status, 200);
    assert.ok((await rolesOf()).some(([id, role]) => id === operator.person.id && role === 'member'));
  });

  test('of two for one new address, the second needs the password that the first one set', async () => {
    const links = [await invite('twice@example.com', 'member'), await invite('twice@example.com', 'owner')];
    const answers = await Promise.all(links.map(({ token }, at) => accept(token, `chosen by number ${at}`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
    const first = answers.findIndex(({ status }) => status === 200);
    assert.equal((await accept(links[1 - first]?.token ?? '', `chosen by number ${first}`)).status, 200);
  });

  test('never make an owner less', async () => {
    const late = await joined('member');
    const { email } = late.person;
    assert.equal((await owner.call('DELETE', memberOf(late))).status, 204);
    const links = [await invite(email, 'owner'), await invite(email, 'member')];
    for (const { token } of links) assert.equal((await accept(token, password)).status, 200);
    assert.deepEqual((await rolesOf()).find(([id]) => id === late.person.id)?.[1], 'owner');
  });

  test('are refused for members, and for what is no address or role', async () => {
    for (const [body, param] of [
      [{ email: owner.person.email.toUpperCase(), role: 'member' }, 'email'],
      [{ email: 'no address', role: 'member' }, 'email'],
      [{ email: 'x@example.com', role: 'operator' }, 'role'],
    ] as const) {
      assert.deepEqual(refused(await owner.call('POST', invitations(), body)), [400, 'invalid_parameter', param]);
    }
  });

  test('of another account can’t be taken back', async () => {
    const { id, token } = await invite('y@example.com', 'member');
    const stranger = await signedIn(gateway);
    const elsewhere = `/accounts/${gateway.account}/invitations/${id}`;
    assert.deepEqual(refused(await stranger.call('DELETE', elsewhere)), [404, 'route_not_found', null]);
    assert.equal((await look(token)).status, 200);
  });
});
