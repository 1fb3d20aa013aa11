/** The audit's comparison of tasks and workflows, on the real server: what agrees, and each way of disagreeing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { TaskId } from '../../src/domain/ids.ts';
import { newTaskId } from '../../src/postgres/new-ids.ts';
import { removeMedia } from '../../src/tasks/rows/fetch-claims.ts';
import { findTask, markStarted } from '../../src/tasks/rows/task-rows.ts';
import { auditWorkflows } from '../../src/audit/workflow-comparison.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { failureOf } from '../support/money.ts';
import { silentVideo, part, ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';

const second = await silentVideo(1);
const runner = await startTaskRunner({
  providers: {
    good: new ScriptedProvider(),
    failing: new ScriptedProvider({
      poll: () => ({ state: 'failed', error: new GatewayError('upstream_error', 'It broke.') }),
    }),
    talking: new ScriptedProvider({ poll: () => ({ state: 'succeeded', parts: [part(second)] }) }),
    endless: new ScriptedProvider({ poll: () => ({ state: 'processing' }) }),
  },
});
after(() => runner.stop());
const { client, queues } = runner;
const { database } = runner.db;
const handleOf = (id: string) => client.workflow.getHandle(id);

interface Audited {
  findings: Record<string, string>;
  looked: Record<string, number>;
}

async function audited(since?: Date): Promise<Audited> {
  const [findings, looked]: [Record<string, string>, Record<string, number>] = [{}, {}];
  await auditWorkflows({
    database,
    client,
    queues,
    fetchWindowMs: 600_000,
    since,
    restMs: 50,
    found: (subject, says) => (findings[subject] = says),
    looked: (what, count) => (looked[what] = (looked[what] ?? 0) + count),
  });
  return { findings, looked };
}

/** A task that has ended, and its workflow with it. */
async function ended(route: string): Promise<TaskId> {
  const id = await runner.start({ routes: [route] });
  await markStarted(database, [id]);
  await handleOf(id).result();
  await listedAsClosed(id);
  return id;
}

/** Waits until Temporal's listing, from which the audit suspects, has what the workflow itself has: it follows a moment later. */
async function listedAsClosed(id: string): Promise<void> {
  const query = `WorkflowId = '${id}' and ExecutionStatus != 'Running'`;
  while ((await client.workflow.count(query)).count === 0) await pause(20);
}

/** A task whose provider works on it, for ever. */
async function underWay(): Promise<TaskId> {
  const id = await runner.start({ routes: ['endless'] });
  await markStarted(database, [id]);
  while ((await findTask(database, id))?.state !== 'running') await pause(20);
  return id;
}

/** Changes a row as only a hand would: past the triggers. The constraints of the table are kept. */
async function setRow(id: TaskId, set: string): Promise<void> {
  const hand = await database.pool.connect();
  try {
    await hand.query('set session_replication_role = replica');
    await hand.query(`update tasks set ${set} where id = $1`, [id]);
  } finally {
    hand.release(true);
  }
}

test('tasks that finished, run, failed, were cancelled or fetched agree with their workflows', async () => {
  await ended('good');
  await ended('failing');
  await underWay();
  const cancelled = await underWay();
  await handleOf(cancelled).cancel();
  await handleOf(cancelled).result();
  const left = await runner.admit({ routes: ['good'] });
  await runner.deps.ledger.releaseTask(failureOf(runner.customer, left, 'cancelled'));
  await runner.admit({ routes: ['good'] }); // its start comes yet
  const waiting = await runner.start({ routes: ['talking'], kind: 'avatar_talk' });
  const fetched = await runner.start({ routes: ['talking'], kind: 'avatar_talk' });
  await runner.final(waiting);
  await runner.final(fetched);
  await removeMedia(database, runner.deps.blobs, fetched);
  const { findings, looked } = await audited();
  assert.deepEqual(findings, {});
  assert.equal(looked['tasks compared with workflows'], 8);
  assert.equal(looked['tasks older than Temporal remembers'], 0);
});

test('a row that was set to another state by hand is found', async () => {
  const done = await ended('good');
  await setRow(done, `state = 'cancelled', cost = null, files = null, error_code = 'cancelled'`);
  const undone = await ended('failing');
  await setRow(undone, `state = 'running', finished_at = null, error_code = null`);
  const { findings } = await audited();
  assert.deepEqual(findings, {
    [done]: 'the task is cancelled, but its workflow says succeeded',
    [undone]: 'the task is running, but its workflow says failed',
  });
  await setRow(done, `state = 'succeeded', cost = 0, files = '[]', error_code = null`);
  await setRow(undone, `state = 'failed', finished_at = now(), error_code = 'internal_error'`);
  assert.deepEqual((await audited()).findings, {});
});

