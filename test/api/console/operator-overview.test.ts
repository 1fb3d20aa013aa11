/** The operators' first page and their lists over all accounts: tasks and webhook events, found by their filters and sent again. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { changeAccount, createAccount } from '../../../src/accounts/accounts.ts';
import { keepAudit } from '../../../src/audit/audit-results.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/money.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleAnswer, type ConsoleClient, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';

/** One attempt, and it is given up. */
const deliveryPace = { firstMs: 100, factor: 0, mostMs: 100, forMs: 0 };

type Row = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name

let gateway: TestGateway;
let operator: ConsoleClient;
let owner: ConsoleClient;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
let other: { account: AccountId; key: string };
/** Of two accounts: two that succeeded, one that failed, one that runs. */
const tasks: Record<'done' | 'failed' | 'others' | 'running', string> = {
  done: '',
  failed: '',
  others: '',
  running: '',
};

before(async () => {
  gateway = await startTestGateway({ deliveryPace });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
  owner = await signedIn(gateway);
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
  receiver.answers({ status: 500 });
  other = await gateway.newKey({ balance: '5' });
  tasks.done = await image('A toll gate');
  tasks.failed = await image('[sim:fail=the brush broke]');
  tasks.others = await image('Of another account', other.key);
  tasks.running = await image('[sim:delay=600s] slow', gateway.key, false);
});
after(async () => {
  await gateway.stop();
  await closeReceiver();
});

async function image(prompt: string, key = gateway.key, isAwaited = true): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=0' };
  const made = { model: 'sim-image', prompt, size: '1024x1024' };
  const { status, body } = await gateway.post('/v1/images/generations', made, headers);
  assert.equal(status, 202, JSON.stringify(body));
  const id = String(body['id']);
  if (isAwaited) await gateway.finished(`/v1/images/generations/${id}`, key);
  return id;
}

const good = ({ status, body }: ConsoleAnswer): Row => {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const refused = ({ status, body }: ConsoleAnswer): unknown[] => {
  const { code, param } = body['error'] as { code: string; param: string | null };
  return [status, code, param];
};

test('owners see none of it', async () => {
  for (const path of ['/operator/overview', '/operator/sales', '/operator/tasks', '/operator/events'])
    assert.deepEqual(refused(await owner.get(path)), [403, 'permission_denied', null], path);
  const replay = await owner.call('POST', '/operator/events/replay', {});
  assert.deepEqual(refused(replay), [403, 'permission_denied', null]);
});

describe('tasks of all accounts', () => {
  const listed = async (query: string) => good(await operator.get(`/operator/tasks?${query}`));
  const idsOf = ({ data }: Row) => (data as Row[]).map(({ id }) => String(id));

  test('are listed newest first, with account, provider and why one failed', async () => {
    const { data } = await listed('');
    assert.deepEqual(idsOf({ data }), [tasks.running, tasks.others, tasks.failed, tasks.done]);
    const [, others, failed] = data as [Row, Row, Row];
    assert.deepEqual(
      [others['account'].id, others['provider'], others['status']],
      [other.account, 'simulator', 'succeeded'],
    );
    assert.equal(failed['status'], 'failed');
    assert.match(String(failed['error'].message), /the brush broke/);
  });

  const soon = () => encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
  const before = () => encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
  const rows: [what: string, query: () => string, names: (keyof typeof tasks)[]][] = [
    ['account', () => `account=${other.account}`, ['others']],
    ['account and state', () => `account=${gateway.account}&status=succeeded`, ['done']],
    ['the state of what failed', () => 'status=failed', ['failed']],
    ['the state of what is under way', () => 'status=processing', ['running']],
    ['code', () => 'code=task_failed', []],
    ['model', () => 'model=sim-image', ['running', 'others', 'failed', 'done']],
    ['another model', () => 'model=sim-video-fast', []],
    ['provider', () => 'provider=simulator&status=succeeded', ['others', 'done']],
    ['another provider', () => 'provider=elsewhere', []],
    ['kind', () => 'kind=video', []],
    ['id', () => `id=${tasks.others}`, ['others']],
    ['time', () => `from=${before()}&to=${soon()}&status=failed`, ['failed']],
    ['time before them', () => `to=${before()}`, []],
    ['time before them, of an account', () => `account=${other.account}&to=${before()}`, []],
    ['time before them, under way', () => `status=processing&to=${before()}`, []],
  ];
  for (const [what, query, names] of rows)
    test(`are found by ${what}`, async () => {
      assert.deepEqual(
        idsOf(await listed(query())),
        names.map((name) => tasks[name]),
      );
    });

  test('are found by the code of their error', async () => {
    const { data } = await listed('status=failed');
    const code = String((data as Row[])[0]?.['error'].code);
    assert.deepEqual(idsOf(await listed(`code=${code}`)), [tasks.failed]);
  });

  for (const [what, query] of [
    ['of all', ''],
    ['of an account', `account=`],
  ] as const)
    test(`are read by pages without a gap, ${what}`, async () => {
      const filter = query === '' ? '' : `${query}${gateway.account}&`;
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const page = await listed(`${filter}limit=1${cursor}`);
        found.push(...idsOf(page));
        if (page['next_cursor'] === null) break;
        cursor = `&cursor=${String(page['next_cursor'])}`;
      }
      const all = [tasks.running, tasks.others, tasks.failed, tasks.done];
      assert.deepEqual(found, query === '' ? all : all.filter((id) => id !== tasks.others));
    });

  test('with a wrong filter are refused with its name', async () => {
    for (const [query, param] of [
      ['status=lost', 'status'],
      ['kind=chat', 'kind'],
      ['cursor=x', 'cursor'],
      ['from=2026-02-01&to=2026-01-01', 'to'],
    ] as const)
      assert.deepEqual(refused(await operator.get(`/operator/tasks?${query}`)), [400, 'invalid_parameter', param]);
  });
});

