/** An operator pauses, unpauses and resets the activities of a task: it goes on where it was, and is bought and charged once. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import proto from '@temporalio/proto';
import type { TaskId } from '../../../src/domain/ids.ts';
import type { Submission } from '../../../src/providers/contract.ts';
import { assertAudited } from '../../support/cancelling.ts';
import { until } from '../../support/process.ts';
import { image, part, ScriptedProvider, startTaskRunner } from '../../support/task-runner.ts';

const { PauseActivityRequest, UnpauseActivityRequest, ResetActivityRequest } = proto.temporal.api.workflowservice.v1;

let isDone = false;
const working = new ScriptedProvider({
  poll: () => (isDone ? { state: 'succeeded', parts: [part(image)] } : { state: 'processing', retryAfterMs: 200 }),
});
let answer: (submission: Submission) => void = () => undefined;
const slow = new ScriptedProvider({ submit: () => new Promise((resolve) => (answer = resolve)) });
const runner = await startTaskRunner({ providers: { working, slow } });
after(async () => {
  await assertAudited(runner);
  await runner.stop();
});
const service = runner.client.workflowService;
const of = (workflowId: TaskId, type: string) => ({ namespace: 'default', execution: { workflowId }, type });
const pendingOf = async (id: TaskId) => {
  const { raw } = await runner.client.workflow.getHandle(id).describe();
  return raw.pendingActivities?.[0];
};
const isPaused = (id: TaskId) =>
  until('the pause', async () => ((await pendingOf(id))?.paused === true ? true : undefined));

test('while its result is awaited', async () => {
  const id = await runner.start({ routes: ['working'] });
  await until('a poll', () => working.asked.poll > 0 || undefined);
  await service.pauseActivity(PauseActivityRequest.fromObject(of(id, 'collect')));
  await isPaused(id);
  await service.unpauseActivity(UnpauseActivityRequest.fromObject(of(id, 'collect')));
  const polls = working.asked.poll;
  await until('a poll', () => working.asked.poll > polls + 1 || undefined);
  await service.resetActivity(ResetActivityRequest.fromObject(of(id, 'collect')));
  isDone = true;
  assert.equal((await runner.final(id)).state, 'succeeded');
  await runner.client.workflow.getHandle(id).result();
  assert.equal(working.asked.submit, 1);
});

test('while its create is in flight, which is not broken off', async () => {
  const id = await runner.start({ routes: ['slow'] });
  await until('the create', () => slow.asked.submit > 0 || undefined);
  await service.pauseActivity(PauseActivityRequest.fromObject(of(id, 'submit')));
  await isPaused(id);
  answer({ outcome: 'accepted', jobId: 'job' });
  await service.unpauseActivity(UnpauseActivityRequest.fromObject(of(id, 'submit')));
  assert.equal((await runner.final(id)).state, 'succeeded');
  await runner.client.workflow.getHandle(id).result();
  assert.equal(slow.asked.submit, 1);
});
