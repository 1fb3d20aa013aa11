/** The paid call's row: one attempt may send, and the first word on what became of it stands. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import { closeIntent, findIntent, type IntentClosing, openIntent } from '../../src/storage/intents.ts';
import type { Ledger } from '../../src/storage/ledger/ledger.ts';
import { findTask } from '../../src/storage/tasks.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { admissionOf, type Customer, failureOf, newCustomer, newLedger } from '../support/money.ts';

let db: TestDatabase;
let ledger: Ledger;
let who: Customer;
before(async () => {
  db = await freshDatabase();
  ledger = newLedger(db.database);
  who = await newCustomer(db.database, ledger, 1_000n);
});
after(() => db.drop());

async function accepted(): Promise<TaskId> {
  const answer = await ledger.admitTask(admissionOf(who, 1n));
  assert.ok(answer.admitted === 'new');
  return answer.taskId;
}

test('of many attempts at once exactly one may send, and the task is running', async () => {
  const task = await accepted();
  const opened = await Promise.all(Array.from({ length: 12 }, () => openIntent(db.database, task, 0, 'p')));
  assert.equal(opened.filter((answer) => answer.opened === 'now').length, 1);
  assert.equal(opened.filter((answer) => answer.opened === 'before').length, 11);
  assert.equal((await findTask(db.database, task))?.state, 'running');
});

test('each route has an intent of its own', async () => {
  const task = await accepted();
  assert.equal((await openIntent(db.database, task, 0, 'p')).opened, 'now');
  assert.equal((await openIntent(db.database, task, 1, 'q')).opened, 'now');
  assert.equal((await findIntent(db.database, task, 1))?.provider, 'q');
});

test('a later attempt sees the intent, open and with 20 seconds in which the first may send', async () => {
  const task = await accepted();
  await openIntent(db.database, task, 0, 'p');
  const again = await openIntent(db.database, task, 0, 'p');
  assert.ok(again.opened === 'before');
  assert.equal(again.intent.outcome, 'open');
  assert.ok(again.intent.sendingEndsInMs > 15_000 && again.intent.sendingEndsInMs <= 20_000);
});

test('a final task gets no intent', async () => {
  const task = await accepted();
  await ledger.releaseTask(failureOf(who, task, 'cancelled'));
  assert.deepEqual(await openIntent(db.database, task, 0, 'p'), { opened: 'not', because: 'task is final' });
  assert.equal(await findIntent(db.database, task, 0), undefined);
});

const refusal = { code: 'upstream_error' as const, message: 'No.', param: null, fallOver: true };
const closings: IntentClosing[] = [
  { outcome: 'accepted', jobId: 'job' },
  { outcome: 'finished', blobKeys: ['results/a', 'results/b'] },
  { outcome: 'refused', error: refusal },
  { outcome: 'unknown' },
];
for (const first of closings) {
  for (const second of closings) {
    const believed = first.outcome === 'unknown';
    test(`${second.outcome} after ${first.outcome} ${believed ? 'is believed' : 'comes too late'}`, async () => {
      const task = await accepted();
      await openIntent(db.database, task, 0, 'p');
      const told = await closeIntent(db.database, task, 0, first);
      assert.deepEqual(told, { believed: true, taskIsFinal: false });
      assert.equal((await closeIntent(db.database, task, 0, second)).believed, believed);
      const stands = believed ? second : first;
      const intent = await findIntent(db.database, task, 0);
      assert.ok(intent);
      assert.equal(intent.outcome, stands.outcome);
      assert.equal(intent.jobId, stands.outcome === 'accepted' ? 'job' : null);
      assert.deepEqual(intent.blobKeys, stands.outcome === 'finished' ? ['results/a', 'results/b'] : null);
      assert.deepEqual(intent.error, stands.outcome === 'refused' ? refusal : null);
    });
  }
}

test('an answer that arrives for a task that has ended is kept, and says that it has', async () => {
  const task = await accepted();
  await openIntent(db.database, task, 0, 'p');
  await ledger.releaseTask(failureOf(who, task, 'cancelled'));
  const told = await closeIntent(db.database, task, 0, { outcome: 'accepted', jobId: 'job' });
  assert.deepEqual(told, { believed: true, taskIsFinal: true });
});
