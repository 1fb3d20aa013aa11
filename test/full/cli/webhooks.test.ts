/** `tollgate webhooks`, on a database with events that ended in every way. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { micros } from '../../../src/domain/money.ts';
import { changeAccount } from '../../../src/accounts/accounts.ts';
import { listEvents } from '../../../src/webhooks/event-log.ts';
import { giveEventUp, markEventsStarted, noteAttempt } from '../../../src/webhooks/events.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { administrator, admissionOf, type Customer, failureOf, newCustomer, newLedger } from '../../support/money.ts';
import { Installation } from '../../support/process.ts';

let db: TestDatabase;
let home: Installation;
let ada: Customer;
let bob: Customer;
const events = { waiting: '', sending: '', delivered: '', failed: '' };
let cyd: Customer;
/** Of a customer without a webhook of its own: a task whose webhook was notified, and others. */
const tasks = { notified: '', silent: '', running: '', old: '' };

before(async () => {
  db = await freshDatabase();
  home = await Installation.make({ DATABASE_URL: db.url, TOLLGATE_SECRET: 'a secret of the tests with 40 characters' });
  const ledger = newLedger(db.database);
  [ada, bob] = [await newCustomer(db.database, ledger, 100n), await newCustomer(db.database, ledger, 100n)];
  const owed = async ({ account }: Customer) => {
    const changes = { webhookUrl: 'https://receiver.example:8443/hook?token=t', lowBalance: micros(100n) };
    await changeAccount(administrator(db.database), account, changes);
    await ledger.adjust(account, micros(-1n), 'for a test');
    await ledger.adjust(account, micros(1n), 'for a test');
    return (await listEvents(db.database, { account, limit: 1 }))[0]?.id ?? assert.fail('no event is owed');
  };
  events.failed = await owed(ada);
  events.delivered = await owed(bob);
  events.sending = await owed(bob);
  events.waiting = await owed(bob);
  await markEventsStarted(db.database, [events.failed, events.delivered, events.sending]);
  const refusing = { durationMs: 12.4, status: 500, fault: 'the receiver returned 500' };
  await noteAttempt(db.database, events.failed, refusing, false);
  await noteAttempt(
    db.database,
    events.failed,
    { durationMs: 5, status: 410, fault: 'gone', answer: 'Enough.' },
    false,
  );
  await giveEventUp(db.database, events.failed);
  await noteAttempt(db.database, events.delivered, { durationMs: 7, status: 204, fault: null }, true);
  await noteAttempt(db.database, events.sending, refusing, false);

  cyd = await newCustomer(db.database, ledger, 100n);
  const admitted = async (webhookUrl?: string) => {
    const answer = await ledger.admitTask(admissionOf(cyd, 1n, webhookUrl === undefined ? {} : { webhookUrl }));
    return answer.admitted === 'new' ? answer.taskId : assert.fail(answer.admitted);
  };
  const [notified, silent, running, old] = [await admitted('https://hear.example/hook'), await admitted(), await admitted(), await admitted()]; // oxfmt-ignore
  const { eventId = '' } = await ledger.releaseTask(failureOf(cyd, notified));
  await noteAttempt(db.database, eventId, { durationMs: 7, status: 204, fault: null }, true);
  for (const task of [silent, old]) await ledger.releaseTask(failureOf(cyd, task));
  await db.database.pool.query(`update tasks set finished_at = finished_at - interval '31 days' where id = $1`, [old]);
  Object.assign(tasks, { notified, silent, running, old });
});
after(async () => {
  await home.remove();
  await db.drop();
});

const listed = async (...options: string[]) => {
  const { data, ...list } = await home.json('webhooks', 'list', ...options);
  assert.deepEqual(list, { object: 'list', has_more: false, next_cursor: null });
  return data as Record<string, unknown>[];
};

test('show lists every attempt to deliver an event, by its id or that of its task', async () => {
  const { deliveries, ...event } = await home.json('webhooks', 'show', events.failed);
  assert.deepEqual([event['id'], event['status'], event['attempts']], [events.failed, 'given_up', 2]);
  assert.deepEqual(
    (deliveries as Record<string, unknown>[]).map(({ attempt, http_status, fault, answer }) => [
      ...[attempt, http_status, fault, answer],
    ]),
    [
      [1, 500, 'the receiver returned 500', null],
      [2, 410, 'gone', 'Enough.'],
    ],
  );
  const { stdout } = await home.run(['webhooks', 'show', tasks.notified]);
  assert.match(stdout, /^ATTEMPT +AT +MS +HTTP +WHY\n1 +\S+Z +7 +204 +-$/m);
  const silent = await home.run(['webhooks', 'show', tasks.silent]);
  assert.deepEqual([silent.code, silent.stdout], [1, '']);
});

