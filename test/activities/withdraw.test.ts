/** What is left of a task that was cancelled: its provider's job is stopped where that can be, and nothing stays stored. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type pg from 'pg';
import {
  type ActivityDependencies,
  backgroundActivities,
  collectActivities,
  submitActivities,
} from '../../src/activities/index.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import type { Submission } from '../../src/providers/contract.ts';
import type { Database } from '../../src/postgres/database.ts';
import { closeIntent, findIntent, openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { newBlobKey } from '../../src/postgres/new-ids.ts';
import { intentsOf, listUnknownOutcomes } from '../../src/tasks/provider-calls/intent-reports.ts';
import { assertAudited, blobsOf, cancelAsOwner } from '../support/cancelling.ts';
import { until } from '../support/process.ts';
import { image, part, type Script, ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';

const processing = () => ({ state: 'processing' as const });
const endless = (script: Script = {}) => new ScriptedProvider({ poll: processing, ...script });

const stoppable = endless();
const unstoppable = endless({ abilities: { cancel: false } });
const tooFar = endless({ cancel: () => false });
let refusals = 1;
const shaky = endless({
  cancel: () => {
    if (refusals-- > 0) throw new Error('away for a moment');
    return true;
  },
});
const away = endless({
  cancel: () => {
    throw new Error('away');
  },
});
const lost = endless({
  abilities: { lookup: true },
  submit: () => ({ outcome: 'unknown', reason: 'reset by peer' }),
  find: () => (lost.asked.find > 1 ? 'the-job' : undefined),
});
let answerLate: (submission: Submission) => void = () => undefined;
let lateSignal: AbortSignal | undefined;
const slow: Script = {
  submit: (signal) => {
    lateSignal = signal;
    return new Promise((resolve) => (answerLate = resolve));
  },
};
const late = endless(slow);
const repeatable = endless({ ...slow, abilities: { idempotent: true } });
const single = endless();
const paced = endless();
const runner = await startTaskRunner({
  providers: { stoppable, unstoppable, tooFar, shaky, away, lost, late, repeatable, single, paced },
  limits: { single: { maxConcurrent: 1 }, paced: { maxPerSecond: 0.2 } },
});
after(async () => {
  await assertAudited(runner);
  await runner.stop();
});
const { database } = runner.db;

const ended = async (id: TaskId) => {
  const { state, cost } = (await runner.client.workflow.getHandle(id).result()) as { state: string; cost: number };
  return { state, cost };
};
const isCancelled = { state: 'cancelled', cost: 0 };
const intentOf = async (id: TaskId) => (await intentsOf(database, id))[0];
const unknowns = async () =>
  (await listUnknownOutcomes(database, { limit: 100 }, new Date())).map(({ task: { id } }) => id);
/** A task whose job the provider is working on. */
async function underWay(provider: string): Promise<TaskId> {
  const id = await runner.start({ routes: [provider] });
  await accepted(id);
  return id;
}
const accepted = (id: TaskId) =>
  until('its job', async () => ((await intentOf(id))?.outcome === 'accepted' ? true : undefined));
/** One attempt to withdraw a task, outside of its workflow. */
const withdrawn = (id: TaskId, { failedTries = 0, deps = runner.deps } = {}) =>
  new MockActivityEnvironment({ heartbeatDetails: { failedTries } }).run(() =>
    backgroundActivities(deps).withdraw({ taskId: id }),
  );

