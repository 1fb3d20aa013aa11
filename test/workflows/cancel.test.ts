/** Cancelling the workflow of a task, as from Temporal's own console: what it does to money, row and job at each step. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import type { Submission } from '../../src/providers/contract.ts';
import { assertAudited, cancelledAtNoCost, taskOf } from '../support/cancelling.ts';
import { stateOf } from '../support/money.ts';
import { until } from '../support/process.ts';
import { ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';

const good = new ScriptedProvider();
let answer: (submission: Submission) => void = () => undefined;
const slow = new ScriptedProvider({ submit: () => new Promise((resolve) => (answer = resolve)) });
const endless = new ScriptedProvider({ poll: () => ({ state: 'processing' }) });
const runner = await startTaskRunner({ providers: { good, slow, endless }, work: false });
after(async () => {
  await assertAudited(runner);
  await runner.stop();
});
const handleOf = (id: TaskId) => runner.client.workflow.getHandle(id);

/** Cancels the workflow, and sees that the task is cancelled and its money given back. */
async function cancelled(id: TaskId, provider: string): Promise<void> {
  await handleOf(id).cancel();
  assert.deepEqual(await handleOf(id).result(), { ...cancelledAtNoCost, provider });
  const { state, error } = await taskOf(runner, id);
  assert.deepEqual([state, error?.code], ['cancelled', 'cancelled']);
  assert.equal((await stateOf(runner.db.database, runner.customer)).held, 0n);
}

test('before its first step: nothing is sent', async () => {
  const id = await runner.start({ routes: ['good'] });
  await handleOf(id).cancel();
  await runner.work();
  assert.deepEqual(await handleOf(id).result(), cancelledAtNoCost);
  assert.equal((await taskOf(runner, id)).state, 'cancelled');
  assert.equal(good.asked.submit, 0);
});

test('while its create is in flight: the job is stopped when its id comes', async () => {
  const id = await runner.start({ routes: ['slow'] });
  await until('the create', () => (slow.asked.submit > 0 ? true : undefined));
  await cancelled(id, 'slow');
  assert.equal(slow.asked.cancel, 0);
  answer({ outcome: 'accepted', jobId: 'late' });
  await until('the cancelling', () => (slow.asked.cancel === 1 ? true : undefined));
});

test('while the provider works: the job is stopped', async () => {
  const id = await runner.start({ routes: ['endless'] });
  await until('a poll', () => (endless.asked.poll > 0 ? true : undefined));
  await cancelled(id, 'endless');
  assert.equal(endless.asked.cancel, 1);
});

test('after its end: the task stays as it is', async () => {
  const id = await runner.start({ routes: ['good'] });
  await handleOf(id).result();
  await handleOf(id).cancel();
  assert.equal(await runner.starter.cancel(id), false);
  assert.deepEqual([(await taskOf(runner, id)).state, good.asked.cancel], ['succeeded', 0]);
});
