/**
 * Resetting the workflow of a task, as from Temporal's own console, to every point that it can be reset to: nothing is
 * charged twice, no paid call is made again, and what has ended stays ended.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TaskId } from '../../../src/domain/ids.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import type { Refused, Submission } from '../../../src/providers/contract.ts';
import { judgedStatus } from '../../../src/domain/webhook-rules.ts';
import { listEvents } from '../../../src/webhooks/event-log.ts';
import { isRemoved } from '../../../src/tasks/rows/fetch-claims.ts';
import { intentsOf } from '../../../src/tasks/provider-calls/intent-reports.ts';
import { searchAttributes } from '../../../src/temporal/temporal-names.ts';
import { assertAudited, taskOf } from '../../support/cancelling.ts';
import { until } from '../../support/process.ts';
import { reset, resetPoints } from '../../support/resets.ts';
import { silentVideo, image, part, type Script, ScriptedProvider, startTaskRunner } from '../../support/task-runner.ts';

const broken = new GatewayError('upstream_error', 'It broke.');
const refusal: Refused = { outcome: 'refused', error: broken, fallOver: true };
const second = await silentVideo(1);

/** Refuses a task before its paid call the first time, and would take it the next. */
class Moody extends ScriptedProvider {
  prepared = 0;
  prepare(): Promise<Refused | undefined> {
    this.prepared += 1;
    return Promise.resolve(this.prepared === 1 ? refusal : undefined);
  }
}

/** Holds its answers back until it is opened. */
function gated(script: (open: Promise<void>) => Script) {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { provider: new ScriptedProvider(script(opened)), open: () => open() };
}
const result = { state: 'succeeded' as const, parts: [part(image)] };
const working = () => {
  let isOpen = false;
  return gated((opened) => {
    void opened.then(() => (isOpen = true));
    return { poll: () => (isOpen ? result : { state: 'processing' }) };
  });
};
const sending = (abilities: Script['abilities'] = {}) =>
  gated((opened) => ({
    abilities,
    submit: () => opened.then((): Submission => ({ outcome: 'accepted', jobId: 'late' })),
  }));

const good = new ScriptedProvider();
const talking = new ScriptedProvider({ poll: () => ({ state: 'succeeded', parts: [part(second)] }) });
const failing = new ScriptedProvider({ poll: () => ({ state: 'failed', error: broken }) });
const refusing = new ScriptedProvider({ submit: () => refusal });
const endless = new ScriptedProvider({ poll: () => ({ state: 'processing' }) });
const [slow, repeatable] = [sending(), sending({ idempotent: true })];
const [collecting, fallenOver, terminated] = [working(), working(), working()];
const moody = new Moody();
const reported: string[] = [];
const runner = await startTaskRunner({
  fetchWindowMs: 3_000,
  webhook: ({ id }) => {
    reported.push(id);
    return judgedStatus(204);
  },
  providers: {
    ...{ good, talking, failing, refusing, endless, moody },
    ...{ slow: slow.provider, repeatable: repeatable.provider },
    ...{ collecting: collecting.provider, fallenOver: fallenOver.provider, terminated: terminated.provider },
  },
});
after(async () => {
  await assertAudited(runner);
  await runner.stop();
});
const { database } = runner.db;
const handleOf = (id: string) => runner.client.workflow.getHandle(id);

const resetToStart = async (id: TaskId) =>
  reset(runner.client, (await resetPoints(runner.client, id))[0] ?? assert.fail());

/** All that must not change any more once a task has ended: its row, its entries, its paid calls. */
async function traceOf(id: TaskId) {
  const { state, cost, balanceAfter, error, finishedAt, files } = await taskOf(runner, id);
  const { rows: entries } = await database.pool.query('select * from entries where task_id = $1 order by seq', [id]);
  const intents = (await intentsOf(database, id)).map(({ outcome, jobId, createdAt }) => ({
    outcome,
    jobId,
    createdAt,
  }));
  return { state, cost, balanceAfter, error, finishedAt, files, entries, intents };
}

/** Resets an ended task to each point in turn and sees that it ends as before, and nothing else happened. */
async function isUnmovedByResets(id: TaskId, provider: ScriptedProvider): Promise<number> {
  const before = await traceOf(id);
  const { submit } = provider.asked;
  const points = await resetPoints(runner.client, id);
  for (const point of points) {
    await reset(runner.client, point);
    const ended = (await handleOf(id).result()) as { state: string };
    assert.equal(ended.state, before.state);
    assert.deepEqual(await traceOf(id), before, `after a reset to event ${point.event}`);
    const { typedSearchAttributes } = await handleOf(id).describe();
    assert.equal(typedSearchAttributes.get(searchAttributes.status), before.state);
    assert.equal(typedSearchAttributes.get(searchAttributes.cost), Number(before.cost ?? 0n));
  }
  assert.equal(provider.asked.submit, submit);
  return points.length;
}