describe('the job of a task that was cancelled', () => {
  test('is stopped, once', async () => {
    const id = await underWay('stoppable');
    assert.equal(await cancelAsOwner(runner, id), true);
    assert.deepEqual(await ended(id), isCancelled);
    assert.equal(stoppable.asked.cancel, 1);
    const intent = await intentOf(id);
    assert.deepEqual([intent?.outcome, intent?.jobId, intent?.reason], ['accepted', 'job', null]);
    assert.ok(!(await unknowns()).includes(id));
  });

  for (const [name, why] of [
    ['unstoppable', 'its provider offers no cancelling'],
    ['tooFar', 'it had gone too far to be stopped'],
  ] as const) {
    test(`is left where ${why}, and the operator sees it`, async () => {
      const id = await underWay(name);
      await cancelAsOwner(runner, id);
      assert.deepEqual(await ended(id), isCancelled);
      assert.equal((await intentOf(id))?.reason, `left to end by itself: ${why}`);
      assert.ok((await unknowns()).includes(id));
      assert.equal(unstoppable.asked.cancel, 0);
    });
  }

  test('is stopped at the second try, if the first one fails', async () => {
    const id = await underWay('shaky');
    await cancelAsOwner(runner, id);
    assert.deepEqual(await ended(id), isCancelled);
    assert.deepEqual([shaky.asked.cancel, (await intentOf(id))?.reason], [2, null]);
  });

  test('is left after eight tries, and the workflow goes on', async () => {
    const id = await runner.admit({ routes: ['away'] });
    await openIntent(database, id, 0, 'away');
    await closeIntent(database, id, 0, { outcome: 'accepted', jobId: 'job' });
    await cancelAsOwner(runner, id);
    await assert.rejects(withdrawn(id, { failedTries: 6 }));
    assert.deepEqual(await withdrawn(id, { failedTries: 7 }), { stopped: 0, left: 1 });
    assert.equal((await intentOf(id))?.reason, 'left to end by itself: cancelling it failed');
    assert.ok((await unknowns()).includes(id));
  });

  test('is looked up and stopped, if the answer to its create was lost', async () => {
    const id = await runner.start({ routes: ['lost'] });
    await until('a look-up', () => (lost.asked.find > 0 ? true : undefined));
    await cancelAsOwner(runner, id);
    assert.deepEqual(await ended(id), isCancelled);
    assert.deepEqual([(await intentOf(id))?.jobId, lost.asked.cancel, lost.asked.submit], ['the-job', 1, 1]);
    assert.ok((await unknowns()).includes(id));
  });
});

describe('a create in flight when its task is cancelled', () => {
  for (const [name, provider] of Object.entries({ late, repeatable })) {
    test(`is neither waited for nor aborted, and its job is stopped when its id comes (${name})`, async () => {
      const id = await runner.start({ routes: [name] });
      await until('the create', () => (provider.asked.submit > 0 ? true : undefined));
      await cancelAsOwner(runner, id);
      assert.deepEqual(await ended(id), isCancelled);
      assert.equal(lateSignal?.aborted, false);
      answerLate({ outcome: 'accepted', jobId: 'late' });
      await until('the cancelling', () => (provider.asked.cancel > 0 ? true : undefined));
      assert.deepEqual([provider.asked.submit, provider.asked.cancel], [1, 1]);
      assert.equal((await intentOf(id))?.jobId, 'late');
      assert.ok((await unknowns()).includes(id));
    });
  }

  test('and whose answer is lost is known as unknown, though the provider knows repetitions', async () => {
    const { id, environment, submitted } = await sending();
    environment.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    assert.equal(lateSignal?.aborted, false);
    await cancelAsOwner(runner, id);
    answerLate({ outcome: 'unknown', reason: 'reset by peer' });
    const { outcome, isUnknown } = (await submitted) as { outcome: string; isUnknown?: boolean };
    assert.deepEqual({ outcome, isUnknown }, { outcome: 'sent', isUnknown: true });
    assert.equal((await findIntent(database, id, 0))?.outcome, 'unknown');
  });

  test('is aborted only when its worker stops, and then left to the next attempt', async () => {
    const { id, environment, submitted } = await sending();
    environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    assert.equal(lateSignal?.aborted, true);
    answerLate({ outcome: 'unknown', reason: 'aborted' });
    await assert.rejects(submitted, { type: 'handed_back' });
    assert.equal((await findIntent(database, id, 0))?.outcome, 'open');
    await cancelAsOwner(runner, id);
  });

  test('and whose id is being written just then is stopped too', async () => {
    const id = await runner.admit({ routes: ['stoppable'] });
    const before = stoppable.asked.cancel;
    const { submit } = submitActivities(withTurnAfter('close-intent', () => cancelAsOwner(runner, id)));
    assert.deepEqual(await new MockActivityEnvironment().run(submit, { taskId: id, route: 0 }), { outcome: 'ended' });
    assert.equal(stoppable.asked.cancel, before + 1);
  });

  /** A task whose create is being sent to a provider that knows repetitions. */
  async function sending() {
    const id = await runner.admit({ routes: ['repeatable'] });
    const environment = new MockActivityEnvironment();
    const sent = repeatable.asked.submit;
    const { submit } = submitActivities(runner.deps);
    const submitted = environment.run(submit, { taskId: id, route: 0 });
    await until('the create', () => (repeatable.asked.submit > sent ? true : undefined));
    return { id, environment, submitted };
  }

  /** Dependencies under which something happens right after the first query of this name. */
  function withTurnAfter(name: string, turn: () => Promise<unknown>): ActivityDependencies {
    let isOver = false;
    const query = async (text: pg.QueryConfig, values?: unknown[]) => {
      const answer = await database.keyed.query(text, values);
      if (!isOver && text.name === name) {
        isOver = true;
        await turn();
      }
      return answer;
    };
    const keyed = Object.assign(Object.create(database.keyed) as Database['keyed'], { query });
    return { ...runner.deps, database: Object.assign(Object.create(database) as Database, { keyed }) };
  }
});

