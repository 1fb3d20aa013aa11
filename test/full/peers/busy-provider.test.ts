/** A provider that is too busy to take a task: it made nothing, so the task waits by timers of its workflow. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Submitted } from '../../../src/activities/activity-types.ts';
import { submitActivities } from '../../../src/activities/index.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import type { TaskId } from '../../../src/domain/ids.ts';
import type { Submission } from '../../../src/providers/contract.ts';
import { findIntent } from '../../../src/tasks/provider-calls/intents.ts';
import { intentsOf, listUnknownOutcomes } from '../../../src/tasks/provider-calls/intent-reports.ts';
import { assertAudited, cancelAsOwner } from '../../support/cancelling.ts';
import { summariesOf, historyJson, payloadsOf, recordHistory } from '../../support/history.ts';
import { until } from '../../support/process.ts';
import { ScriptedProvider, startTaskRunner } from '../../support/task-runner.ts';

const isBusy = (retryAfterSeconds?: number): Submission => ({
  outcome: 'refused',
  error: new GatewayError('upstream_rate_limited', 'The provider is busy: a gate.', {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }),
  fallOver: true,
});
/** Busy so many times, then free. */
const busy = (times: number, retryAfterSeconds?: number): ScriptedProvider => {
  const provider: ScriptedProvider = new ScriptedProvider({
    submit: () =>
      provider.asked.submit <= times ? isBusy(retryAfterSeconds) : { outcome: 'accepted', jobId: 'the-job' },
  });
  return provider;
};
const providers = {
  twice: busy(2),
  once: busy(1),
  other: busy(1),
  free: busy(0),
  polite: busy(1, 2),
  always: busy(Infinity),
  slow: busy(Infinity, 30),
  surviving: busy(1, 2),
  single: busy(1),
  dead: busy(1),
};
const runner = await startTaskRunner({
  providers,
  limits: { single: { maxConcurrent: 1, maxPerSecond: 50 } },
  work: false,
});
const workers = await runner.work();
after(async () => {
  await assertAudited(runner);
  await runner.stop();
});
const { database } = runner.db;
const patient = { rateLimitPatienceMs: 600_000 };
const handleOf = (id: TaskId) => runner.client.workflow.getHandle(id);
const detailsOf = async (id: TaskId) =>
  (await handleOf(id).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
const isUnknown = async (id: TaskId) =>
  (await listUnknownOutcomes(database, { limit: 100 }, new Date())).some(({ task }) => task.id === id);

describe('a task whose provider is too busy', () => {
  test('waits and is sent again until it is taken', async () => {
    const id = await runner.start({ routes: ['twice'], ...patient });
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.equal(providers.twice.asked.submit, 3);
    const [intent, ...more] = await intentsOf(database, id);
    assert.deepEqual([intent?.outcome, intent?.jobId, more.length], ['accepted', 'the-job', 0]);
    assert.equal(await isUnknown(id), false);
    await handleOf(id).result();
    const history = historyJson(await handleOf(id).fetchHistory());
    const [submit, wait] = ['submit to twice (route 1 of 1)', 'until twice (route 1 of 1) is retried'];
    assert.deepEqual(summariesOf(history), [submit, wait, submit, wait, submit, 'collect from twice (route 1 of 1)']);
    assert.ok(!payloadsOf(history).join().includes('a gate'));
    await recordHistory('image-waits-for-busy-provider', history);
  });

  test('goes to the next route first', async () => {
    const id = await runner.start({ routes: ['once', 'free'], ...patient });
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.deepEqual([providers.once.asked.submit, providers.free.asked.submit], [1, 1]);
  });

  test('is sent to the first of several routes that is no longer busy, to one at a time', async () => {
    const seen = [providers.always.asked.submit, providers.other.asked.submit] as const;
    const id = await runner.start({ routes: ['always', 'other'], ...patient });
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.equal(providers.other.asked.submit - seen[1], 2);
    assert.ok(providers.always.asked.submit - seen[0] >= 1);
    const outcomes = (await intentsOf(database, id)).map(({ provider, outcome }) => [provider, outcome]);
    assert.deepEqual(outcomes, [
      ['always', 'refused'],
      ['other', 'accepted'],
    ]);
  });

  test('is not sent before the time that the provider asked for', async () => {
    const id = await runner.start({ routes: ['polite'], ...patient });
    await runner.final(id);
    assert.equal(providers.polite.asked.submit, 2);
    const intent = await findIntent(database, id, 0);
    assert.ok((intent?.sinceFirstMs ?? 0) - (intent?.ageMs ?? 0) >= 2_000);
  });

  test('fails as rate limited when the patience is over, with the wait that the provider asked for', async () => {
    const id = await runner.start({ routes: ['always'], rateLimitPatienceMs: 500 });
    const task = await runner.final(id);
    assert.deepEqual(task.error, {
      code: 'upstream_rate_limited',
      message: 'The provider is busy: a gate.',
      param: null,
    });
    const slow = await runner.final(await runner.start({ routes: ['slow'], rateLimitPatienceMs: 10_000 }));
    assert.deepEqual([slow.error?.code, slow.error?.retryAfterSeconds], ['upstream_rate_limited', 30]);
    assert.equal(providers.slow.asked.submit, 1);
  });

  test('is not waited for past its deadline, however long the patience is', async () => {
    const id = await runner.start({ routes: ['always'], deadlineMs: 4_000, ...patient });
    const task = await runner.final(id);
    assert.equal(task.error?.code, 'upstream_rate_limited');
    const seen = providers.always.asked.submit;
    const result = (await handleOf(id).result()) as { state: string };
    assert.deepEqual([result.state, providers.always.asked.submit], ['failed', seen]);
  });

  test('can be cancelled while it waits, and says what it waits for', async () => {
    const id = await runner.start({ routes: ['slow'], ...patient });
    const wait = /^Rejected because the provider is busy; slow \(route 1 of 1\) is retried at .* UTC\.$/;
    await until('the timer', async () => wait.test(await detailsOf(id)) || undefined);
    const seen = providers.slow.asked.submit;
    await cancelAsOwner(runner, id);
    const ended = (await handleOf(id).result()) as { state: string };
    assert.deepEqual([ended.state, providers.slow.asked.submit], ['cancelled', seen]);
    assert.equal(await isUnknown(id), false);
  });

  test('keeps the bounds of the provider, and gives its place back while it waits', async () => {
    const id = await runner.start({ routes: ['single'], ...patient });
    await until('the refusal', async () => (await findIntent(database, id, 0))?.outcome === 'refused' || undefined);
    const { rowCount } = await database.pool.query('select 1 from provider_jobs where task_id = $1', [id]);
    assert.equal(rowCount, 0);
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.equal(providers.single.asked.submit, 2);
  });

  test('is not sent by an attempt that follows one which died after the refusal', async () => {
    const id = await runner.admit({ routes: ['dead'], ...patient });
    const { submit } = submitActivities(runner.deps);
    const attempt = () =>
      new MockActivityEnvironment().run<[Parameters<typeof submit>[0]], Submitted, typeof submit>(submit, {
        taskId: id,
        route: 0,
      });
    const [first, second] = [await attempt(), await attempt()];
    for (const answer of [first, second]) {
      assert.ok(answer.outcome === 'refused' && answer.again !== undefined && answer.again.inMs > 0);
      assert.deepEqual(answer.error, { code: 'upstream_rate_limited' });
    }
    assert.equal(providers.dead.asked.submit, 1);
    await runner.starter.start(await runner.facts(id));
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.equal(providers.dead.asked.submit, 2);
  });

  test('is sent by another worker when all of its workers died while it waited', async () => {
    const id = await runner.start({ routes: ['surviving'], ...patient });
    await until('the refusal', async () => (await findIntent(database, id, 0))?.outcome === 'refused' || undefined);
    const more = await runner.work();
    await workers.stop();
    assert.equal((await runner.final(id)).state, 'succeeded');
    assert.equal(providers.surviving.asked.submit, 2);
    await more.stop();
  });
});
