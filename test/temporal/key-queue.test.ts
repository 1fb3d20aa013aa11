/** The queue of a key, worked off by real workers: so many run at a time, in their order, and none is forgotten. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, afterEach, test } from 'node:test';
import { WorkflowNotFoundError } from '@temporalio/client';
import { providerReference, type TaskId } from '../../src/domain/ids.ts';
import { changeKey } from '../../src/accounts/api-keys.ts';
import type { Job, Poll, Submission } from '../../src/providers/contract.ts';
import { dequeueTasks } from '../../src/tasks/rows/key-queues.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import type { StartScan } from '../../src/tasks/start/start-scan.ts';
import { administrator, type Customer, failureOf } from '../support/money.ts';
import { until } from '../support/process.ts';
import { image, part, ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';

/** Takes tasks and keeps each until the test ends it. */
class Held extends ScriptedProvider {
  /** In the order in which they came. */
  readonly taken: string[] = [];
  /** The most that were here at once. */
  most = 0;
  readonly #ended = new Set<string>();
  readonly #news = new EventEmitter().setMaxListeners(0);

  override submit({ reference }: Job): Promise<Submission> {
    this.taken.push(reference);
    this.most = Math.max(this.most, this.taken.filter((each) => !this.#ended.has(each)).length);
    this.#news.emit('taken');
    return Promise.resolve({ outcome: 'accepted', jobId: reference });
  }

  override async poll(jobId: string, _job: unknown, signal: AbortSignal): Promise<Poll> {
    if (!this.#ended.has(jobId)) await once(this.#news, jobId, { signal });
    return { state: 'succeeded', parts: [part(image)] };
  }

  end(...ids: TaskId[]): void {
    for (const reference of ids.map(providerReference)) {
      this.#ended.add(reference);
      this.#news.emit(reference);
    }
  }

  /** Resolves when all of these were taken. */
  async has(...ids: TaskId[]): Promise<void> {
    while (!ids.every((id) => this.taken.includes(providerReference(id)))) await once(this.#news, 'taken');
  }
}

const held = new Held();
const runner = await startTaskRunner({ providers: { held } });
after(() => runner.stop());
const { database } = runner.db;
const scans: StartScan[] = [];
afterEach(() => Promise.all(scans.splice(0).map((scan) => scan.close())));

const withQueue = (maxRunningTasks: number) => runner.newCustomer({ maxRunningTasks, queue: true });

/** Admits so many and starts those that may start, as the API does. */
async function create(who: Customer, count: number): Promise<TaskId[]> {
  const ids: TaskId[] = [];
  for (let each = 0; each < count; each++) {
    const id = await runner.admit({ routes: ['held'] }, who);
    ids.push(id);
    if (!(await row(id)).queued) await runner.starter.start(await runner.facts(id));
  }
  return ids;
}
async function row(id: TaskId) {
  return (await findTask(database, id)) ?? assert.fail(`no task ${id}`);
}
const succeeds = async (id: TaskId) => assert.equal((await runner.final(id)).state, 'succeeded');
const age = (id: TaskId, column: string, by: string) =>
  database.pool.query(`update tasks set ${column} = clock_timestamp() - $2::interval where id = $1`, [id, by]);

test('of six tasks of a key that may run two, never more run, and each end starts the next in their order', async () => {
  const who = await withQueue(2);
  held.most = 0;
  const ids = await create(who, 6);
  for (const [at, id] of ids.entries()) {
    await held.has(...ids.slice(0, at + 2));
    held.end(id);
    await succeeds(id);
  }
  const order = held.taken.flatMap((reference) => ids.findIndex((id) => providerReference(id) === reference));
  assert.deepEqual(order.slice(-4), [2, 3, 4, 5]);
  assert.equal(held.most, 2);
});

test('two ends in one moment start two tasks', async () => {
  const who = await withQueue(2);
  const ids = await create(who, 4);
  await held.has(...ids.slice(0, 2));
  held.end(...ids.slice(0, 2));
  await held.has(...ids);
  held.end(...ids);
  for (const id of ids) await succeeds(id);
});

test('the scan starts what was queued behind an end whose process died', async () => {
  const who = await withQueue(1);
  const [first, second, third] = await create(who, 3);
  assert.ok(first && second && third);
  await held.has(first);
  await runner.deps.ledger.releaseTask(failureOf(who, first)); // and nothing comes after it
  scans.push(runner.scan());
  await held.has(second);
  assert.ok((await row(third)).queued);
  held.end(second, third);
  for (const id of [second, third]) await succeeds(id);
});

test('the scan starts a task that left the queue, but whose process died before it started it', async () => {
  const who = await withQueue(1);
  const [first, second] = await create(who, 2);
  assert.ok(first && second);
  await held.has(first);
  await runner.deps.ledger.releaseTask(failureOf(who, first));
  assert.equal((await dequeueTasks(database, who.key)).count, 1);
  await age(second, 'dequeued_at', '3 seconds');
  scans.push(runner.scan());
  held.end(second);
  await succeeds(second);
});

test('a queued task that is cancelled never runs, and its workflow only clears away', async () => {
  const who = await withQueue(1);
  const [first, second, third] = await create(who, 3);
  assert.ok(first && second && third);
  await held.has(first);
  const { ended } = await runner.deps.ledger.releaseTask(failureOf(who, second, 'cancelled'));
  assert.ok(ended);
  scans.push(runner.scan());
  held.end(first, third);
  for (const id of [first, third]) await succeeds(id);
  assert.ok(!held.taken.includes(providerReference(second)));
  // The scan that starts its workflow may come after those of the others.
  const { state } = await until('the end of its workflow', async () => {
    try {
      return (await runner.client.workflow.getHandle(second).result()) as { state: string };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  });
  assert.equal(state, 'cancelled');
});

test('a higher limit starts more', async () => {
  const who = await withQueue(1);
  const ids = await create(who, 3);
  scans.push(runner.scan());
  await held.has(...ids.slice(0, 1));
  await changeKey(administrator(database), who.key, { maxRunningTasks: 3 });
  await held.has(...ids);
  held.end(...ids);
  for (const id of ids) await succeeds(id);
});

test('a task that was queued for seven days fails, and costs nothing', async () => {
  const who = await withQueue(1);
  const [running, late, young] = await create(who, 3);
  assert.ok(running && late && young);
  await age(late, 'created_at', '7 days 1 second');
  await age(young, 'created_at', '6 days 23 hours');
  scans.push(runner.scan());
  const { state, error, cost } = await runner.final(late);
  assert.deepEqual([state, error?.code, cost], ['failed', 'concurrency_limit_exceeded', null]);
  assert.equal((await row(young)).finishedAt, null);
  held.end(running);
  await succeeds(running);
  await held.has(young);
  held.end(young);
  await runner.final(young);
});
