/** Events go 30 days after they ended, with their attempts; what is owed stays, and so do the tasks. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { findEvent } from '../../src/webhooks/event-log.ts';
import { giveEventUp, noteAttempt } from '../../src/webhooks/events.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { deleteOldEvents } from '../../src/webhooks/expired-events.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { admissionOf, type Customer, failureOf, newCustomer, newLedger } from '../support/money.ts';

let made: TestDatabase;
let ledger: Ledger;
let who: Customer;
before(async () => {
  made = await freshDatabase();
  ledger = newLedger(made.database);
});
after(() => made.drop());
beforeEach(async () => {
  await made.database.pool.query('delete from deliveries');
  await made.database.pool.query('delete from events');
  who = await newCustomer(made.database, ledger, 1_000_000n);
});

/** The event of a task that failed so many days ago, as if it had been made then. */
async function owed(daysAgo: number) {
  const answer = await ledger.admitTask(admissionOf(who, 10n, { webhookUrl: 'https://receiver.example/' }));
  assert.ok(answer.admitted === 'new');
  const { eventId = assert.fail('nothing is owed') } = await ledger.releaseTask(failureOf(who, answer.taskId));
  const time = (Date.now() - daysAgo * 86_400_000).toString(16).padStart(12, '0');
  const id = `evt_${time}${eventId.slice('evt_'.length + 12)}`;
  await made.database.pool.query(
    `update events set id = $2, created_at = created_at - make_interval(days => $3) where id = $1`,
    [eventId, id, daysAgo],
  );
  return { id, task: answer.taskId };
}
const ended = (id: string, daysAgo: number) =>
  made.database.pool.query('update events set ended_at = clock_timestamp() - make_interval(days => $2) where id = $1', [
    id,
    daysAgo,
  ]);
const left = async () => {
  const { rows } = await made.database.pool.query<{ id: string; attempts: bigint }>(
    'select id, (select count(*) from deliveries where event_id = id) as attempts from events order by id',
  );
  return rows.map(({ id, attempts }) => [id, Number(attempts)]);
};

test('an event goes when its end is 30 days old, with its attempts; its task stays', async () => {
  const [old, young, owing] = [await owed(31), await owed(31), await owed(31)];
  for (const { id } of [old, young]) {
    await noteAttempt(made.database, id, { durationMs: 5, status: 500, fault: 'no' }, false);
    await noteAttempt(made.database, id, { durationMs: 5, status: 204, fault: null }, true);
  }
  await noteAttempt(made.database, owing.id, { durationMs: 5, status: 500, fault: 'no' }, false);
  await ended(old.id, 31);
  await ended(young.id, 29); // it was sent again after two days
  assert.equal(await deleteOldEvents({ database: made.database }), 1);
  assert.deepEqual(new Map((await left()) as [string, number][]), new Map([[young.id, 2], [owing.id, 1]])); // oxfmt-ignore
  assert.equal(await findEvent(made.database, old.task), undefined);
  assert.equal((await findTask(made.database, old.task))?.state, 'failed');
  // A workflow of it that is still there finds nothing to do.
  assert.equal(await giveEventUp(made.database, old.id), false);
});

test('several processes delete more than a batch once, and a second round finds nothing', async () => {
  const { id } = await owed(40);
  await giveEventUp(made.database, id);
  await ended(id, 40);
  await made.database.pool.query(
    `insert into events (id, account_id, type, url, data, created_at, started_at, ended_at, delivered)
     select left(id, -6) || lpad(number::text, 6, '0'), account_id, 'account.balance_low', url, '{}', created_at, started_at, ended_at, false
     from events, generate_series(1, 1200) as number`,
  );
  const rounds = await Promise.all([1, 2, 3].map(() => deleteOldEvents({ database: made.database })));
  assert.equal(
    rounds.reduce((sum, count) => sum + count, 0),
    1_201,
  );
  assert.deepEqual(await left(), []);
  assert.equal(await deleteOldEvents({ database: made.database }), 0);
});