describe('a task that waits for its provider', () => {
  test('is never sent once it is cancelled, and a place is free as soon as its holder is cancelled', async () => {
    const holder = await underWay('single');
    const [first, second] = [await runner.start({ routes: ['single'] }), await runner.start({ routes: ['single'] })];
    assert.equal(await cancelAsOwner(runner, first), true);
    assert.deepEqual(await ended(first), isCancelled);
    await cancelAsOwner(runner, holder);
    await accepted(second);
    assert.deepEqual([single.asked.submit, await intentOf(first)], [2, undefined]);
    await cancelAsOwner(runner, second);
    assert.deepEqual(await Promise.all([ended(holder), ended(second)]), [isCancelled, isCancelled]);
    assert.equal(single.asked.cancel, 2);
  });

  test('or for its slot is never sent either', async () => {
    const first = await underWay('paced');
    const second = await runner.start({ routes: ['paced'] });
    await cancelAsOwner(runner, second);
    assert.deepEqual(await ended(second), isCancelled);
    const { submit } = submitActivities(runner.deps);
    assert.deepEqual(await new MockActivityEnvironment().run(submit, { taskId: second, route: 0 }), {
      outcome: 'ended',
    });
    assert.deepEqual([paced.asked.submit, await intentOf(second)], [1, undefined]);
    await cancelAsOwner(runner, first);
  });
});

describe('what is stored of a task that was cancelled', () => {
  /** A task whose result is being collected; `finish` lets the last part come. */
  async function collecting() {
    let finish: () => void = () => undefined;
    const last = new Promise<void>((resolve) => (finish = resolve));
    let isAsked = false;
    const slowly = async () => {
      isAsked = true;
      await last;
      return Readable.from([image]);
    };
    const provider = new ScriptedProvider({
      poll: () => ({ state: 'succeeded', parts: [part(image), { open: slowly }] }),
    });
    const id = await runner.admit({ routes: ['other'] });
    await openIntent(database, id, 0, 'other');
    await closeIntent(database, id, 0, { outcome: 'accepted', jobId: 'job' });
    const deps = { ...runner.deps, providers: new Map([['other', provider]]) };
    const collected = new MockActivityEnvironment().run(collectActivities(deps).collect, { taskId: id, route: 0 });
    await until('the second part', () => (isAsked ? true : undefined));
    return {
      id,
      collected: collected as Promise<{ outcome: string }>,
      finish,
      withdraw: () => withdrawn(id, { deps }),
    };
  }

  test('goes, also what comes after it was cleared away', async () => {
    const { id, collected, finish, withdraw } = await collecting();
    assert.equal((await blobsOf(runner, `results/${id}/`)).length, 1);
    await cancelAsOwner(runner, id);
    assert.deepEqual(await withdraw(), { stopped: 1, left: 0 });
    assert.deepEqual(await blobsOf(runner, `results/${id}/`), []);
    finish();
    assert.equal((await collected).outcome, 'failed');
    assert.deepEqual(await blobsOf(runner, `results/${id}/`), []);
  });

  test('goes when it was whole just before', async () => {
    const { id, collected, finish, withdraw } = await collecting();
    finish();
    assert.equal((await collected).outcome, 'stored');
    assert.equal((await blobsOf(runner, `results/${id}/`)).length, 2);
    await cancelAsOwner(runner, id);
    await withdraw();
    assert.deepEqual(await blobsOf(runner, `results/${id}/`), []);
  });

  test('goes with an answer that was the result itself', async () => {
    const id = await runner.admit({ routes: ['stoppable'] });
    const key = newBlobKey(`results/${id}`);
    await openIntent(database, id, 0, 'stoppable');
    await runner.deps.blobs.write(key, Readable.from([image]), { bytesMax: image.length });
    await closeIntent(database, id, 0, { outcome: 'finished', blobKeys: [key] });
    await cancelAsOwner(runner, id);
    await withdrawn(id);
    assert.deepEqual(await blobsOf(runner, `results/${id}/`), []);
  });
});