describe('webhook events of all accounts', () => {
  const listed = async (query = '') => good(await operator.get(`/operator/events${query}`))['data'] as Row[];
  const ids = async (query = '') => (await listed(query)).map(({ id }) => String(id));
  let first: { account: AccountId; event: string };
  let second: typeof first;
  before(async () => {
    first = await tried('first');
    second = await tried('second');
  });

  /** An account whose test event was given up. */
  async function tried(name: string) {
    const { id: account } = await createAccount(gateway.by, name);
    await changeAccount(gateway.by, account, { webhookUrl: `${receiver.url}/hook?token=t` });
    const event = String(good(await operator.call('POST', `/accounts/${account}/webhook/test`))['event']);
    await ended(event, false);
    return { account, event };
  }
  const ended = (id: string, delivered: boolean) =>
    until('the end of the event', async () =>
      (await listed()).find((event) => event['id'] === id)?.['delivered'] === delivered ? true : undefined,
    );

  test('are found by account, state and type, each with its account', async () => {
    assert.deepEqual(await ids(), [second.event, first.event]);
    assert.deepEqual(await ids('?limit=1'), [second.event]);
    assert.deepEqual(await ids(`?cursor=${second.event}`), [first.event]);
    assert.deepEqual(await ids(`?account=${first.account}`), [first.event]);
    assert.deepEqual(await ids('?status=failed'), [second.event, first.event]);
    for (const query of ['?status=delivered', '?status=pending', '?type=batch.completed'])
      assert.deepEqual(await ids(query), [], query);
    const [event] = await listed('?type=webhook.test&limit=1');
    assert.deepEqual([event?.['account'], event?.['last'].status], [{ id: second.account, name: 'second' }, 500]);
    assert.ok(!JSON.stringify(event).includes('token'));
  });

  test('that were given up are sent again, of one account or of all', async () => {
    receiver.answers({ status: 204 });
    const replay = async (body: unknown) => good(await operator.call('POST', '/operator/events/replay', body));
    assert.deepEqual(await replay({ account: first.account }), { replayed: 1 });
    await ended(first.event, true);
    assert.deepEqual(await ids('?status=failed'), [second.event]);
    assert.deepEqual(await replay({ type: 'batch.completed' }), { replayed: 0 });
    assert.deepEqual(await replay({}), { replayed: 1 });
    await ended(second.event, true);
    assert.deepEqual(await ids('?status=delivered'), [second.event, first.event]);
  });
});

describe('the first page', () => {
  const overview = async () => good(await operator.get('/operator/overview'));

  test('counts what failed by its code, what waits, and the accounts that are low', async () => {
    const { id: poor } = await createAccount(gateway.by, 'poor');
    const before = await overview();
    assert.ok(!(before['low_accounts'].poorest as Row[]).some(({ id }) => id === poor), 'it has not been used yet');
    await changeAccount(gateway.by, other.account, { lowBalance: micros(9_000_000n) });
    const { status } = await gateway.post('/v1/chat/completions', { model: 'none', messages: [] });
    assert.equal(status, 404);
    const shown = await overview();
    const { last_day: requests } = shown['requests'];
    assert.ok(requests.count >= 5 && requests.failed >= 1);
    assert.ok((requests.by_code as Row[]).some(({ code, count }) => code === 'model_not_found' && count === 1));
    const { last_hour: ofTasks } = shown['tasks'];
    assert.deepEqual([ofTasks.count, ofTasks.failed, ofTasks.by_code.length], [3, 1, 1]);
    assert.deepEqual(shown['tasks'].last_day, ofTasks);
    const { tasks_waiting: waiting, tasks_running: running, ...queues } = shown['queues'];
    assert.equal(Number(waiting) + Number(running), 1);
    assert.deepEqual(queues, { tasks_queued: 0, batches: 0, batch_lines: 0, events: 0 });
    assert.deepEqual(shown['unknown_outcomes'], { count: 0, has_more: false });
    const low = shown['low_accounts'];
    assert.equal(low.count, 1);
    assert.deepEqual([low.poorest[0].id, low.poorest[0].low_balance], [other.account, 9]);
  });

  test('has the last audit', async () => {
    assert.equal((await overview())['audit'], null);
    const startedAt = new Date();
    const found = { agrees: false, looked: {}, findingCount: 3, findings: [], since: undefined };
    const { database } = gateway.core;
    await keepAudit(database, gateway.by.ledgerKey, { startedAt, finishedAt: startedAt, ...found }, { leftOut: [] });
    const { audit } = await overview();
    assert.deepEqual([audit.agrees, audit.finding_count], [false, 3]);
  });

  test('sums revenue, cost and margin by day, by period and by account', async () => {
    const { periods, days, accounts } = good(await operator.get('/operator/sales'));
    assert.deepEqual(
      (periods as Row[]).map(({ days: count }) => Number(count)),
      [1, 7, 30],
    );
    assert.equal(days.length, 1);
    for (const period of periods as Row[]) {
      assert.equal(period['revenue'], days[0].revenue);
      assert.equal(period['margin'], days[0].margin);
      assert.equal(period['calls'], 2);
    }
    assert.deepEqual(
      new Set((accounts as Row[]).map(({ account_id: id }) => String(id))),
      new Set([gateway.account, other.account]),
    );
    const paid = (accounts as Row[]).reduce((sum, { revenue }) => sum + Number(revenue), 0);
    assert.ok(Math.abs(paid - Number(days[0].revenue)) < 1e-6);
  });
});
