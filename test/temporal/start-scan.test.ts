/** Every accepted task runs, whichever process dies: the scans find it, start it, start it again or release it. */
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import type { TaskId } from '../../src/domain/ids.ts';
import { isRemoved } from '../../src/tasks/rows/fetch-claims.ts';
import { release } from '../../src/activities/end.ts';
import { takeTasksToStart } from '../../src/tasks/rows/task-scans.ts';
import { findTask, markStarted, unreadableTasks } from '../../src/tasks/rows/task-rows.ts';
import { StartScan, type StartScanTools } from '../../src/tasks/start/start-scan.ts';
import type { BatchScan } from '../../src/batches/batch-scan.ts';
import type { EventScan } from '../../src/webhooks/event-scan.ts';
import type { TaskStarter } from '../../src/tasks/start/task-starter.ts';
import { cancelledAtNoCost } from '../support/cancelling.ts';
import { failureOf } from '../support/money.ts';
import { ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';

const good = new ScriptedProvider();
const endless = new ScriptedProvider({ poll: () => ({ state: 'processing' }) });
const runner = await startTaskRunner({ providers: { good, endless }, work: false });
after(() => runner.stop());
const scans: StartScan[] = [];
const scan = () => void scans.push(runner.scan());
/** One that went on would take the next test's tasks before the scan of that test does. */
afterEach(() => Promise.all(scans.splice(0).map((each) => each.close())));
const database = runner.db.database;
const age = (ids: TaskId | TaskId[], column: string, by: string) =>
  database.pool.query(`update tasks set ${column} = clock_timestamp() - $2::interval where id = any($1)`, [
    [ids].flat(),
    by,
  ]);
const silent = async (id: TaskId) => {
  await markStarted(database, [id]);
  await age(id, 'started_at', '6 minutes');
};
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (await holds()) return;
    await pause(20);
  }
  throw new Error('not so after a minute');
}

/** What a call says where no Temporal listens. */
async function temporalAway(): Promise<Error> {
  const client = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
  const said = await client
    .withDeadline(Date.now() + 100, () => client.workflow.getHandle('none').describe())
    .catch((error: unknown) => error);
  await client.connection.close();
  assert.ok(said instanceof Error);
  return said;
}

/** A scan over a starter of the test; it runs its first round at once. */
async function scanned(
  starter: Partial<TaskStarter>,
  use: () => Promise<void>,
  tools: Partial<StartScanTools> = {},
): Promise<void> {
  const scan = new StartScan({
    database,
    blobs: runner.deps.blobs,
    starter: starter as TaskStarter,
    keyQueues: { scan: () => Promise.resolve() },
    events: { startOwed: () => Promise.resolve(), lookAfterSilent: () => Promise.resolve() } as unknown as EventScan,
    batches: {
      startAccepted: () => Promise.resolve(),
      lookAfterSilent: () => Promise.resolve(),
      removeOldLines: () => Promise.resolve(),
    } as unknown as BatchScan,
    release: () => Promise.reject(new Error('nothing is to be released here')),
    onUnreadable: () => undefined,
    log: pino({ level: 'silent' }),
    ...tools,
  });
  try {
    await use();
  } finally {
    await scan.close();
  }
}

test('a task is taken by one process at a time, and only once two seconds have passed without a start', async () => {
  const id = await runner.admit({ routes: ['good'] });
  assert.deepEqual((await takeTasksToStart(database, 10)).rows, []);
  await age(id, 'created_at', '3 seconds');
  const taken = await Promise.all([1, 2, 3].map(() => takeTasksToStart(database, 10)));
  assert.deepEqual(
    taken.flatMap(({ rows }) => rows).map((task) => task.id),
    [id],
  );
  // The process that took it died: it can be taken again.
  await age(id, 'seen_at', '6 seconds');
  assert.equal((await takeTasksToStart(database, 10)).rows.length, 1);
  await age(id, 'seen_at', '6 seconds');
  await markStarted(database, [id]);
  assert.deepEqual((await takeTasksToStart(database, 10)).rows, []);
});

test('while Temporal hangs, a task that waits for its start can still be cancelled', async () => {
  const id = await runner.admit({ routes: ['good'] });
  await age(id, 'created_at', '3 seconds');
  let asked = false;
  let release = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (release = resolve));
  const start = () => {
    asked = true;
    return hanging;
  };
  await scanned({ start }, async () => {
    await until(() => Promise.resolve(asked));
    const startedAt = performance.now();
    await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
    assert.ok(performance.now() - startedAt < 1_000);
    release();
  });
});

test('while Temporal is away a scan does not spin', async () => {
  let asked = 0;
  const ids = await Promise.all(Array.from({ length: 130 }, () => runner.admit({ routes: ['good'] })));
  await database.pool.query(`update tasks set created_at = created_at - interval '3 seconds' where id = any($1)`, [
    ids,
  ]);
  const away = await temporalAway();
  const start = () => {
    asked += 1;
    return Promise.reject(away);
  };
  await scanned({ start }, () => until(() => Promise.resolve(asked > 0)));
  assert.ok(asked <= 20, `${asked} starts were tried in one round`);
  await markStarted(database, ids);
});

