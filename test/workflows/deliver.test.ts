/**
 * The delivery of an event on the real server: its ends, what its history holds, and who goes on when a workflow is lost.
 * With RECORD_HISTORIES set, the histories are written to test/histories.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { judgedStatus, type WebhookOutcome, type WebhookRequest } from '../../src/domain/webhook-rules.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { findEvent, listEvents, replayEvent } from '../../src/webhooks/event-log.ts';
import { takeEventsToStart } from '../../src/webhooks/events.ts';
import { activitiesOf, historyJson, payloadsOf, recordHistory } from '../support/history.ts';
import { administrator } from '../support/money.ts';
import { until } from '../support/process.ts';
import { startTaskRunner } from '../support/task-runner.ts';

/** What the receivers answer, by the account's id in their address; 204 without. */
const answers = new Map<string, (attempt: number, request: WebhookRequest) => WebhookOutcome>();
const sent: WebhookRequest[] = [];
/** What a test changes of it holds for its own deliveries: the tests run one after the other. */
const pace = { firstMs: 50, factor: 0, mostMs: 50, forMs: 600_000 };
const runner = await startTaskRunner({
  providers: {},
  pace,
  webhook: (request) => {
    sent.push(request);
    const attempt = sent.filter(({ id }) => id === request.id).length;
    return answers.get(new URL(request.url).pathname.slice(1))?.(attempt, request) ?? judgedStatus(204);
  },
});
after(() => runner.stop());
const { database } = runner.db;
const unstopped = new AbortController().signal;
const handleOf = (id: string) => runner.client.workflow.getHandle(id);

/** Owes an event to an account whose receiver answers so. */
async function owed(answer: (attempt: number) => WebhookOutcome = () => judgedStatus(204)): Promise<string> {
  const { account } = await runner.newCustomer();
  const changes = { webhookUrl: `https://receiver.example/${account}?token=secret`, lowBalance: micros(1_000_000n) };
  await changeAccount(administrator(database), account, changes);
  answers.set(account, answer);
  await runner.deps.ledger.adjust(account, micros(-1n), 'for a test');
  const [event] = await listEvents(database, { account, limit: 2 });
  return event?.id ?? assert.fail('no event is owed');
}
const factsOf = async (id: string) => (await findEvent(database, id)) ?? assert.fail(id);
const attemptsOf = (id: string) => sent.filter((request) => request.id === id).length;

/** The activities of a closed delivery; nothing in its history may tell where the event goes or what it says. */
async function historyOf(id: string, name: string): Promise<string[]> {
  await handleOf(id).result();
  const history = historyJson(await handleOf(id).fetchHistory());
  const known = payloadsOf(history).join('\n');
  for (const word of ['receiver.example', 'http', 'token', 'low_balance', 'whsec_'])
    assert.ok(!known.includes(word), word);
  await recordHistory(name, history);
  return activitiesOf(history);
}

test('an event is delivered once its receiver takes it, by one activity with as many attempts', async () => {
  const id = await owed((attempt) => judgedStatus(attempt < 3 ? 503 : 200));
  await runner.events.startOwed(unstopped);
  assert.deepEqual(await handleOf(id).result(), { delivered: true });
  const { delivered, attempts, last } = await factsOf(id);
  assert.deepEqual([delivered, attempts, last?.status, last?.fault], [true, 3, 200, null]);
  assert.deepEqual(await historyOf(id, 'event-delivered'), ['deliver']);
});

test('an event that its receiver never takes is given up when its time is over', async () => {
  const id = await owed((attempt) => {
    if (attempt === 4) pace.forMs = 0;
    return judgedStatus(500);
  });
  await runner.events.startOwed(unstopped);
  assert.deepEqual(await handleOf(id).result(), { delivered: false });
  pace.forMs = 600_000;
  const { delivered, attempts, last } = await factsOf(id);
  assert.equal(attempts, 4);
  assert.deepEqual([delivered, last?.fault], [false, 'the receiver returned 500']);
  assert.deepEqual(await historyOf(id, 'event-given-up'), ['deliver']);
});