test('list shows what became of each event, newest first, and of its address the host only', async () => {
  const [ofTask, ...all] = await listed();
  assert.deepEqual([ofTask?.['type'], ofTask?.['task_id']], ['image.failed', tasks.notified]);
  assert.deepEqual(
    all.map(({ id, status, attempts }) => ({ id, status, attempts })),
    [
      { id: events.waiting, status: 'waiting', attempts: 0 },
      { id: events.sending, status: 'sending', attempts: 1 },
      { id: events.delivered, status: 'delivered', attempts: 1 },
      { id: events.failed, status: 'given_up', attempts: 2 },
    ],
  );
  const { created, ended, last_attempt, ...failed } = all[3] ?? assert.fail('no event');
  assert.deepEqual(failed, {
    id: events.failed,
    object: 'event',
    type: 'account.balance_low',
    account_id: ada.account,
    task_id: null,
    host: 'receiver.example:8443',
    status: 'given_up',
    attempts: 2,
  });
  assert.equal(typeof created, 'number');
  assert.equal(typeof ended, 'number');
  const { at, ...last } = last_attempt as Record<string, unknown>;
  assert.equal(typeof at, 'number');
  assert.deepEqual(last, { duration_ms: 5, http_status: 410, fault: 'gone' });
  const { stdout } = await home.run(['webhooks', 'list']);
  assert.match(stdout, new RegExp(`image.failed +${tasks.notified} +hear.example +delivered`));
  assert.match(stdout, new RegExp(`${events.failed}.* receiver.example:8443 +given_up .* gone`));
  assert.doesNotMatch(stdout, /hook|token/);
});

test('list can be narrowed to an account and to what failed', async () => {
  assert.equal((await listed('--account', bob.account)).length, 3);
  assert.deepEqual(
    (await listed('--failed')).map(({ id }) => id),
    [events.failed],
  );
  assert.deepEqual(await listed('--failed', '--account', bob.account), []);
  const { code, stderr } = await home.run(['webhooks', 'list', '--account', 'acc_x']);
  assert.deepEqual([code, stderr], [1, 'Account acc_x not found.\n']);
});

test('replay has an event sent again, and refuses one that is still being sent or that there is not', async () => {
  for (const [id, reported] of [
    [events.waiting, /is still being delivered/],
    [events.sending, /is still being delivered/],
    ['evt_x', /^No event or task has the id evt_x\.\n$/],
  ] as const) {
    const { code, stdout, stderr } = await home.run(['webhooks', 'replay', id]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, reported);
  }
  const replayed = await home.json('webhooks', 'replay', events.failed);
  assert.deepEqual([replayed['status'], replayed['attempts'], replayed['ended']], ['waiting', 2, null]);
  const { stdout } = await home.run(['webhooks', 'replay', events.delivered]);
  assert.equal(stdout, `${events.delivered} is being resent to receiver.example:8443.\n`);
  const { rows } = await db.database.pool.query<{ actor: string; details: unknown }>(
    `select actor, details from acts where action = 'event.replayed' order by seq`,
  );
  assert.deepEqual(
    rows.map(({ details }) => details),
    [{ event_id: events.failed }, { event_id: events.delivered }],
  );
  assert.match(rows[0]?.actor ?? '', /^cli:/);
});

test('replay takes the id of a task, and says why a task has nothing to be sent', async () => {
  const replayed = await home.json('webhooks', 'replay', tasks.notified);
  assert.deepEqual(
    [replayed['task_id'], replayed['status'], replayed['host']],
    [tasks.notified, 'waiting', 'hear.example'],
  );
  for (const [id, reported] of [
    [tasks.notified, /^Event evt_\w+ is still being delivered; it is retried for 24 hours\.\n$/],
    [
      tasks.silent,
      /^Task img_\w+ has no webhook event: neither its request nor its account had a webhook URL when it ended\.\n$/,
    ],
    [tasks.running, /^Task img_\w+ has not ended; its webhook event is sent when it ends\.\n$/],
    [tasks.old, /^Task img_\w+ ended more than 30 days ago; events are deleted after that\.\n$/],
    ['img_x', /^No event or task has the id img_x\.\n$/],
  ] as const) {
    const { code, stdout, stderr } = await home.run(['webhooks', 'replay', id]);
    assert.deepEqual([code, stdout], [1, ''], id);
    assert.match(stderr, reported);
  }
  await giveEventUp(db.database, String(replayed['id']));
  const { stdout } = await home.run(['webhooks', 'replay', tasks.notified]);
  assert.match(
    stdout,
    new RegExp(`^evt_\\w+ \\(image.failed of ${tasks.notified}\\) is being resent to hear.example\\.\n$`),
  );
});