test('an accepted task without a workflow is started and finished by a worker that comes later', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => runner.admit({ routes: ['good'] })));
  await runner.work();
  scan();
  scan();
  for (const id of ids) assert.equal((await runner.final(id)).state, 'succeeded');
  assert.equal(good.asked.submit, 3);
  for (const id of ids) assert.ok((await findTask(database, id))?.startedAt);
});

test('a silent task whose workflow is gone is started again', async () => {
  const id = await runner.admit({ routes: ['good'] });
  await silent(id); // says that it was started, but Temporal knows nothing of it
  scan();
  assert.equal((await runner.final(id)).state, 'succeeded');
});

test('a silent task whose workflow was terminated is released as cancelled', async () => {
  const id = await runner.start({ routes: ['endless'] });
  await until(async () => (await findTask(database, id))?.state === 'running');
  await runner.client.workflow.getHandle(id).terminate();
  await silent(id);
  scan();
  const task = await runner.final(id);
  assert.deepEqual([task.state, task.error?.code], ['cancelled', 'cancelled']);
  // By a workflow that is started for just that.
  await until(() => Promise.resolve(endless.asked.cancel === 1));
  assert.deepEqual(await runner.client.workflow.getHandle(id).result(), { ...cancelledAtNoCost, provider: 'endless' });
});

test('a task that was cancelled before its start is cleared away all the same, and never sent', async () => {
  const sent = good.asked.submit;
  const id = await runner.admit({ routes: ['good'], kind: 'avatar_talk' });
  await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  scan();
  await until(() => isRemoved(database, id));
  assert.deepEqual(await runner.client.workflow.getHandle(id).result(), cancelledAtNoCost);
  assert.equal(good.asked.submit, sent);
});

test('a silent task whose workflow runs is left alone', async () => {
  const id = await runner.start({ routes: ['endless'] });
  await silent(id);
  scan();
  await until(async () => {
    const { rows } = await database.pool.query('select 1 from tasks where id = $1 and seen_at is not null', [id]);
    return rows.length === 1;
  });
  assert.equal((await findTask(database, id))?.finishedAt, null);
  // Ended by its owner: the scan sees to it that its workflow hears of that.
  await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  const ended = (await runner.client.workflow.getHandle(id).result()) as { state: string };
  assert.equal(ended.state, 'cancelled');
  await until(async () => {
    const { rows } = await database.pool.query('select 1 from tasks where id = $1 and cancel_pending', [id]);
    return rows.length === 0;
  });
});

test('a task that no step will end any more is released', async () => {
  const [old, young] = [await runner.admit({ routes: ['gone'] }), await runner.admit({ routes: ['gone'] })];
  await markStarted(database, [old, young]);
  // Its routes have a deadline of an hour, after at most a day in the queue, and an hour is left for clocks that differ.
  await age(old, 'created_at', '26 hours 1 minute');
  await age(young, 'created_at', '25 hours 59 minutes');
  scan();
  await until(async () => (await findTask(database, old))?.state === 'failed');
  assert.equal((await findTask(database, old))?.error?.code, 'upstream_timeout');
  assert.equal((await findTask(database, young))?.state, 'accepted');
});

/** As a newer release that was rolled back may have left it. */
const spoil = (ids: TaskId | TaskId[]) =>
  database.pool.query(`update tasks set terms = jsonb_set(terms, '{modelKind}', '"music"') where id = any($1)`, [
    [ids].flat(),
  ]);

test('a task whose row can’t be read stops no other in any scan, and is reported', async () => {
  const makeFour = () => Promise.all([1, 2, 3, 4].map(() => runner.admit({ routes: ['good'] })));
  const [unstarted, cancelled] = [await makeFour(), await makeFour()];
  for (const id of unstarted) await age(id, 'created_at', '3 seconds');
  for (const id of cancelled) await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  const [badUnstarted, badCancelled] = [unstarted[0], cancelled[0]];
  assert.ok(badUnstarted && badCancelled);
  await spoil([badUnstarted, badCancelled]);

  const [started, reported] = [new Set<string>(), new Set<string>()];
  const starter: Partial<TaskStarter> = {
    start: ({ id }) => Promise.resolve(void started.add(id)),
    cancel: () => Promise.resolve(false),
  };
  const isPending = async (id: TaskId) =>
    (await database.pool.query('select 1 from tasks where id = $1 and cancel_pending', [id])).rowCount === 1;
  await scanned(
    starter,
    async () => {
      await until(() => Promise.resolve(unstarted.slice(1).every((id) => started.has(id)) && reported.size === 2));
      await until(async () => !(await Promise.all(cancelled.slice(1).map(isPending))).includes(true));
    },
    { onUnreadable: (scan) => reported.add(scan) },
  );
  assert.deepEqual([...reported].sort(), ['cancellations', 'tasks_to_start']);
  assert.ok(!started.has(badUnstarted));
  assert.ok(await isPending(badCancelled));
  const listed = await unreadableTasks(database, 10);
  assert.deepEqual(listed.map(({ id }) => id).sort(), [badUnstarted, badCancelled].sort());
  assert.match(listed[0]?.fault ?? '', /^terms\.modelKind: /);

  await release(runner.deps, { taskId: badUnstarted, error: 'broken' });
  const { rows } = await database.pool.query('select state from tasks where id = $1', [badUnstarted]);
  assert.deepEqual(rows, [{ state: 'failed' }]);
  await database.pool.query('update tasks set cancel_pending = false where id = any($1)', [cancelled]);
});