test('cancelling a delivery gives the event up', async () => {
  const id = await owed(() => judgedStatus(500));
  await runner.events.startOwed(unstopped);
  await until('an attempt', () => (attemptsOf(id) > 0 ? true : undefined));
  await handleOf(id).cancel();
  assert.deepEqual(await handleOf(id).result(), { delivered: false });
  assert.deepEqual(await historyOf(id, 'event-cancelled'), ['deliver', 'giveUp']);
  assert.equal((await factsOf(id)).delivered, false);
});

test('a fault of ours gives the event up, since it would come again and again', async () => {
  const id = await owed(() => {
    throw new TypeError('a fault in the code');
  });
  await runner.events.startOwed(unstopped);
  assert.deepEqual(await handleOf(id).result(), { delivered: false });
  assert.deepEqual(await historyOf(id, 'event-broken'), ['deliver', 'giveUp']);
});

test('an event that was given up is sent again as a new run under the same id, its log going on', async () => {
  const id = await owed((attempt) => judgedStatus(attempt === 1 ? 410 : 200));
  const by = administrator(database);
  assert.equal(await replayEvent(by, id), false, 'it has not ended');
  await runner.events.startOwed(unstopped);
  assert.deepEqual(await handleOf(id).result(), { delivered: false });
  const { runId } = await handleOf(id).describe();
  assert.equal(await replayEvent(by, id), true);
  await runner.events.startOwed(unstopped);
  assert.deepEqual(await handleOf(id).result(), { delivered: true });
  assert.notEqual((await handleOf(id).describe()).runId, runId);
  const { delivered, attempts } = await factsOf(id);
  assert.deepEqual([delivered, attempts, attemptsOf(id)], [true, 2, 2]);
  const { rows } = await database.pool.query(`select details from acts where action = 'event.replayed'`);
  assert.deepEqual(rows, [{ details: { event_id: id } }]);
});

test('an event is taken by one worker at a time, and starting it twice sends it once', async () => {
  const id = await owed();
  const taken = await Promise.all([1, 2, 3].map(() => takeEventsToStart(database, 10)));
  assert.deepEqual(
    taken.flat().map((event) => event.id),
    [id],
  );
  // The process that took it started it and died before that was noted.
  for (let round = 0; round < 2; round++) {
    await database.pool.query('update events set seen_at = null, started_at = null where id = $1', [id]);
    await runner.events.startOwed(unstopped);
    assert.equal(((await handleOf(id).result()) as { delivered: boolean }).delivered, true);
  }
  assert.equal(attemptsOf(id), 1);
});

const silent = (id: string) =>
  database.pool.query(
    `update events set seen_at = null, started_at = clock_timestamp() - interval '6 minutes' where id = $1`,
    [id],
  );

test('a delivery whose workflow was lost is started again', async () => {
  const id = await owed();
  await silent(id); // says that it was started, but Temporal knows nothing of it
  await runner.events.lookAfterSilent();
  assert.deepEqual(await handleOf(id).result(), { delivered: true });
});

test('a delivery whose workflow was terminated is given up, one that goes on is left alone', async () => {
  const slow = () => ({ ...judgedStatus(500) });
  const [gone, running] = [await owed(slow), await owed(slow)];
  await runner.events.startOwed(unstopped);
  await until('attempts', () => (attemptsOf(gone) > 0 && attemptsOf(running) > 0 ? true : undefined));
  await handleOf(gone).terminate();
  await silent(gone);
  const before = await handleOf(running).describe();
  await database.pool.query(`update events set seen_at = clock_timestamp() - interval '6 minutes' where id = $1`, [
    running,
  ]);
  await runner.events.lookAfterSilent();
  const { delivered } = await factsOf(gone);
  assert.equal(delivered, false);
  assert.equal((await handleOf(running).describe()).runId, before.runId);
  pace.forMs = 0;
  assert.deepEqual(await handleOf(running).result(), { delivered: false });
  pace.forMs = 600_000;
});
