/** The paid call's row: one attempt may send, and the first word on what became of it stands. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import {
  closeIntent,
  findIntent,
  type IntentClosing,
  openIntent,
  takeOverIntent,
  withdrawIntent,
} from '../../src/tasks/provider-calls/intents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { hasRoom } from '../../src/tasks/provider-calls/provider-jobs.ts';
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

test('a refusal is believed only of the attempt that sent last: one before it may have been accepted', async () => {
  const task = await accepted();
  const opened = await openIntent(db.database, task, 0, 'p');
  assert.ok(opened.opened === 'now');
  const nonce = await takeOverIntent(db.database, task, 0);
  assert.ok(nonce !== undefined && nonce !== opened.nonce);
  const error = { code: 'upstream_rate_limited', message: 'Busy.', param: null, fallOver: true } as const;
  const late = await closeIntent(db.database, task, 0, { outcome: 'refused', error, nonce: opened.nonce });
  assert.equal(late.believed, false);
  assert.equal((await findIntent(db.database, task, 0))?.outcome, 'open');
  assert.equal((await closeIntent(db.database, task, 0, { outcome: 'accepted', jobId: 'j' })).believed, true);
  assert.equal(await takeOverIntent(db.database, task, 0), undefined);
});

test('of many attempts at once exactly one may send, and the task is running', async () => {
  const task = await accepted();
  const opened = await Promise.all(Array.from({ length: 12 }, () => openIntent(db.database, task, 0, 'p')));
  assert.equal(opened.filter((answer) => answer.opened === 'now').length, 1);
  assert.equal(opened.filter((answer) => answer.opened === 'before').length, 11);
  assert.equal((await findTask(db.database, task))?.state, 'running');
});

test('each route has an intent of its own, which the next one gets only when the others have refused', async () => {
  const task = await accepted();
  assert.equal((await openIntent(db.database, task, 0, 'p')).opened, 'now');
  const elsewhere = { opened: 'not', because: 'sent elsewhere' };
  assert.deepEqual(await openIntent(db.database, task, 1, 'q'), elsewhere);
  const error = { code: 'upstream_error' as const, message: 'No.', param: null, fallOver: true };
  await closeIntent(db.database, task, 0, { outcome: 'refused', error });
  assert.deepEqual(await openIntent(db.database, task, 2, 'r').then(({ opened }) => opened), 'now');
  await closeIntent(db.database, task, 2, { outcome: 'unknown', reason: 'no answer' });
  assert.deepEqual(await openIntent(db.database, task, 1, 'q'), elsewhere);
  await closeIntent(db.database, task, 2, { outcome: 'refused', error });
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
  { outcome: 'unknown', reason: 'lost' },
];
for (const first of closings) {
  for (const second of closings) {
    const believed = first.outcome === 'unknown';
    test(`${second.outcome} after ${first.outcome} ${believed ? 'is believed' : 'comes too late'}`, async () => {
      const task = await accepted();
      await openIntent(db.database, task, 0, 'p');
      const closed = await closeIntent(db.database, task, 0, first);
      assert.deepEqual(closed, { believed: true, taskIsFinal: false });
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
  const closed = await closeIntent(db.database, task, 0, { outcome: 'accepted', jobId: 'job' });
  assert.deepEqual(closed, { believed: true, taskIsFinal: true });
});

describe('a provider with a bound on unfinished jobs', () => {
  const many = (count: number) => Promise.all(Array.from({ length: count }, accepted));
  const jobs = async (provider: string): Promise<string[]> => {
    const { rows } = await db.database.pool.query<{ task_id: string }>(
      'select task_id from provider_jobs where provider = $1 order by task_id',
      [provider],
    );
    return rows.map(({ task_id }) => task_id);
  };
  const full = { opened: 'not', because: 'provider is full' };

  test('lets exactly so many of many at once in, and writes nothing for the others', async () => {
    const tasks = await many(20);
    const opened = await Promise.all(tasks.map((task) => openIntent(db.database, task, 0, 'three', 3)));
    const inside = tasks.filter((_, index) => opened[index]?.opened === 'now');
    assert.deepEqual(await jobs('three'), inside.sort());
    assert.equal(inside.length, 3);
    for (const [index, task] of tasks.entries()) {
      if (inside.includes(task)) continue;
      assert.deepEqual(opened[index], full);
      assert.equal(await findIntent(db.database, task, 0), undefined);
      assert.equal((await findTask(db.database, task))?.state, 'accepted');
      assert.equal(await hasRoom(db.database, 'three', task, 3), false);
    }
  });

  for (const [outcome, closing] of closings.map((each) => [each.outcome, each] as const)) {
    test(`${outcome === 'refused' ? 'gives the place back' : 'keeps the place'} when the call is ${outcome}`, async () => {
      const provider = `closed-${outcome}`;
      const [first, second] = await many(2);
      assert.ok(first && second);
      assert.equal((await openIntent(db.database, first, 0, provider, 1)).opened, 'now');
      await closeIntent(db.database, first, 0, closing);
      const isFree = outcome === 'refused';
      assert.equal(await hasRoom(db.database, provider, second, 1), isFree);
      assert.equal((await openIntent(db.database, second, 0, provider, 1)).opened, isFree ? 'now' : 'not');
    });
  }

  test('has the place again once the task is final', async () => {
    const [first, second] = await many(2);
    assert.ok(first && second);
    await openIntent(db.database, first, 0, 'final', 1);
    assert.deepEqual(await openIntent(db.database, second, 0, 'final', 1), full);
    await ledger.releaseTask(failureOf(who, first, 'cancelled'));
    assert.equal(await hasRoom(db.database, 'final', second, 1), true);
    assert.equal((await openIntent(db.database, second, 0, 'final', 1)).opened, 'now');
    assert.deepEqual(await jobs('final'), [second]);
  });

  test('returns a later attempt of the intent, full or not', async () => {
    const task = await accepted();
    await openIntent(db.database, task, 0, 'again', 1);
    assert.equal((await openIntent(db.database, task, 0, 'again', 1)).opened, 'before');
    assert.equal(await hasRoom(db.database, 'again', task, 1), true);
  });
});

describe('an intent that is taken back', () => {
  const opened = async (task: TaskId) => {
    const answer = await openIntent(db.database, task, 0, 'back', 100);
    assert.ok(answer.opened === 'now');
    return answer.nonce;
  };

  test('is gone with its place, and the task may be sent by another attempt', async () => {
    const task = await accepted();
    assert.equal(await withdrawIntent(db.database, task, 0, await opened(task)), true);
    const { rowCount } = await db.database.pool.query('select 1 from provider_jobs where task_id = $1', [task]);
    assert.equal(rowCount, 0);
    assert.equal(await findIntent(db.database, task, 0), undefined);
    assert.equal(await takeOverIntent(db.database, task, 0), undefined);
    const late = await closeIntent(db.database, task, 0, { outcome: 'unknown', reason: 'lost' });
    assert.equal(late.believed, false);
    await opened(task);
    assert.ok(((await findIntent(db.database, task, 0))?.sendingEndsInMs ?? 0) > 0);
  });

  test('stays when something is known of the call, or when it is the intent of another attempt', async () => {
    const task = await accepted();
    const first = await opened(task);
    await withdrawIntent(db.database, task, 0, first);
    const second = await opened(task);
    assert.equal(await withdrawIntent(db.database, task, 0, first), false);
    await closeIntent(db.database, task, 0, { outcome: 'unknown', reason: 'lost' });
    assert.equal(await withdrawIntent(db.database, task, 0, second), false);
    assert.equal((await findIntent(db.database, task, 0))?.outcome, 'unknown');
  });
});

describe('an intent that a busy provider refused', () => {
  const busy = { code: 'upstream_rate_limited' as const, message: 'Busy.', param: null, fallOver: true };
  const refused = async (task: TaskId, againInMs?: number) => {
    const opened = await openIntent(db.database, task, 0, 'p');
    assert.ok(opened.opened === 'now');
    await closeIntent(db.database, task, 0, { outcome: 'refused', error: busy, nonce: opened.nonce, againInMs });
    return opened;
  };

  test('is opened anew by one of many attempts, once its time has come', async () => {
    const task = await accepted();
    const first = await refused(task, 0);
    const opened = await Promise.all(Array.from({ length: 12 }, () => openIntent(db.database, task, 0, 'p')));
    const [second, ...more] = opened.filter((answer) => answer.opened === 'now');
    assert.ok(second !== undefined && more.length === 0);
    assert.notEqual(second.nonce, first.nonce);
    assert.deepEqual([first.busyCount, second.busyCount], [0, 1]);
    const intent = await findIntent(db.database, task, 0);
    assert.deepEqual([intent?.outcome, intent?.error, intent?.againInMs], ['open', null, null]);
    assert.ok(second.sinceFirstMs > 0 && (intent?.sinceFirstMs ?? 0) > (intent?.ageMs ?? 0));
  });

  test('stays refused until then, and for good where no time was said', async () => {
    for (const againInMs of [60_000, undefined]) {
      const task = await accepted();
      await refused(task, againInMs);
      const again = await openIntent(db.database, task, 0, 'p');
      assert.ok(again.opened === 'before');
      assert.equal(again.intent.outcome, 'refused');
      if (againInMs === undefined) assert.equal(again.intent.againInMs, null);
      else assert.ok((again.intent.againInMs ?? 0) > 50_000);
    }
  });

  test('stays refused while another route has the task, and when the task has ended', async () => {
    const task = await accepted();
    await refused(task, 0);
    assert.equal((await openIntent(db.database, task, 1, 'q')).opened, 'now');
    assert.equal((await openIntent(db.database, task, 0, 'p')).opened, 'before');
    await ledger.releaseTask(failureOf(who, task, 'cancelled'));
    assert.deepEqual(await openIntent(db.database, task, 0, 'p'), { opened: 'not', because: 'task is final' });
    assert.equal((await findIntent(db.database, task, 0))?.outcome, 'refused');
  });

  test('and was opened anew is closed by its new sender only, and can be taken back', async () => {
    const task = await accepted();
    const first = await refused(task, 0);
    const second = await openIntent(db.database, task, 0, 'p');
    assert.ok(second.opened === 'now');
    const late = await closeIntent(db.database, task, 0, { outcome: 'refused', error: busy, nonce: first.nonce });
    assert.equal(late.believed, false);
    assert.equal(await withdrawIntent(db.database, task, 0, first.nonce), false);
    assert.equal(await withdrawIntent(db.database, task, 0, second.nonce), true);
    const third = await openIntent(db.database, task, 0, 'p');
    assert.ok(third.opened === 'now' && third.busyCount === 1 && third.sinceFirstMs > 0);
  });
});
