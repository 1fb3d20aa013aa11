/** The queue of a key in the database: who waits, who may start, and that never more run than may, over all processes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import { changeKey } from '../../src/accounts/api-keys.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { dequeueTasks, keysWithQueue, queuePositions } from '../../src/tasks/rows/key-queues.ts';
import { countTasksToStart, findTask, markStarted } from '../../src/tasks/rows/task-rows.ts';
import { overdueTasks, takeTasksToStart } from '../../src/tasks/rows/task-scans.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { administrator, admissionOf, type Customer, failureOf, newCustomer, newLedger } from '../support/money.ts';

let home: TestDatabase;
let database: Database;
before(async () => {
  home = await freshDatabase();
  ({ database } = home);
});
after(() => home.drop());

const withQueue = (maxRunningTasks: number) =>
  newCustomer(database, newLedger(database), 1_000_000n, { maxRunningTasks, queue: true });

async function admit(who: Customer, ledger = newLedger(database)): Promise<{ id: TaskId; queued: boolean }> {
  const answer = await ledger.admitTask(admissionOf(who, 10n));
  assert.ok(answer.admitted === 'new');
  return { id: answer.taskId, queued: answer.queued };
}
async function admitAll(who: Customer, count: number): Promise<TaskId[]> {
  const ids: TaskId[] = [];
  for (let each = 0; each < count; each++) ids.push((await admit(who)).id);
  return ids;
}
const end = (who: Customer, id: TaskId, ledger = newLedger(database)) => ledger.releaseTask(failureOf(who, id));
const dequeued = async (who: Customer, from = database) =>
  (await dequeueTasks(from, who.key)).tasks.map(({ id }) => id);
const positions = async (ids: readonly TaskId[]) => {
  const tasks = await Promise.all(ids.map(async (id) => (await findTask(database, id)) ?? assert.fail()));
  const found = await queuePositions(database, tasks);
  return ids.map((id) => found.get(id));
};
const age = (ids: readonly TaskId[], column: string, by: string) =>
  database.pool.query(`update tasks set ${column} = clock_timestamp() - $2::interval where id = any($1)`, [ids, by]);

test('tasks beyond the running ones are queued with their price held, and leave the queue in their order', async () => {
  const who = await withQueue(2);
  const ids = await admitAll(who, 6);
  const { rows } = await database.pool.query('select held from accounts where id = $1', [who.account]);
  assert.deepEqual(rows, [{ held: 60n }]);
  assert.deepEqual(await positions(ids), [undefined, undefined, 1, 2, 3, 4]);
  assert.deepEqual(await dequeued(who), [], 'two run already');
  const { mayDequeue } = await end(who, ids[1] ?? assert.fail());
  assert.equal(mayDequeue, true);
  assert.deepEqual(await dequeued(who), [ids[2]]);
  assert.deepEqual(await positions(ids), [undefined, undefined, undefined, 1, 2, 3]);
  await end(who, ids[0] ?? assert.fail());
  await end(who, ids[2] ?? assert.fail());
  assert.deepEqual(await dequeued(who), [ids[3], ids[4]]);
});

test('a queued task that is cancelled gives its hold back, and its place in the queue', async () => {
  const who = await withQueue(1);
  const ids = await admitAll(who, 4);
  const { ended } = await newLedger(database).releaseTask(failureOf(who, ids[2] ?? assert.fail(), 'cancelled'));
  assert.ok(ended);
  assert.deepEqual(await positions(ids), [undefined, 1, undefined, 2]);
  assert.deepEqual(await dequeued(who), [], 'the first one still runs');
  const { rows } = await database.pool.query('select held from accounts where id = $1', [who.account]);
  assert.deepEqual(rows, [{ held: 30n }]);
  await end(who, ids[0] ?? assert.fail());
  assert.deepEqual(await dequeued(who), [ids[1]]);
});

test('the end of a task of a key without a queue asks for nothing', async () => {
  const who = await newCustomer(database, newLedger(database), 1_000n, { maxRunningTasks: 2 });
  const [first] = await admitAll(who, 2);
  assert.equal((await end(who, first ?? assert.fail())).mayDequeue, false);
});

test('a higher limit lets more out of the queue, a lower one none until as many have ended', async () => {
  const who = await withQueue(1);
  const ids = await admitAll(who, 6);
  await changeKey(administrator(database), who.key, { maxRunningTasks: 3 });
  assert.deepEqual(await dequeued(who), [ids[1], ids[2]]);
  await changeKey(administrator(database), who.key, { maxRunningTasks: 1 });
  await end(who, ids[0] ?? assert.fail());
  await end(who, ids[1] ?? assert.fail());
  assert.deepEqual(await dequeued(who), []);
  await end(who, ids[2] ?? assert.fail());
  assert.deepEqual(await dequeued(who), [ids[3]]);
  await changeKey(administrator(database), who.key, { maxRunningTasks: null });
  assert.deepEqual(await dequeued(who), [ids[4], ids[5]], 'without a limit none waits');
});

test('what is queued when the queue is switched off still gets its turn, and what comes then is refused', async () => {
  const who = await withQueue(1);
  const ids = await admitAll(who, 2);
  await changeKey(administrator(database), who.key, { queue: false });
  const refused = await newLedger(database).admitTask(admissionOf(who, 10n));
  assert.ok(refused.admitted === 'no' && refused.refusal.code === 'concurrency_limit_exceeded');
  await end(who, ids[0] ?? assert.fail());
  assert.deepEqual(await dequeued(who), [ids[1]]);
});

test('a queued task is neither to be started nor overdue, and its time counts from when it left the queue', async () => {
  const who = await withQueue(1);
  const [running, queued] = await admitAll(who, 2);
  assert.ok(running && queued);
  await markStarted(database, [running]);
  const waiting = await countTasksToStart(database, 10_000);
  await age([queued], 'created_at', '3 days');
  const toStart = async () => (await takeTasksToStart(database, 1_000)).rows.map(({ id }) => id);
  const overdue = async () => (await overdueTasks(database, 1_000)).rows.map(({ id }) => id);
  assert.ok(!(await toStart()).includes(queued));
  assert.ok(!(await overdue()).includes(queued));
  await end(who, running);
  assert.deepEqual(await dequeued(who), [queued]);
  assert.equal(await countTasksToStart(database, 10_000), waiting + 1, 'only now it waits to be started');
  assert.ok(!(await toStart()).includes(queued), 'who took it out of the queue starts it');
  assert.ok(!(await overdue()).includes(queued));
  assert.ok(((await findTask(database, queued))?.ageMs ?? Infinity) < 60_000);
  await age([queued], 'dequeued_at', '3 seconds');
  assert.ok((await toStart()).includes(queued), 'that process died: the scan starts it');
  await age([queued], 'dequeued_at', '26 hours 1 minute');
  assert.ok((await overdue()).includes(queued));
});

test('the scan finds each key that has a queue, and no other', async () => {
  const [one, other, none] = [await withQueue(1), await withQueue(1), await withQueue(5)];
  await admitAll(one, 3);
  await admitAll(other, 2);
  await admitAll(none, 2);
  const found = await keysWithQueue(database);
  assert.deepEqual(
    [one, other, none].map(({ key }) => found.filter((each) => each === key).length),
    [1, 1, 0],
  );
});

test('over three processes that admit, end and start at once, never more run than may and none is forgotten', async () => {
  const most = 3;
  const who = await withQueue(most);
  const processes = [1, 2, 3].map(() => {
    const own = openDatabase(home.url, { onIdleError: () => undefined });
    return { own, ledger: newLedger(own) };
  });
  const running = new Set<TaskId>();
  const order: TaskId[] = [];
  const run = (id: TaskId) => {
    running.add(id);
    order.push(id);
  };
  const assertBound = async () => {
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(*)::integer as count from tasks where key_id = $1 and finished_at is null and not queued',
      [who.key],
    );
    assert.ok((rows[0]?.count ?? Infinity) <= most, `${rows[0]?.count} run`);
  };
  try {
    await Promise.all(
      processes.map(async ({ own, ledger }) => {
        for (let each = 0; each < 20; each++) {
          const { id, queued } = await admit(who, ledger);
          if (!queued) run(id);
          const [mine] = running;
          if (mine && running.delete(mine)) {
            await end(who, mine, ledger);
            const now = await Promise.all([dequeued(who, own), dequeued(who, own)]);
            now.flat().forEach(run);
          }
          await assertBound();
        }
      }),
    );
    for (let [last] = running; last; [last] = running) {
      running.delete(last);
      await end(who, last);
      (await dequeued(who)).forEach(run);
      await assertBound();
    }
  } finally {
    await Promise.all(processes.map(({ own }) => own.close()));
  }
  assert.equal(order.length, 60);
  assert.equal(new Set(order).size, 60, 'each was started once');
});