test('a workflow that was terminated behind the back of the gateway is found until its task is released', async () => {
  const id = await underWay();
  await handleOf(id).terminate();
  await listedAsClosed(id);
  const { findings } = await audited();
  assert.deepEqual(findings, { [id]: 'the task is running, but its workflow was terminated without an outcome' });
  await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  assert.deepEqual((await audited()).findings, {});
});

test('a row whose workflow does not exist is found, as is one that was never started', async () => {
  const [lost, never] = [await runner.admit({ routes: ['good'] }), await runner.admit({ routes: ['good'] })];
  await markStarted(database, [lost]);
  await setRow(never, `created_at = now() - interval '1 hour'`);
  const { findings } = await audited();
  assert.deepEqual(findings, {
    [lost]: 'the task is accepted, but has no workflow',
    [never]: 'the task was accepted 60 minutes ago, but no workflow was ever started for it',
  });
  for (const id of [lost, never]) await runner.deps.ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'));
  assert.deepEqual((await audited()).findings, { [lost]: 'the task is cancelled, but has no workflow' });
  // Ended before what Temporal remembers, it is only counted.
  await setRow(lost, `created_at = now() - interval '41 days', finished_at = now() - interval '40 days'`);
  const { findings: none, looked } = await audited();
  assert.deepEqual([none, looked['tasks older than Temporal remembers']], [{}, 1]);
});

test('a workflow of another account, model or queue is found', async () => {
  const [account, model, queue] = [await ended('good'), await ended('good'), await runner.admit({ routes: ['good'] })];
  const other = await runner.newCustomer();
  await setRow(account, `account_id = '${other.account}', key_id = '${other.key}'`);
  await setRow(model, `model = 'other'`);
  await client.workflow.start('generate', { workflowId: queue, taskQueue: `${queues.workflows}-other`, args: [{}] });
  const { findings } = await audited();
  assert.deepEqual(findings, {
    [account]: 'its workflow was started for another account and key',
    [model]: 'its workflow was started for another model',
  });
  await markStarted(database, [queue]);
  assert.equal(
    (await audited()).findings[queue],
    'the workflow of this id is another kind of workflow, or runs on a queue that is not ours',
  );
  await handleOf(queue).terminate();
  await setRow(account, `account_id = '${runner.customer.account}', key_id = '${runner.customer.key}'`);
  await setRow(model, `model = 'sim-image'`);
  await setRow(queue, `state = 'cancelled', error_code = 'cancelled', finished_at = now() - interval '40 days'`);
});

test('`since` leaves out what is older, on both sides', async () => {
  const old = await ended('good');
  await setRow(old, `state = 'cancelled', cost = null, files = null, error_code = 'cancelled'`);
  const young = await ended('good');
  // The ledger reckons the time since a commit of its own, so that a busy machine dates a task some milliseconds early: its
  // own date is what lies between the two, not the end of the other's workflow.
  const since = (await findTask(database, young))?.createdAt;
  await setRow(young, `state = 'cancelled', cost = null, files = null, error_code = 'cancelled'`);
  const { findings, looked } = await audited(since);
  assert.deepEqual(Object.keys(findings), [young]);
  assert.deepEqual([looked['tasks compared with workflows'], looked['workflows']], [1, 1]);
  for (const id of [old, young]) await setRow(id, `state = 'succeeded', cost = 0, files = '[]', error_code = null`);
});

test('traffic during the audit raises no false alarm', async () => {
  let isOver = false;
  let tasks = 0;
  const traffic = Promise.all(
    [1, 2, 3, 4].map(async () => {
      while (!isOver) await ended((tasks += 1) % 3 === 0 ? 'failing' : 'good');
    }),
  );
  while (tasks < 40) assert.deepEqual((await audited()).findings, {});
  isOver = true;
  await traffic;
});

test('a workflow without a row is found, whatever its id', async () => {
  const ids = [newTaskId('image'), '0', `zz'\\ "x`];
  const start = (type: string, workflowId: string) =>
    client.workflow.start(type, { workflowId, taskQueue: queues.workflows, args: [{}], startDelay: '1 hour' });
  for (const id of ids) await start('generate', id);
  await start('audit', newTaskId('image'));
  // Temporal lists what was started a moment later.
  const listed = async () => {
    const found = new Set<string>();
    const query = `TaskQueue = '${queues.workflows}' and ExecutionStatus = 'Running'`;
    for await (const { workflowId } of client.workflow.list({ query })) found.add(workflowId);
    return ids.every((id) => found.has(id));
  };
  while (!(await listed())) await pause(20);
  const { findings } = await audited();
  assert.deepEqual(findings, Object.fromEntries(ids.map((id) => [id, 'a workflow that runs has no task'])));
});
