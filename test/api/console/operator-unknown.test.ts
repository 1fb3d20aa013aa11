/** Paid calls of unknown outcome and the audit log, as operators see them and tick them off. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TaskId } from '../../../src/domain/ids.ts';
import { closeIntent, openIntent } from '../../../src/tasks/provider-calls/intents.ts';
import { noteJobLeft } from '../../../src/tasks/provider-calls/intent-reports.ts';
import { auditEverything } from '../../../src/audit/whole-audit.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { admissionOf, failureOf } from '../../support/money.ts';
import { type ConsoleAnswer, type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
let customer: { account: TestGateway['account']; key: Parameters<typeof admissionOf>[0]['key'] };
/** By what became of them. */
const tasks: Record<string, TaskId> = {};

before(async () => {
  gateway = await startTestGateway({ worker: false });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
  const { keyId } = await gateway.newKey();
  customer = { account: gateway.account, key: keyId as typeof customer.key };
  const lost = await sent('lost');
  await closed(lost, { outcome: 'unknown', reason: 'the connection <b>broke</b>', requestId: 'up-lost' });
  await gateway.core.ledger.releaseTask(failureOf(customer, lost));
  await closed(await sent('searching'), { outcome: 'unknown', reason: 'reset by peer' });
  const late = await sent('late');
  await gateway.core.ledger.releaseTask(failureOf(customer, late, 'cancelled'));
  await closed(late, { outcome: 'accepted', jobId: 'j-late' });
  const left = await sent('left');
  await closed(left, { outcome: 'accepted', jobId: 'j-left' });
  await gateway.core.ledger.releaseTask(failureOf(customer, left, 'cancelled'));
  await noteJobLeft(gateway.core.database, left, 0, 'its provider offers no cancelling');
  await closed(await sent('running'), { outcome: 'accepted', jobId: 'j-run' }); // nothing is the matter with it
});
after(() => gateway.stop());

async function sent(name: string): Promise<TaskId> {
  const answer = await gateway.core.ledger.admitTask(admissionOf(customer, 200_000n));
  assert.ok(answer.admitted === 'new');
  tasks[name] = answer.taskId;
  assert.equal((await openIntent(gateway.core.database, answer.taskId, 0, 'simulator')).opened, 'now');
  return answer.taskId;
}
const closed = (id: TaskId, closing: Parameters<typeof closeIntent>[3]) =>
  closeIntent(gateway.core.database, id, 0, closing);

type Record_ = Record<string, unknown>;
const read = async (query = '') => (await operator.get(`/operator/unknown-outcomes${query}`)).body;
const listed = async (query = '') => (await read(query))['data'] as Record_[];
const named = (records: readonly Record_[]) =>
  records.map((one) => Object.keys(tasks).find((name) => tasks[name] === one['task_id']) ?? '?');
const review = (name: string, note: unknown, route = '0') =>
  operator.call('PUT', `/operator/unknown-outcomes/${tasks[name] ?? name}/${route}/review`, { note });
const reopen = (name: string) => operator.call('DELETE', `/operator/unknown-outcomes/${tasks[name] ?? name}/0/review`);
const codeOf = ({ status, body }: ConsoleAnswer) => [status, (body['error'] as Record_ | undefined)?.['code']];

