/** A worker that is asked to stop: what can go on elsewhere is handed back at once, and a paid call is waited for. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import { judgedStatus } from '../../src/domain/webhook-rules.ts';
import type { Job, PreparedCreate, Refused } from '../../src/providers/contract.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { findIntent } from '../../src/tasks/provider-calls/intents.ts';
import { administrator, assertLedgerAddsUp } from '../support/money.ts';
import { image, part, ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';
import { eventsOf } from '../support/webhooks.ts';

/** Something that a test waits for, or lets happen. */
function moment() {
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { come, came };
}

/** Resolves when a call is broken off. */
const brokenOff = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const notReached: Refused = {
  outcome: 'refused',
  error: new GatewayError('upstream_error', 'The provider could not be reached.'),
  fallOver: true,
};

/** Its first preparation ends only when it is broken off, with the refusal that the adapters make of that. */
class PreparingProvider extends ScriptedProvider {
  readonly #begun: () => void;
  prepared = 0;

  constructor(begun: () => void) {
    super();
    this.#begun = begun;
  }

  async prepare(_job: Job, signal: AbortSignal): Promise<PreparedCreate | Refused | undefined> {
    this.prepared += 1;
    if (this.prepared > 1) return undefined;
    this.#begun();
    await brokenOff(signal);
    return notReached;
  }
}

const begun = { poll: moment(), create: moment(), repeatable: moment(), preparation: moment(), delivery: moment() };
const answered = moment();
let isStopping = false;
let hasStopped = false;

const polled = new ScriptedProvider({
  poll: () => {
    begun.poll.come();
    return isStopping ? { state: 'succeeded', parts: [part(image)] } : { state: 'processing', retryAfterMs: 600_000 };
  },
});
const paid = new ScriptedProvider({
  submit: async (signal) => {
    begun.create.come();
    await answered.came;
    return signal.aborted ? { outcome: 'unknown', reason: 'broken off' } : { outcome: 'accepted', jobId: 'job' };
  },
});
const repeatable: ScriptedProvider = new ScriptedProvider({
  abilities: { idempotent: true },
  submit: async (signal) => {
    if (repeatable.asked.submit > 1) return { outcome: 'accepted', jobId: 'job' };
    begun.repeatable.come();
    await brokenOff(signal);
    return notReached;
  },
});
const preparing = new PreparingProvider(begun.preparation.come);
const plain = new ScriptedProvider();

const runner = await startTaskRunner({
  providers: { polled, paid, repeatable, preparing, plain },
  webhook: async (_request, signal) => {
    if (!isStopping) {
      begun.delivery.come();
      await brokenOff(signal);
      signal.throwIfAborted();
    }
    return judgedStatus(204);
  },
  work: false,
});
after(async () => {
  answered.come();
  await assertLedgerAddsUp(runner.db.database);
  await runner.stop();
});

const ids = new Map<string, TaskId>();
const eventIds: string[] = [];
before(async () => {
  const { database } = runner.db;
  const first = await runner.work();
  for (const provider of ['polled', 'paid', 'repeatable', 'preparing']) {
    // Whatever is taken for a refusal falls over to `plain`.
    ids.set(provider, await runner.start({ routes: [provider, 'plain'], timeoutMs: 60_000 }));
  }
  const withWebhook = await runner.newCustomer();
  await changeAccount(administrator(database), withWebhook.account, { webhookUrl: 'https://example.com/hook' });
  await runner.start({ routes: ['plain'] }, withWebhook);
  await Promise.all(Object.values(begun).map(({ came }) => came));

  isStopping = true;
  const stopping = first.stop().then(() => {
    hasStopped = true;
  });
  await runner.work();
  for (const provider of ['polled', 'repeatable', 'preparing']) await runner.final(idOf(provider));
  eventIds.push(...(await eventsOf(database, withWebhook.account, 'tasks')).map(({ id }) => id));
  for (const id of eventIds) await runner.client.workflow.getHandle(id).result();
  assert.equal(hasStopped, false, 'it abandoned the create under way');
  answered.come();
  await stopping;
  await runner.final(idOf('paid'));
});

test('a task that is waited for is handed to another worker at once', async () => {
  assert.equal((await runner.final(idOf('polled'))).state, 'succeeded');
  assert.deepEqual(await handedBack(idOf('polled')), ['collect']);
  assert.equal(polled.asked.submit, 1);
});

test('a paid call under way is waited for, and its answer is known', async () => {
  assert.equal((await runner.final(idOf('paid'))).state, 'succeeded');
  assert.deepEqual(await handedBack(idOf('paid')), []);
  assert.equal(paid.asked.submit, 1);
  assert.equal((await findIntent(runner.db.database, idOf('paid'), 0))?.outcome, 'accepted');
});

test('a call that can be sent again is broken off, and that is not taken for a refusal', async () => {
  assert.equal((await runner.final(idOf('repeatable'))).state, 'succeeded');
  assert.deepEqual(await handedBack(idOf('repeatable')), ['submit']);
  assert.equal(repeatable.asked.submit, 2);
  assert.equal(repeatable.asked.poll, 1);
});

test('so is a preparation, before there is an intent', async () => {
  assert.equal((await runner.final(idOf('preparing'))).state, 'succeeded');
  assert.deepEqual(await handedBack(idOf('preparing')), ['submit']);
  assert.deepEqual([preparing.prepared, preparing.asked.submit], [2, 1]);
});

test('a webhook that is being delivered is delivered by another worker', async () => {
  assert.equal(eventIds.length, 1);
  for (const id of eventIds) assert.deepEqual(await handedBack(id), ['deliver']);
});

test('none of the tasks went to another provider', () => assert.equal(plain.asked.submit, 1));

function idOf(provider: string): TaskId {
  const id = ids.get(provider);
  assert.ok(id !== undefined);
  return id;
}

/** The steps of a workflow whose last attempt before the one that did it was handed back. */
async function handedBack(workflowId: string): Promise<string[]> {
  const { events } = await runner.client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = new Map((events ?? []).map((event) => [String(event.eventId), event]));
  return (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) => {
    if (started?.lastFailure?.applicationFailureInfo?.type !== 'handed_back') return [];
    const of = scheduled.get(String(started.scheduledEventId))?.activityTaskScheduledEventAttributes;
    return [String(of?.activityType?.name)];
  });
}
