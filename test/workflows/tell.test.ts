/**
 * Every end of a task is delivered to its webhook once, whichever process ends it or dies, and no task waits for its webhook. With
 * RECORD_HISTORIES set, the history is written to test/histories.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { GatewayError } from '../../src/domain/errors.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { judgedStatus, type WebhookOutcome, type WebhookRequest } from '../../src/domain/webhook-rules.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { findEvent } from '../../src/webhooks/event-log.ts';
import { findTask, markStarted } from '../../src/tasks/rows/task-rows.ts';
import { activitiesOf, type HistoryJson, historyJson, payloadsOf, recordHistory } from '../support/history.ts';
import { cancelledAtNoCost } from '../support/cancelling.ts';
import { administrator, assertLedgerAddsUp, failureOf, successOf } from '../support/money.ts';
import { until } from '../support/process.ts';
import { ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';
import { eventsOf } from '../support/webhooks.ts';

const url = 'https://receiver.example/hook?token=secret';
const sent: WebhookRequest[] = [];
/** What the next attempts come to; delivered without. */
let answer: () => WebhookOutcome | Promise<WebhookOutcome> = () => judgedStatus(204);
const failing = new ScriptedProvider({
  poll: () => ({ state: 'failed', error: new GatewayError('upstream_error', 'It broke.') }),
});
const endless = new ScriptedProvider({ poll: () => ({ state: 'processing' }) });
const runner = await startTaskRunner({
  providers: { good: new ScriptedProvider(), failing, endless },
  webhook: (request) => {
    sent.push(request);
    return answer();
  },
});
const { database } = runner.db;
const { ledger } = runner.deps;
after(async () => {
  await assertLedgerAddsUp(database);
  await runner.stop();
});

const handleOf = (id: string) => runner.client.workflow.getHandle(id);
const eventOf = (task: TaskId) => findEvent(database, task);
const age = (table: 'tasks' | 'events', column: string, id: string, by: string) =>
  database.pool.query(`update ${table} set ${column} = clock_timestamp() - $2::interval where id = $1`, [id, by]);
/** The scan finds the event of a task that ended without its workflow. */
async function scannedFor(task: TaskId): Promise<void> {
  const event = (await eventOf(task)) ?? assert.fail('nothing is owed');
  await age('events', 'created_at', event.id, '2 seconds');
  await runner.events.startOwed(new AbortController().signal);
}

/** Waits until the task's webhook has its event, and checks that it got this end, once. */
async function deliveredOnce(task: TaskId, type: string): Promise<Record<string, unknown>> {
  const event = await until(`the webhook of ${task}`, async () => {
    const found = await eventOf(task);
    return found?.delivered === true ? found : undefined;
  });
  await handleOf(event.id).result();
  const attempts = sent.filter(({ id }) => id === event.id);
  assert.deepEqual([event.type, event.attempts, attempts.length], [type, 1, 1]);
  const body = JSON.parse(attempts[0]?.body ?? '') as { type: string; data: Record<string, unknown> };
  assert.deepEqual([body.type, body.data['id']], [type, task]);
  return body.data;
}

/** The history of a task's closed workflow; nothing in it may show the webhook's address or data. */
async function historyOf(id: TaskId, name: string): Promise<HistoryJson> {
  const history = historyJson(await handleOf(id).fetchHistory());
  const known = payloadsOf(history).join('\n');
  for (const word of ['receiver.example', 'http', 'token', 'whsec_']) assert.ok(!known.includes(word), word);
  await recordHistory(name, history);
  return history;
}

test('a task that has a webhook is over while the webhook is still being delivered', async () => {
  let answered = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (answered = resolve));
  answer = () => hanging.then(() => judgedStatus(204));
  try {
    const id = await runner.start({ routes: ['good'], webhookUrl: url });
    const ended = (await handleOf(id).result()) as { state: string; eventId: string };
    assert.deepEqual([ended.state, (await eventOf(id))?.id], ['succeeded', ended.eventId]);
    await until('the attempt', () => sent.some((request) => request.id === ended.eventId) || undefined);
    assert.equal((await handleOf(ended.eventId).describe()).status.name, 'RUNNING');
    assert.equal((await eventOf(id))?.delivered, null);
    const history = await historyOf(id, 'image-with-webhook');
    assert.deepEqual(activitiesOf(history), ['submit', 'collect', 'settle']);
    answered();
    const data = await deliveredOnce(id, 'image.succeeded');
    assert.deepEqual([data['status'], (data['data'] as unknown[]).length], ['succeeded', 1]);
  } finally {
    answered();
    answer = () => judgedStatus(204);
  }
});