describe('paid calls of unknown outcome', () => {
  test('are listed with all that is known of them, and with their case', async () => {
    const data = await listed();
    assert.deepEqual(named(data), ['left', 'late', 'searching', 'lost']);
    assert.deepEqual(
      data.map((one) => one['case']),
      ['left', 'late', 'searching', 'lost'],
    );
    const { sent: sentAt, closed: closedAt, finished, ...lost } = data[3] ?? {};
    assert.ok([sentAt, closedAt, finished].every((time) => typeof time === 'number'));
    assert.deepEqual(lost, {
      object: 'unknown_outcome',
      task_id: tasks['lost'],
      reference: `tg-${tasks['lost']}`,
      kind: 'image',
      account_id: gateway.account,
      account_name: 'test',
      model: 'sim-image',
      state: 'failed',
      hold: 0.2,
      cost: null,
      route: 0,
      provider: 'simulator',
      case: 'lost',
      job_id: null,
      upstream_request_id: 'up-lost',
      reason: 'the connection <b>broke</b>',
      review: null,
    });
  });

  test('are read by pages without a gap', async () => {
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const page = await read(`?limit=1${cursor}`);
      found.push(...named(page['data'] as Record_[]));
      if (page['has_more'] !== true) break;
      cursor = `&cursor=${String(page['next_cursor'])}`;
    }
    assert.deepEqual(found, ['left', 'late', 'searching', 'lost']);
  });

  test('are ticked off with a note, by two at once too, and taken back; all of it is logged', async () => {
    const ticked = await review('lost', ' the provider knows nothing of it ');
    assert.equal(ticked.status, 200, JSON.stringify(ticked.body));
    const reviewed = ticked.body['review'] as Record_;
    assert.deepEqual(
      [reviewed['note'], (reviewed['by'] as Record_)['name']],
      ['the provider knows nothing of it', operator.person.email],
    );
    assert.deepEqual(named(await listed()), ['left', 'late', 'searching']);
    assert.deepEqual(named(await listed('?state=reviewed')), ['lost']);
    const both = await Promise.all([review('late', 'one'), review('late', 'two')]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await reopen('lost')).status, 204);
    assert.deepEqual(codeOf(await reopen('lost')), [404, 'route_not_found']);
    assert.deepEqual(named(await listed()), ['left', 'searching', 'lost']);
    const acts = (await operator.get(`/operator/acts?account=${gateway.account}&limit=4`)).body['data'] as Record_[];
    assert.deepEqual(
      acts.map(({ action, details }) => [action, (details as Record_)['task_id']]),
      [
        ['outcome.reopened', tasks['lost']],
        ['outcome.reviewed', tasks['late']],
        ['outcome.reviewed', tasks['late']],
        ['outcome.reviewed', tasks['lost']],
      ],
    );
    assert.deepEqual(
      acts
        .slice(1, 3)
        .map(({ reason }) => reason)
        .sort(),
      ['one', 'two'],
    );
  });

  test('are none of those whose outcome is known, nor of tasks that are not there', async () => {
    for (const [name, route] of [
      ['running', '0'],
      ['lost', '1'],
      ['lost', 'x'],
      [`img_${'0'.repeat(32)}`, '0'],
      ['nothing', '0'],
    ] as const)
      assert.deepEqual(codeOf(await review(name, 'x', route)), [404, 'route_not_found']);
    for (const note of ['', ' ', 'x'.repeat(501), 5]) assert.equal((await review('lost', note)).status, 400);
  });
});

test('the log is filtered by who, what, where and when, and read by pages', async () => {
  const acts = async (query: string) => (await operator.get(`/operator/acts?${query}`)).body['data'] as Record_[];
  const mine = await acts(`actor=${encodeURIComponent(operator.person.email.toUpperCase())}`);
  assert.equal(mine.length, 4);
  const id = String((mine[0]?.['actor'] as Record_ | undefined)?.['id']);
  assert.equal(id, `person:${operator.person.id}`);
  assert.equal((await acts(`actor=${encodeURIComponent(id)}`)).length, 4);
  assert.equal((await acts(`action=outcome.reviewed&account=${gateway.account}`)).length, 3);
  assert.equal((await acts('action=account.credited'))[0]?.['amount'], 100);
  assert.equal((await acts('to=2020-01-01')).length, 0);
  assert.ok((await acts('from=2020-01-01&limit=100')).length > 4);
  const page = (await operator.get('/operator/acts?limit=2')).body;
  const next = await acts(`limit=2&cursor=${String(page['next_cursor'])}`);
  const number = (one: Record_ | undefined) => Number(String(one?.['id']).slice(4));
  assert.equal(number(next[0]), number((page['data'] as Record_[])[1]) - 1);
  const created = (await acts('action=key.created'))[0];
  assert.ok(created && !JSON.stringify(created).includes('"hash"'));
  for (const wrong of ['from=x', 'from=2021-01-01&to=2020-01-01', 'action=x', 'account=x', 'actor=', 'cursor=x'])
    assert.equal((await operator.get(`/operator/acts?${wrong}`)).status, 400, wrong);
});

// Last: it looks at all that the tests before it did.
test('after all this the audit finds that everything agrees', async () => {
  const { database, blobs, secrets, fetchWindowMs } = gateway.core;
  const ledgerKeys = secrets.all.map(({ ledger }) => ledger);
  const report = await auditEverything({ database, blobs, ledgerKeys, temporal: 'left_out', fetchWindowMs });
  assert.deepEqual(
    report.findings.filter(({ check }) => check !== 'blobs'),
    [],
  );
});
