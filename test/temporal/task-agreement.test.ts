/** Whether a task's row and its workflow agree, case by case; no server is needed to tell. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TaskCourse } from '../../src/audit/checks/task-facts.ts';
import { disagreementOf, type WorkflowCourse } from '../../src/audit/task-agreement.ts';

const minute = 60_000;
const facts = { accountId: 'acc_1', keyId: 'key_1', model: 'sim-image', kind: 'image' };
const circumstances = { taskQueue: 'ours', knownMs: 30 * 24 * 60 * minute, fetchWindowMs: 10 * minute };

const task = (given: Partial<TaskCourse>): TaskCourse => ({
  id: 'img_1',
  ...facts,
  state: 'running',
  isStarted: true,
  isQueued: false,
  ageMs: 60 * minute,
  endedMs: null,
  isRemoved: false,
  requestTimeoutMs: minute,
  ...given,
});
const workflow = (given: Partial<WorkflowCourse>): WorkflowCourse => ({
  id: 'img_1',
  type: 'generate',
  taskQueue: 'ours',
  status: 'RUNNING',
  startTime: new Date(0),
  ...facts,
  outcome: 'processing',
  ...given,
});
const said = (of: Partial<TaskCourse> | undefined, by: Partial<WorkflowCourse> | undefined) =>
  disagreementOf(of && task(of), by && workflow(by), circumstances);
const talk = { kind: 'avatar_talk', state: 'succeeded' } as const;

describe('these agree', () => {
  const cases: Record<string, [Partial<TaskCourse> | undefined, Partial<WorkflowCourse> | undefined]> = {
    'a task under way': [{}, {}],
    'a task whose start is yet to come': [{ state: 'accepted', isStarted: false, ageMs: 4 * minute }, undefined],
    'a task that is queued, however long': [{ state: 'accepted', isStarted: false, isQueued: true }, undefined],
    'a task whose start was not noted': [{ state: 'accepted', isStarted: false }, {}],
    'a task that was cancelled before its start': [{ state: 'cancelled', isStarted: false, endedMs: 0 }, undefined],
    'a task that ended before what Temporal knows': [{ state: 'succeeded', endedMs: 31 * 24 * 60 * minute }, undefined],
    'a success': [
      { state: 'succeeded', endedMs: 0 },
      { status: 'COMPLETED', outcome: 'succeeded' },
    ],
    'a task that was cancelled while its create waits for the provider': [
      { state: 'cancelled', endedMs: 5 * minute },
      {},
    ],
    'a task whose workflow was terminated, and that was released for it': [
      { state: 'cancelled', endedMs: minute },
      { status: 'TERMINATED' },
    ],
    'a result that waits for its time': [
      { ...talk, endedMs: 10 * minute },
      { kind: 'avatar_talk', outcome: 'succeeded' },
    ],
    'a result whose workflow was terminated, until retention has had its time to delete it': [
      { ...talk, endedMs: 180 * minute },
      { kind: 'avatar_talk', outcome: 'succeeded', status: 'TERMINATED' },
    ],
    'a result that was fetched for an hour, and ended a moment ago: its workflow sleeps until the claim would have run out':
      [
        { ...talk, endedMs: 71 * minute },
        { kind: 'avatar_talk', outcome: 'succeeded' },
      ],
  };
  for (const [name, [of, by]] of Object.entries(cases)) test(name, () => assert.equal(said(of, by), undefined));
});

describe('these disagree', () => {
  const cases: [string, Partial<TaskCourse> | undefined, Partial<WorkflowCourse> | undefined][] = [
    ['a workflow that runs has no task', undefined, {}],
    ['a workflow that timed out has no task', undefined, { status: 'TIMED_OUT' }],
    ['the task is running, but has no workflow', {}, undefined],
    ['the task is queued, but has a workflow that runs', { state: 'accepted', isStarted: false, isQueued: true }, {}],
    ['the task is succeeded, but has no workflow', { state: 'succeeded', isStarted: false, endedMs: 0 }, undefined],
    [
      'the task was accepted 6 minutes ago, but no workflow was ever started for it',
      { state: 'accepted', isStarted: false, ageMs: 6 * minute },
      undefined,
    ],
    ['the task is failed, but its workflow says succeeded', { state: 'failed', endedMs: 0 }, { outcome: 'succeeded' }],
    ['the task is running, but its workflow says nothing', {}, { outcome: undefined }],
    ['the task is running, but its workflow failed without an outcome', {}, { status: 'FAILED' }],
    [
      'the task is cancelled, but its workflow completed without an outcome',
      { state: 'cancelled', endedMs: 0 },
      { status: 'COMPLETED' },
    ],
    [
      'the task is succeeded, but its workflow was terminated before it had a result',
      { state: 'succeeded', endedMs: 0 },
      { status: 'TERMINATED' },
    ],
    [
      'the task has been failed for 7 minutes, but its workflow still runs',
      { state: 'failed', endedMs: 7 * minute },
      {},
    ],
    [
      'the task has been succeeded for 76 minutes, but its workflow still runs',
      { ...talk, endedMs: 76 * minute },
      { kind: 'avatar_talk', outcome: 'succeeded' },
    ],
    [
      'its workflow completed, but its result was not deleted',
      { ...talk, endedMs: minute },
      { kind: 'avatar_talk', outcome: 'succeeded', status: 'COMPLETED' },
    ],
    [
      'its workflow was terminated, but its result was not deleted',
      { ...talk, endedMs: 200 * minute },
      { kind: 'avatar_talk', outcome: 'succeeded', status: 'TERMINATED' },
    ],
    ['its workflow was started for another model and kind', {}, { model: 'other', kind: 'video' }],
    [
      'the workflow of this id is another kind of workflow, or runs on a queue that is not ours',
      {},
      { taskQueue: 'theirs' },
    ],
  ];
  for (const [says, of, by] of cases) test(says, () => assert.equal(said(of, by), says));
});
