/** The settings of an account and its audit log, as its owners have them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AccountId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/money.ts';
import { sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
before(async () => {
  gateway = await sharedTestGateway();
  operator = await signedIn(gateway, { email: 'boss@service.example', memberships: [], isOperator: true });
});
after(() => gateway.stop());

async function customer(email: string) {
  const { account } = await gateway.newKey({ balance: '5', name: 'shop' });
  const owner = await signedIn(gateway, { email, memberships: [{ account, role: 'owner' }] });
  return { account, owner };
}

const good = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
  assert.ok(status < 300, JSON.stringify(body));
  return body;
};
const paramOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { param: string }).param;

describe('settings', () => {
  test('are shown with how long things are kept, and set one by one', async () => {
    const { account, owner } = await customer('ann@shop.example');
    const path = `/accounts/${account}/settings`;
    const first = good(await owner.get(path));
    assert.deepEqual(first, {
      ...{ name: 'shop', time_zone: 'UTC', low_balance: null, webhook_url: null },
      ...{ result_retention_days: 7, request_retention_days: 30, ...pick(first, 'name') },
    });
    const set = good(await owner.call('PATCH', path, { name: ' 商店 ', time_zone: 'asia/shanghai', low_balance: 2 }));
    const wanted = { ...first, name: '商店', time_zone: 'Asia/Shanghai', low_balance: 2 };
    assert.deepEqual(set, wanted);
    assert.deepEqual(good(await owner.call('PATCH', path, { low_balance: null })), { ...wanted, low_balance: null });
    const session = good(await owner.get('/session'));
    const [own] = session['accounts'] as Record<string, unknown>[];
    assert.deepEqual([own?.['name'], own?.['time_zone']], ['商店', 'Asia/Shanghai']);
  });

  for (const [body, param] of [
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ time_zone: '+08:00' }, 'time_zone'],
    [{ time_zone: '' }, 'time_zone'],
    [{ name: ' ' }, 'name'],
    [{ name: null }, 'name'],
  ] as const)
    test(`can't be ${JSON.stringify(body)}`, async () => {
      const answer = await operator.call('PATCH', `/operator/accounts/${gateway.account}`, body);
      assert.deepEqual([answer.status, paramOf(answer)], [400, param]);
    });

  test('are set by operators, too', async () => {
    const { account } = await customer('ben@shop.example');
    const answer = await operator.call('PATCH', `/operator/accounts/${account}`, { time_zone: 'America/New_York' });
    assert.equal(good(answer)['time_zone'], 'America/New_York');
  });
});

const pick = (from: Record<string, unknown>, name: string) => ({ [name]: from[name] });

interface Act {
  action: string;
  actor: { kind: string; name: string | null };
  subject: string | null;
  amount: number | null;
  reason: string | null;
  facts: Record<string, unknown>;
}

async function actsOf({ account, owner }: { account: AccountId; owner: ConsoleClient }, query = '') {
  return good(await owner.get(`/accounts/${account}/acts?limit=100${query}`))['data'] as Act[];
}

describe("an account's audit log", () => {
  test('has what its people and operators did in it, without the names of operators or what is not its own', async () => {
    const shop = await customer('cat@shop.example');
    const other = await customer('dan@other.example');
    const { account, owner } = shop;
    const made = good(await owner.call('POST', `/accounts/${account}/keys`, { name: 'till', level: 'chat' }));
    await owner.call('PATCH', `/accounts/${account}/settings`, { time_zone: 'Asia/Shanghai' });
    await owner.call('POST', `/accounts/${account}/invitations`, { email: 'eve@shop.example', role: 'member' });
    const request = crypto.randomUUID();
    const credit = { request, amount: '2.5', reason: 'invoice 7' };
    good(await operator.call('POST', `/operator/accounts/${account}/credits`, credit));
    good(await operator.call('POST', `/operator/accounts/${account}/suspend`, { reason: 'a note of ours' }));
    await gateway.core.ledger.credit(account, micros(1n), 'of the machine', 'cli:root');
    const acts = await actsOf(shop);
    const shown = acts.map(({ action, actor, amount, reason }) => [action, actor.kind, actor.name, amount, reason]);
    assert.deepEqual(shown.slice(0, 6), [
      ['account.credited', 'operator', null, 0.000001, 'of the machine'],
      ['account.suspended', 'operator', null, null, null],
      ['account.credited', 'operator', null, 2.5, 'invoice 7'],
      ['person.invited', 'person', 'cat@shop.example', null, null],
      ['account.changed', 'person', 'cat@shop.example', null, null],
      ['key.created', 'person', 'cat@shop.example', null, null],
    ]);
    assert.equal(acts[3]?.subject, 'eve@shop.example');
    assert.equal(acts[4]?.facts['time_zone'], 'Asia/Shanghai');
    assert.deepEqual([acts[5]?.subject, acts[5]?.facts['name']], [(made['id'] ?? pick(made, 'key')) as string, 'till']);
    const text = JSON.stringify(acts);
    for (const secret of [
      'boss@service.example',
      'cli:',
      'hash',
      'memberships',
      'is_operator',
      other.account,
      'a note',
    ])
      assert.ok(!text.includes(secret), secret);
  });

  test('is filtered by kind, person and days, and people of others are not found', async () => {
    const shop = await customer('fay@shop.example');
    const { account, owner } = shop;
    await owner.call('PATCH', `/accounts/${account}/settings`, { low_balance: 1 });
    await operator.call('PATCH', `/operator/accounts/${account}`, { low_balance: 2 });
    assert.equal((await actsOf(shop, '&action=account.changed')).length, 2);
    assert.equal((await actsOf(shop, '&actor=FAY@shop.example')).length, 1);
    assert.deepEqual(await actsOf(shop, '&actor=boss@service.example'), []);
    assert.deepEqual(await actsOf(shop, '&actor=cli:root'), []);
    assert.deepEqual(await actsOf(shop, '&to=2020-01-01'), []);
    assert.ok((await actsOf(shop, '&from=2020-01-01')).length >= 2);
  });

  test('comes as a file, as does that of all accounts for operators', async () => {
    const { account, owner } = await customer('gil@shop.example');
    await owner.call('PATCH', `/accounts/${account}/settings`, { time_zone: 'Asia/Kolkata' });
    const file = async (path: string, { cookie }: ConsoleClient) => {
      const response = await fetch(`${gateway.url}/console/api${path}`, { headers: { Cookie: cookie } });
      assert.equal(response.status, 200);
      return (await response.text()).trimEnd().split('\r\n');
    };
    const [head, line = ''] = await file(`/accounts/${account}/acts.csv?action=account.changed`, owner);
    assert.equal(head, 'id,time,action,actor,subject,subject_name,amount,reason,facts,currency');
    assert.match(line, /^act_\d+,[-\dT:]{19}\+05:30,account\.changed,gil@shop\.example,acc_/);
    const [, ofAll = ''] = await file(`/operator/acts.csv?account=${account}&action=account.changed`, operator);
    assert.match(ofAll, /^act_\d+,[-\dT:]{19}\+00:00,account\.changed,person:usr_\w+,gil@shop\.example,acc_/);
  });
});
