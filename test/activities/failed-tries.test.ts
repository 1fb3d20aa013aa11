/** What a step fails at is tried again so often, whatever became of the workers that had it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Readable } from 'node:stream';
import { activityInfo } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { backgroundActivities, collectActivities } from '../../src/activities/index.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { closeIntent, openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { cancelAsOwner } from '../support/cancelling.ts';
import { image, ScriptedProvider, startTaskRunner, type TaskRunner } from '../support/task-runner.ts';

const broken = () => Promise.reject(new Error('the connection broke'));
const seen: unknown[] = [];
const shaky = new ScriptedProvider({
  poll: () => ({
    state: 'succeeded',
    parts: [
      {
        open: () => {
          const { attempt, heartbeatDetails } = activityInfo();
          seen.push({ attempt, heartbeatDetails: heartbeatDetails as unknown });
          return attempt < 3 ? broken() : Promise.resolve(Readable.from([image]));
        },
      },
    ],
  }),
});
const away = new ScriptedProvider({
  poll: () => ({ state: 'succeeded', parts: [{ open: broken }] }),
  cancel: () => {
    throw new Error('away');
  },
});

let runner: TaskRunner;
before(async () => {
  runner = await startTaskRunner({ providers: { shaky, away } });
});
after(() => runner.stop());

/** A task whose job its provider has finished, that no worker has. */
async function accepted(): Promise<TaskId> {
  const id = await runner.admit({ routes: ['away'] });
  await openIntent(runner.db.database, id, 0, 'away');
  await closeIntent(runner.db.database, id, 0, { outcome: 'accepted', jobId: 'job' });
  return id;
}

const collected = (id: TaskId, info: { attempt?: number; heartbeatDetails?: unknown }) =>
  new MockActivityEnvironment(info).run(() => collectActivities(runner.deps).collect({ taskId: id, route: 0 }));

test('a result that thirty workers gave away is tried again after its first failure, and given up after twenty', async () => {
  const id = await accepted();
  await assert.rejects(collected(id, { attempt: 31 }));
  await assert.rejects(collected(id, { attempt: 31, heartbeatDetails: { failedTries: 18 } }));
  assert.deepEqual(await collected(id, { heartbeatDetails: { failedTries: 19 } }), {
    outcome: 'failed',
    error: { code: 'upstream_timeout' },
  });
  await cancelAsOwner(runner, id);
});

test('a job that is to be stopped likewise, eight times', async () => {
  const id = await accepted();
  await cancelAsOwner(runner, id);
  const withdrawn = (info: { attempt?: number; heartbeatDetails?: unknown }) =>
    new MockActivityEnvironment(info).run(() => backgroundActivities(runner.deps).withdraw({ taskId: id }));
  await assert.rejects(withdrawn({ attempt: 20 }));
  await assert.rejects(withdrawn({ heartbeatDetails: { failedTries: 6 } }));
  assert.deepEqual(await withdrawn({ heartbeatDetails: { failedTries: 7 } }), { stopped: 0, left: 1 });
});

test('the count goes from attempt to attempt', async () => {
  const id = await runner.start({ routes: ['shaky'] });
  assert.equal((await runner.final(id)).state, 'succeeded');
  assert.deepEqual(seen, [
    { attempt: 1, heartbeatDetails: undefined },
    { attempt: 2, heartbeatDetails: { failedTries: 1 } },
    { attempt: 3, heartbeatDetails: { failedTries: 2 } },
  ]);
});
