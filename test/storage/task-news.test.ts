/** News of final tasks: by NOTIFY at once, and by the safety net when no notice arrives. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, afterEach, before, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { newTaskId } from '../../src/postgres/new-ids.ts';
import { TaskNotifier, notifyFinal } from '../../src/tasks/rows/task-notifier.ts';
import type { Database } from '../../src/postgres/database.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { openLine } from '../support/line.ts';
import { admissionOf, type Customer, failureOf, newCustomer, newLedger } from '../support/money.ts';

const patienceMs = 10_000;
let db: TestDatabase;
let ledger: Ledger;
let who: Customer;
let news: TaskNotifier | undefined;
before(async () => {
  db = await freshDatabase();
  ledger = newLedger(db.database);
  who = await newCustomer(db.database, ledger, 1_000n);
});
afterEach(async () => {
  await news?.close();
  news = undefined;
});
after(() => db.drop());

async function opened(): Promise<TaskNotifier> {
  news = new TaskNotifier(db.database, () => undefined);
  await news.open();
  return news;
}

async function accepted(): Promise<TaskId> {
  const answer = await ledger.admitTask(admissionOf(who, 1n));
  assert.ok(answer.admitted === 'new');
  return answer.taskId;
}

const listeners = () =>
  db.database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and query like 'listen%'`,
  );

test('a notice reaches all who wait for the task, and no others', async () => {
  const waiting = await opened();
  const ids = Array.from({ length: 250 }, () => newTaskId('image'));
  const other = waiting.final(newTaskId('image'), patienceMs);
  const settled = [...ids, ids[0]!].map((id) => waiting.final(id, patienceMs).settled);
  // None of these tasks has a row: only the notices can tell of them.
  await notifyFinal(db.database, ids);
  assert.ok((await Promise.all(settled)).every(Boolean));
  other.stop();
  assert.equal(await other.settled, false);
});

test('without a notice the safety net hears of it', async () => {
  const waiting = await opened();
  const id = await accepted();
  const { settled } = waiting.final(id, patienceMs);
  await ledger.releaseTask(failureOf(who, id));
  assert.equal(await settled, true);
});

test('a listening connection that is terminated is made again, and nothing is missed meanwhile', async () => {
  const waiting = await opened();
  const id = await accepted();
  const { settled } = waiting.final(id, patienceMs);
  const { rows } = await listeners();
  assert.equal(rows.length, 1);
  await db.database.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
  const startedAt = performance.now();
  await ledger.releaseTask(failureOf(who, id));
  assert.equal(await settled, true);
  assert.ok(performance.now() - startedAt < 900, 'sooner than the net of a connection that listens');
  // Heard by notice again once it listens: this id has no row.
  const unknown = newTaskId('image');
  const again = waiting.final(unknown, patienceMs);
  const telling = setInterval(() => void notifyFinal(db.database, [unknown]), 20);
  assert.equal(await again.settled, true);
  clearInterval(telling);
});

test('a wait ends in time, when it is stopped, and when all are let go; who comes after that need not wait', async () => {
  const waiting = await opened();
  const id = await accepted();
  const inTime = waiting.final(id, 20);
  assert.equal(await inTime.settled, false);
  assert.equal(inTime.isStopped, false);
  const stopped = waiting.final(id, patienceMs);
  const others = [waiting.final(id, patienceMs), waiting.final(newTaskId('image'), patienceMs)];
  stopped.stop();
  assert.equal(await stopped.settled, false);
  waiting.releaseAll();
  for (const other of [...others, waiting.final(id, patienceMs)]) {
    assert.equal(await other.settled, false);
    assert.ok(other.isStopped);
  }
});

test('while it may not listen, as at a standby, no connection is left open, and it asks in slices', async () => {
  const line = await openLine(db.url);
  line.spoil('listen');
  const asked: { ids: number }[] = [];
  const rounds = new EventEmitter();
  const keyed = Object.assign(Object.create(db.database.keyed) as Database['keyed'], {
    query: (statement: { text: string; values: [string[]] }) => {
      asked.push({ ids: statement.values[0].length });
      rounds.emit('asked');
      return db.database.keyed.query(statement);
    },
  });
  news = new TaskNotifier({ ...db.database, url: line.url, keyed }, () => undefined);
  await news.open();
  const id = await accepted();
  for (let others = 0; others < 1_200; others++) news.final(newTaskId('image'), patienceMs);
  const { settled } = news.final(id, patienceMs);
  while (asked.length < 6 * 3 || line.made < 3) await once(rounds, 'asked');
  assert.ok(asked.every(({ ids }) => ids <= 500));
  assert.ok(line.open <= 1, `${line.open} connections are open`);
  await ledger.releaseTask(failureOf(who, id));
  assert.equal(await settled, true);
  await line.restore();
  const unknown = newTaskId('image');
  const again = news.final(unknown, patienceMs);
  const telling = setInterval(() => void notifyFinal(db.database, [unknown]), 50);
  assert.equal(await again.settled, true);
  clearInterval(telling);
  news.releaseAll();
  await news.close();
  await line.close();
});

test('closing does not wait for a server that is frozen', async () => {
  const opening = await opened();
  const [listener] = (await listeners()).rows;
  const pid = listener?.pid ?? assert.fail('no connection listens');
  process.kill(pid, 'SIGSTOP');
  try {
    await opening.close();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});
