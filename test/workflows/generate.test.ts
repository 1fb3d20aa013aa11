/**
 * The life of a task on the real server: what its history holds and what an operator sees. With RECORD_HISTORIES set,
 * the histories are written to test/histories, where they stay as what later versions must still replay.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { GatewayError } from '../../src/domain/errors.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { isRemoved } from '../../src/tasks/rows/fetch-claims.ts';
import { searchAttributes } from '../../src/temporal/temporal-names.ts';
import { until } from '../support/process.ts';
import {
  activitiesOf,
  type HistoryJson,
  historyJson,
  payloadsOf,
  recordHistory,
  summariesOf,
} from '../support/history.ts';
import { cancelledAtNoCost } from '../support/cancelling.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { part, ScriptedProvider, silentVideo, startTaskRunner } from '../support/task-runner.ts';

const fetch_window_ms = 1_000;
const refusal = (message: string) => ({
  outcome: 'refused' as const,
  error: new GatewayError('content_policy_violation', message),
  fallOver: true,
});
const second = await silentVideo(1);
const endless = new ScriptedProvider({ poll: () => ({ state: 'processing' }) });
let refuse = (): void => undefined;
const refused = new Promise<void>((resolve) => (refuse = resolve));
const busy = new ScriptedProvider({ submit: () => refused.then(() => refusal('Too busy.')) });
const runner = await startTaskRunner({
  fetchWindowMs: fetch_window_ms,
  providers: {
    good: new ScriptedProvider(),
    talking: new ScriptedProvider({ poll: () => ({ state: 'succeeded', parts: [part(second)] }) }),
    refusing: new ScriptedProvider({ submit: () => refusal('Not that: a gate.') }),
    failing: new ScriptedProvider({
      poll: () => ({ state: 'failed', error: new GatewayError('upstream_error', 'It broke at a gate.') }),
    }),
    endless,
    busy,
  },
});
after(async () => {
  await assertLedgerAddsUp(runner.db.database);
  await runner.stop();
});

const handleOf = (id: TaskId) => runner.client.workflow.getHandle(id);
/** What the UI shows of the step that a workflow is at. */
const detailsOf = async (id: TaskId) =>
  (await handleOf(id).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;

/** The history of a task's closed workflow; nothing in it may tell what was asked for, even in the words of a provider. */
async function historyOf(id: TaskId, name: string): Promise<HistoryJson> {
  await handleOf(id).result();
  const history = historyJson(await handleOf(id).fetchHistory());
  const known = payloadsOf(history).join('\n');
  for (const word of ['a gate', 'template', 'http', 'uploads/', 'sk-tg-']) assert.ok(!known.includes(word), word);
  await recordHistory(name, history);
  return history;
}

test('a plain image takes three activities and twenty events at most', async () => {
  const id = await runner.start({ routes: ['good'] });
  assert.equal((await runner.final(id)).state, 'succeeded');
  const history = await historyOf(id, 'image-succeeds');
  assert.deepEqual(activitiesOf(history), ['submit', 'collect', 'settle']);
  assert.ok(history.events.length <= 20, `${history.events.length} events`);
});

test('a workflow shows an operator what it is, and after its end how it ended', async () => {
  const id = await runner.start({ routes: ['endless', 'good'] });
  const running = await handleOf(id).describe();
  assert.equal(await running.staticSummary(), 'image by sim-image');
  assert.match(
    (await running.staticDetails()) ?? '',
    new RegExp(`${id}.*${runner.customer.account}.*${runner.customer.key}`),
  );
  const attribute = (described: typeof running, name: keyof typeof searchAttributes) =>
    described.typedSearchAttributes.get(searchAttributes[name]);
  assert.equal(attribute(running, 'account'), runner.customer.account);
  assert.equal(attribute(running, 'key'), runner.customer.key);
  assert.equal(attribute(running, 'model'), 'sim-image');
  assert.equal(attribute(running, 'provider'), 'endless');
  assert.equal(attribute(running, 'kind'), 'image');
  assert.equal(attribute(running, 'status'), 'processing');
  assert.equal(attribute(running, 'cost'), undefined);
  await handleOf(id).cancel();
  await handleOf(id).result();
  const ended = await handleOf(id).describe();
  assert.deepEqual([attribute(ended, 'status'), attribute(ended, 'cost')], ['cancelled', 0]);
});

test('at its end a workflow says what the task cost, and which provider had it', async () => {
  const id = await runner.start({ routes: ['refusing', 'good'] });
  await handleOf(id).result();
  const { typedSearchAttributes } = await handleOf(id).describe();
  assert.equal(typedSearchAttributes.get(searchAttributes.provider), 'good');
  assert.equal(typedSearchAttributes.get(searchAttributes.cost), 10);
  assert.equal(await detailsOf(id), 'Succeeded; cost 0.00001 CNY; provider good.');
  const history = historyJson(await handleOf(id).fetchHistory());
  assert.deepEqual(summariesOf(history), [
    'submit to refusing (route 1 of 2)',
    'submit to good (route 2 of 2)',
    'collect from good (route 2 of 2)',
  ]);
});

test('at each step a workflow says what it waits for', async () => {
  const polls = endless.asked.poll;
  const id = await runner.start({ routes: ['busy', 'endless'] });
  await until('the turn', () => busy.asked.submit > 0 || undefined);
  assert.match(await detailsOf(id), /^Waiting for a slot at busy \(route 1 of 2\), or submitting\./);
  refuse();
  await until('a poll', () => endless.asked.poll > polls || undefined);
  const moment = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC';
  const sent = new RegExp(
    `^Submitted to endless \\(route 2 of 2\\) at ${moment}; waiting for the result, then storing it\\.$`,
  );
  assert.match(await detailsOf(id), sent);
  await handleOf(id).cancel();
  await handleOf(id).result();
  assert.equal(await detailsOf(id), 'Cancelled; not charged; provider endless. Provider jobs cancelled: 1.');
  const talk = await runner.start({ routes: ['talking'], kind: 'avatar_talk' });
  await runner.final(talk);
  const waits = new RegExp(`^Succeeded; .* The result can be fetched until ${moment}; then it is deleted\\.$`);
  await until('the timer', async () => waits.test(await detailsOf(talk)) || undefined);
  await handleOf(talk).result();
  assert.match(await detailsOf(talk), /Result deleted\.$/);
});

test('a result that is kept for minutes is deleted when its time is up', async () => {
  const id = await runner.start({ routes: ['talking'], kind: 'avatar_talk' });
  const task = await runner.final(id);
  assert.equal(await isRemoved(runner.db.database, id), false);
  const history = await historyOf(id, 'avatar-talk-expires');
  assert.deepEqual(activitiesOf(history), ['submit', 'collect', 'settle', 'expire']);
  assert.equal(await isRemoved(runner.db.database, id), true);
  await assert.rejects(runner.deps.blobs.size(task.files?.[0]?.blobKey ?? ''), { name: 'BlobNotFound' });
});

test('cancelling a workflow that waits for that time changes nothing: the task has ended', async () => {
  const id = await runner.start({ routes: ['talking'], kind: 'avatar_talk' });
  await runner.final(id);
  await handleOf(id).cancel();
  const history = await historyOf(id, 'avatar-talk-cancelled-after-its-end');
  assert.deepEqual(activitiesOf(history).slice(-1), ['expire']);
  const task = await runner.final(id);
  assert.deepEqual([task.state, task.removedAt === null], ['succeeded', false]);
});

test('a task that every route refuses fails with the last refusal', async () => {
  const id = await runner.start({ routes: ['refusing', 'refusing'] });
  const task = await runner.final(id);
  assert.deepEqual(
    [task.state, task.error?.code, task.error?.message],
    ['failed', 'content_policy_violation', 'Not that: a gate.'],
  );
  const steps = ['submit', 'submit', 'release', 'withdraw'];
  assert.deepEqual(activitiesOf(await historyOf(id, 'image-refused')), steps);
});

test('a task that the provider fails is released', async () => {
  const id = await runner.start({ routes: ['failing'] });
  const task = await runner.final(id);
  assert.deepEqual(
    [task.state, task.error?.code, task.error?.message],
    ['failed', 'upstream_error', 'It broke at a gate.'],
  );
  const steps = ['submit', 'collect', 'release', 'withdraw'];
  assert.deepEqual(activitiesOf(await historyOf(id, 'image-failed')), steps);
});

/** By Temporal's word: the provider may still be polled for a task before, which hears of its end at the next heartbeat. */
const isCollecting = (id: TaskId) =>
  until('a collect', async () => {
    const { pendingActivities } = (await handleOf(id).describe()).raw;
    return pendingActivities?.some(({ activityType }) => activityType?.name === 'collect') || undefined;
  });

test('cancelling the workflow from outside releases the task as cancelled', async () => {
  const id = await runner.start({ routes: ['endless'] });
  await isCollecting(id);
  await handleOf(id).cancel();
  const task = await runner.final(id);
  assert.deepEqual([task.state, task.error?.code], ['cancelled', 'cancelled']);
  const steps = ['submit', 'collect', 'release', 'withdraw'];
  assert.deepEqual(activitiesOf(await historyOf(id, 'image-cancelled')), steps);
});

test('a cancelled task whose media are kept loses them', async () => {
  const id = await runner.start({ routes: ['endless'], kind: 'avatar_talk' });
  await isCollecting(id);
  await handleOf(id).cancel();
  const steps = ['submit', 'collect', 'release', 'withdraw'];
  assert.deepEqual(activitiesOf(await historyOf(id, 'avatar-talk-cancelled')), steps);
  assert.equal(await isRemoved(runner.db.database, id), true);
});

test('a run that finds its task final ends at once and sends nothing', async () => {
  const id = await runner.admit({ routes: ['good'] });
  const { accountId, keyId, model } = await runner.facts(id);
  await runner.deps.ledger.releaseTask({
    account: accountId,
    key: keyId,
    task: id,
    model,
    requestId: 'req_test',
    state: 'cancelled',
    error: new GatewayError('cancelled', 'The task was cancelled.'),
  });
  await runner.starter.start(await runner.facts(id));
  assert.deepEqual(await handleOf(id).result(), cancelledAtNoCost);
});

test('starting the workflow of a task twice is one workflow', async () => {
  const id = await runner.start({ routes: ['good'] });
  const { runId } = await handleOf(id).describe();
  await runner.starter.start(await runner.facts(id));
  await runner.final(id);
  await handleOf(id).result();
  await runner.starter.start(await runner.facts(id));
  assert.equal((await handleOf(id).describe()).runId, runId);
});