test('the webhooks of a failed task and of one whose workflow is cancelled get a failure', async () => {
  const [failed, stopped] = await Promise.all(
    ['failing', 'endless'].map((route) => runner.start({ routes: [route], webhookUrl: url })),
  );
  assert.ok(failed && stopped);
  await until('a poll', () => endless.asked.poll > 0 || undefined);
  await handleOf(stopped).cancel();
  assert.equal(((await deliveredOnce(failed, 'image.failed'))['error'] as { code: string }).code, 'upstream_error');
  assert.equal(((await deliveredOnce(stopped, 'image.failed'))['error'] as { code: string }).code, 'cancelled');
});

test('the scan delivers the end of a task that ended without its workflow, and the workflow not again', async () => {
  const id = await runner.admit({ routes: ['good'], webhookUrl: url });
  // The process that ended it died right after the commit.
  assert.equal((await ledger.releaseTask(failureOf(runner.customer, id, 'cancelled'))).ended, true);
  await scannedFor(id);
  await deliveredOnce(id, 'image.failed');
  const event = (await eventOf(id))?.id ?? assert.fail();
  const { runId } = await handleOf(event).describe();
  await runner.starter.start(await runner.facts(id));
  assert.deepEqual(await handleOf(id).result(), { ...cancelledAtNoCost, eventId: event });
  await deliveredOnce(id, 'image.failed');
  assert.equal((await handleOf(event).describe()).runId, runId);
});

test('the webhook of a task whose workflow was terminated gets its end when the scan releases it', async () => {
  const id = await runner.start({ routes: ['endless'], webhookUrl: url });
  await until('the submit', async () => (await findTask(database, id))?.state === 'running' || undefined);
  await handleOf(id).terminate();
  await markStarted(database, [id]);
  await age('tasks', 'started_at', id, '6 minutes');
  runner.scan();
  const data = await deliveredOnce(id, 'image.failed');
  assert.equal((data['error'] as { code: string }).code, 'cancelled');
});

test('the webhook of a task that is past every deadline gets its end', async () => {
  const id = await runner.admit({ routes: ['gone'], webhookUrl: url });
  await markStarted(database, [id]);
  await age('tasks', 'created_at', id, '30 hours');
  runner.scan();
  const data = await deliveredOnce(id, 'image.failed');
  assert.equal((data['error'] as { code: string }).code, 'upstream_timeout');
});

test('many who end a task at once owe one event, of the end that won', async () => {
  const id = await runner.admit({ routes: ['good'], webhookUrl: url });
  const ends = await Promise.all(
    [1, 2, 3].flatMap(() => [
      ledger.settleTask(successOf(runner.customer, id, 10n)),
      ledger.releaseTask(failureOf(runner.customer, id)),
      ledger.releaseTask(failureOf(runner.customer, id, 'cancelled')),
    ]),
  );
  const [won, ...others] = ends.filter(({ ended }) => ended);
  assert.deepEqual(others, []);
  const events = (await eventsOf(database, runner.customer.account, 'tasks')).filter(({ taskId }) => taskId === id);
  assert.deepEqual(
    events.map((event) => [event.id, event.type]),
    [[won?.eventId, won?.state === 'succeeded' ? 'image.succeeded' : 'image.failed']],
  );
  assert.deepEqual(new Set(ends.map(({ eventId }) => eventId)), new Set([won?.eventId, undefined]));
  await scannedFor(id);
  await deliveredOnce(id, events[0]?.type ?? '');
});

test('the webhook of the request comes before that of the account, which is the one at the end of the task', async () => {
  const who = await runner.newCustomer();
  const set = (webhookUrl: string | null) => changeAccount(administrator(database), who.account, { webhookUrl });
  const [named, unnamed, untold] = await Promise.all(
    [url, undefined, undefined].map((webhookUrl) =>
      runner.admit({ routes: ['good'], ...(webhookUrl !== undefined && { webhookUrl }) }, who),
    ),
  );
  assert.ok(named && unnamed && untold);
  await set('https://default.example/');
  await ledger.settleTask(successOf(who, named, 10n));
  await ledger.settleTask(successOf(who, unnamed, 10n));
  await set(null);
  assert.equal((await ledger.settleTask(successOf(who, untold, 10n))).eventId, undefined);
  assert.deepEqual(
    [(await eventOf(named))?.host, (await eventOf(unnamed))?.host, await eventOf(untold)],
    ['receiver.example', 'default.example', undefined],
  );
});