test('a task that was charged is not charged again, nor sent', async () => {
  const id = await runner.start({ routes: ['good'] });
  await handleOf(id).result();
  assert.ok((await isUnmovedByResets(id, good)) >= 3);
});

test('a task that failed stays failed', async () => {
  const id = await runner.start({ routes: ['failing'] });
  await handleOf(id).result();
  assert.ok((await isUnmovedByResets(id, failing)) >= 3);
});

test('a task that all refused stays failed, and none of them is asked again', async () => {
  const id = await runner.start({ routes: ['refusing', 'refusing'] });
  await handleOf(id).result();
  await isUnmovedByResets(id, refusing);
});

test('a task that was cancelled does not rise again', async () => {
  const id = await runner.start({ routes: ['endless'] });
  await until('a poll', () => endless.asked.poll > 0 || undefined);
  await handleOf(id).cancel();
  await handleOf(id).result();
  await isUnmovedByResets(id, endless);
});

test('an avatar-talk result that is kept for minutes, and one that is deleted, are neither charged nor made again', async () => {
  const id = await runner.start({ routes: ['talking'], kind: 'avatar_talk' });
  await runner.final(id);
  const waiting = await until('the timer', async () => {
    const points = await resetPoints(runner.client, id);
    return points.length >= 3 ? points : undefined;
  });
  const before = await traceOf(id);
  for (const point of waiting) await reset(runner.client, point); // while it waits to be fetched
  await handleOf(id).result();
  assert.equal(await isRemoved(database, id), true);
  assert.deepEqual({ ...(await traceOf(id)), files: before.files }, before);
  await isUnmovedByResets(id, talking);
  assert.equal(await isRemoved(database, id), true);
});

test('a task whose webhook was notified notifies it no second time after a reset', async () => {
  const id = await runner.start({ routes: ['good'], webhookUrl: 'https://receiver.example/' });
  const { eventId } = (await handleOf(id).result()) as { eventId: string };
  await handleOf(eventId).result();
  await isUnmovedByResets(id, good);
  const events = (await listEvents(database, { account: runner.customer.account, limit: 10 })).map((event) => event.id);
  assert.deepEqual([events, reported], [[eventId], [eventId]]);
});

test('a running task that is reset while its result is awaited goes on with the job it has, and is charged once', async () => {
  const { provider, open } = collecting;
  const id = await runner.start({ routes: ['collecting'] });
  for (let round = 0; round < 2; round++) {
    const polls = provider.asked.poll;
    await until('a poll', () => provider.asked.poll > polls || undefined);
    for (const point of await resetPoints(runner.client, id)) await reset(runner.client, point);
  }
  open();
  assert.equal((await runner.final(id)).state, 'succeeded');
  await handleOf(id).result();
  assert.equal(provider.asked.submit, 1);
  await isUnmovedByResets(id, provider);
});

test('a task that is reset while its create is in flight waits for that one, and sends no other', async () => {
  const id = await runner.start({ routes: ['slow'] });
  await until('the create', () => slow.provider.asked.submit > 0 || undefined);
  await resetToStart(id);
  slow.open();
  assert.equal((await runner.final(id)).state, 'succeeded');
  await handleOf(id).result();
  assert.equal(slow.provider.asked.submit, 1);
  await isUnmovedByResets(id, slow.provider);
});

test('where the same create may be sent again, a reset in flight ends in one charge too', async () => {
  const id = await runner.start({ routes: ['repeatable'] });
  await until('the create', () => repeatable.provider.asked.submit > 0 || undefined);
  await resetToStart(id);
  repeatable.open();
  assert.equal((await runner.final(id)).state, 'succeeded');
  await handleOf(id).result();
  await isUnmovedByResets(id, repeatable.provider);
});

test('a provider that refused before its paid call is passed over after a reset, since another one has the task', async () => {
  const { provider, open } = fallenOver;
  const id = await runner.start({ routes: ['moody', 'fallenOver'] });
  await until('a poll', () => provider.asked.poll > 0 || undefined);
  await resetToStart(id);
  open();
  assert.equal((await runner.final(id)).state, 'succeeded');
  await handleOf(id).result();
  assert.deepEqual([moody.asked.submit, provider.asked.submit], [0, 1]);
  const { typedSearchAttributes } = await handleOf(id).describe();
  assert.equal(typedSearchAttributes.get(searchAttributes.provider), 'fallenOver');
});

test('a workflow that was terminated by mistake is brought back by a reset', async () => {
  const { provider, open } = terminated;
  const id = await runner.start({ routes: ['terminated'] });
  await until('a poll', () => provider.asked.poll > 0 || undefined);
  await handleOf(id).terminate();
  await reset(runner.client, (await resetPoints(runner.client, id)).at(-1) ?? assert.fail());
  open();
  assert.equal((await runner.final(id)).state, 'succeeded');
  await handleOf(id).result();
  assert.equal(provider.asked.submit, 1);
});
