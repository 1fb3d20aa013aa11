/** The turn of a create: what a submit does that finds its provider full, its slot far away, or its slot missed. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ProviderLimits } from '../../src/activities/dependencies.ts';
import { submitActivities } from '../../src/activities/index.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { findIntent } from '../../src/tasks/provider-calls/intents.ts';
import { ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';

const outcomeOf = (submitted: unknown) => (submitted as { outcome: string }).outcome;

describe('a submit that finds no room', () => {
  const submitOnce = async (t: TestContext, limits: ProviderLimits, provider = new ScriptedProvider()) => {
    const runner = await startTaskRunner({ providers: { p: provider }, limits: { p: limits }, work: false });
    t.after(() => runner.stop());
    const task = () => runner.admit({ routes: ['p'] });
    const submit = (taskId: TaskId) =>
      new MockActivityEnvironment().run(submitActivities(runner.deps).submit, { taskId, route: 0 });
    return { runner, task, submit, provider };
  };
  const comesBack = (least: number, most: number) => (error: unknown) =>
    error instanceof ApplicationFailure &&
    error.type === 'come_back_later' &&
    error.nonRetryable !== true &&
    typeof error.nextRetryDelay === 'number' &&
    error.nextRetryDelay >= least &&
    error.nextRetryDelay <= most;

  test('at a full provider comes back two seconds later, without a slot or an intent', async (t) => {
    const { runner, task, submit, provider } = await submitOnce(t, { maxConcurrent: 1, maxPerSecond: 100 });
    assert.equal(outcomeOf(await submit(await task())), 'sent');
    const { rows: before } = await runner.db.database.pool.query('select next_slot_at from provider_rates');
    const second = await task();
    await assert.rejects(submit(second), comesBack(2000, 2000));
    const { rows: after } = await runner.db.database.pool.query('select next_slot_at from provider_rates');
    assert.deepEqual(after, before);
    assert.equal(await findIntent(runner.db.database, second, 0), undefined);
    assert.equal(provider.asked.submit, 1);
  });

  test('for its slot comes back about when it will be near, at most half a minute later', async (t) => {
    const { runner, task, submit } = await submitOnce(t, { maxPerSecond: 0.01 });
    // Others have taken the slots until then.
    await runner.db.database.pool.query(
      `insert into provider_rates (provider, next_slot_at) values ('p', clock_timestamp() + interval '100 seconds')`,
    );
    const id = await task();
    await assert.rejects(submit(id), comesBack(24_000, 30_000));
    assert.equal(await findIntent(runner.db.database, id, 0), undefined);
  });

  test('that was held up past its slot takes its intent back and another slot, and sends once', async (t) => {
    const createdAt: number[] = [];
    const provider = new ScriptedProvider({
      submit: () => {
        createdAt.push(performance.now());
        return { outcome: 'accepted', jobId: 'job' };
      },
    });
    const { runner, task, submit } = await submitOnce(t, { maxPerSecond: 1, maxConcurrent: 1 }, provider);
    const id = await task();
    const { pool } = runner.db.database;
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select 1 from tasks where id = $1 for update', [id]);
    const sent = submit(id);
    // The slot is taken, its intent waits for the row, and the slot passes.
    const passed = `select 1 from provider_rates where next_slot_at - interval '1 second' < clock_timestamp()`;
    while ((await pool.query(passed)).rowCount === 0) await pause(10);
    const releasedAt = performance.now();
    await holder.query('commit');
    holder.release();
    assert.equal(outcomeOf(await sent), 'sent');
    assert.deepEqual([createdAt.length, (await findIntent(runner.db.database, id, 0))?.outcome], [1, 'accepted']);
    assert.ok((createdAt[0] ?? 0) - releasedAt > 500); // not at once, but at the next slot
    assert.equal((await pool.query('select 1 from provider_jobs where task_id = $1', [id])).rowCount, 1);
  });
});