test('with Temporal away all overdue tasks are released in one round', async () => {
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => runner.admit({ routes: ['gone'] })));
  await markStarted(database, ids);
  for (const id of ids) await age(id, 'created_at', '26 hours 1 minute');
  const released: string[] = [];
  const away = await temporalAway();
  await scanned(
    { cancel: () => Promise.reject(away), start: () => Promise.resolve() },
    () => until(() => Promise.resolve(released.length === 5)),
    {
      release: async ({ taskId }) => {
        released.push(taskId);
        await runner.deps.ledger.releaseTask(failureOf(runner.customer, taskId));
      },
    },
  );
  assert.deepEqual(released.sort(), [...ids].sort());
});

const admit = (count: number, route = 'good'): Promise<TaskId[]> =>
  Promise.all(Array.from({ length: count }, () => runner.admit({ routes: [route] })));
const isHeard = async (id: TaskId): Promise<boolean> =>
  (await database.pool.query('select 1 from tasks where id = $1 and cancel_pending', [id])).rowCount === 0;
/** Ends tasks of a test whose workflows never ran. */
async function forget(ids: TaskId[]): Promise<void> {
  await Promise.all(ids.map((id) => release(runner.deps, { taskId: id, error: 'broken' })));
  await database.pool.query('update tasks set cancel_pending = false where id = any($1)', [ids]);
}

test('more tasks than are read at once that can’t be read keep no other from its start', async () => {
  const bad = await admit(310); // three pages, which one process takes for five seconds, and three rounds are within these
  const [good] = await admit(1);
  assert.ok(good);
  await spoil(bad);
  await age(bad, 'created_at', '10 seconds');
  await age(good, 'created_at', '3 seconds');
  const started = new Set<string>();
  await scanned({ start: ({ id }) => Promise.resolve(void started.add(id)) }, () =>
    until(() => Promise.resolve(started.has(good))),
  );
  assert.deepEqual([...started], [good]);
  await forget([...bad, good]);
});

test('more tasks than are read at once that can’t be read keep no other from its cancellation or its new start', async () => {
  const [silent, cancelled] = [await admit(102), await admit(102)];
  const [goodSilent, goodCancelled] = [silent[0], cancelled[0]];
  assert.ok(goodSilent && goodCancelled);
  await markStarted(database, silent);
  for (const id of cancelled) await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  await spoil([...silent, ...cancelled].filter((id) => id !== goodSilent && id !== goodCancelled));
  await age(silent, 'started_at', '10 minutes');
  await age(goodSilent, 'started_at', '6 minutes');
  await age(goodCancelled, 'finished_at', '-1 seconds');
  const started = new Set<string>();
  const starter: Partial<TaskStarter> = {
    start: ({ id }) => Promise.resolve(void started.add(id)),
    cancel: () => Promise.resolve(false),
    status: () => Promise.resolve(undefined),
  };
  await scanned(starter, () => until(async () => started.has(goodSilent) && (await isHeard(goodCancelled))));
  await forget([...silent, ...cancelled]);
});

test('tasks that fail by themselves keep no other from its turn in any scan', async () => {
  const [unstarted, cancelled, overdue] = [await admit(9), await admit(4), await admit(5, 'gone')];
  const ofOne = (ids: TaskId[]): TaskId => ids.at(-1) ?? assert.fail();
  const good = [unstarted, cancelled, overdue].map(ofOne);
  await age(unstarted, 'created_at', '10 seconds');
  await age(ofOne(unstarted), 'created_at', '3 seconds');
  for (const id of cancelled) await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  await markStarted(database, overdue);
  await age(overdue, 'created_at', '27 hours');
  await age(ofOne(overdue), 'created_at', '26 hours 1 minute');
  // Terms in which no deadline can be found.
  await database.pool.query(`update tasks set terms = '{"routes": {"deadlineMs": "none"}}' where id = $1`, [
    overdue[0],
  ]);
  const done = new Set<string>();
  const unlessBad = (id: TaskId) => {
    if (!good.includes(id)) return Promise.reject(new TypeError('a fault of its own'));
    done.add(id);
    return Promise.resolve();
  };
  await scanned(
    { start: ({ id }) => unlessBad(id), cancel: async (id) => unlessBad(id).then(() => true) },
    () => until(async () => good.every((id) => done.has(id)) && (await isHeard(ofOne(cancelled)))),
    { release: ({ taskId }) => unlessBad(taskId) },
  );
  await forget([...unstarted, ...cancelled, ...overdue]);
});
