/** Tasks that are cancelled, by one or several at once, at random moments round their ends: each ends in one way only. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../../src/domain/errors.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { assertAudited, blobsOf, cancelAsOwner, taskOf } from './cancelling.ts';
import { administrator, newLedger } from './money.ts';
import { until } from './process.ts';
import { image, part, ScriptedProvider, startTaskRunner, type TaskRunner } from './task-runner.ts';
import { generator } from './random.ts';

const atOnce = 20;
/** What a cancellation waits for, and then some: so it falls into each step of a task, however slow the machine is. */
const moments = ['start', 'create', 'first poll', 'second poll', 'download', 'end'] as const;
type Moment = (typeof moments)[number];
const laterMsMax = 40;
const stepMsMax = 20;

/** Runs so many tasks through it and checks everything; returns how many ended how. The seed decides what can be decided. */
export async function cancelRaces(count: number, seed: number): Promise<Record<string, number>> {
  const chance = generator(seed);
  const [creates, stops, reached] = [new Map<string, number>(), new Map<string, number>(), new Set<string>()];
  const spared = new Set<string>();
  const note = (of: Map<string, number>, name: string) => of.set(name, (of.get(name) ?? 0) + 1);
  const news = new EventEmitter().setMaxListeners(0);
  const reach = (reference: string, moment: Moment) => {
    reached.add(`${reference} ${moment}`);
    news.emit(`${reference} ${moment}`);
  };
  const provider = new ScriptedProvider({
    submit: async (_signal, { reference }) => {
      note(creates, reference);
      reach(reference, 'create');
      await pause(chance() * stepMsMax);
      return { outcome: 'accepted', jobId: reference };
    },
    cancel: (jobId) => {
      note(stops, jobId);
      return true;
    },
  });
  provider.poll = (reference) => {
    if (!reached.has(`${reference} first poll`)) {
      reach(reference, 'first poll');
      return Promise.resolve({ state: 'processing', retryAfterMs: chance() * stepMsMax });
    }
    reach(reference, 'second poll');
    if (chance() < 0.1 && !spared.has(reference))
      return Promise.resolve({ state: 'failed', error: new GatewayError('upstream_error', 'It broke.') });
    const open = () => {
      reach(reference, 'download');
      return part(image).open(new AbortController().signal);
    };
    return Promise.resolve({ state: 'succeeded', parts: [{ open }] });
  };
  const runner = await startTaskRunner({ providers: { quick: provider } });
  const { database } = runner.db;
  // As another process has them: pools and groups of its own.
  const elsewhere = openDatabase(runner.db.url, { onIdleError: () => undefined });
  const ledgers = [runner.deps.ledger, newLedger(elsewhere)];
  try {
    await changeAccount(administrator(database), runner.customer.account, { webhookUrl: 'https://example.com/hook' });
    const ends: Record<string, number> = {};
    for (let begun = 0; begun < count; begun += atOnce) {
      const raced = Array.from({ length: Math.min(atOnce, count - begun) }, (_, at) =>
        race(runner, ledgers, chance, news, { moment: moments[at % moments.length] ?? 'end', spared }),
      );
      for (const { id, reported } of await Promise.all(raced)) {
        const state = await assertEndedOnce(runner, id, reported);
        ends[state] = (ends[state] ?? 0) + 1;
        const reference = `tg-${id}`;
        assert.ok((creates.get(reference) ?? 0) <= 1, `${id} was sent more than once`);
        const isStopped = async () => ((await isLeft(runner, id)) && !stops.has(reference) ? undefined : true);
        if (state === 'cancelled') await until(`${id} to be stopped`, isStopped);
        else assert.ok(!stops.has(reference), `${id} was stopped, though it is ${state}`);
      }
    }
    await assertAudited(runner);
    return ends;
  } finally {
    await elsewhere.close();
    await runner.stop();
  }
}

/**
 * One task and its cancellations; returns the answers to the cancellations of the task, not to those of its workflow. The
 * first that is cancelled after its end is noted in `spared`: its provider makes it, so that one at least succeeds.
 */
async function race(
  runner: TaskRunner,
  ledgers: readonly ReturnType<typeof newLedger>[],
  chance: () => number,
  news: EventEmitter,
  { moment, spared }: { moment: Moment; spared: Set<string> },
) {
  const id = await runner.admit({ routes: ['quick'] });
  if (moment === 'end' && spared.size === 0) spared.add(`tg-${id}`);
  const handle = runner.client.workflow.getHandle(id);
  const itsMoment = once(news, `tg-${id} ${moment}`);
  await runner.starter.start(await runner.facts(id));
  const itsEnd = handle.result();
  if (moment !== 'start') await Promise.race([moment === 'end' ? itsEnd : itsMoment, itsEnd]);
  await pause(chance() * laterMsMax);
  const asOwners = ledgers.map((ledger) => () => cancelAsOwner(runner, id, ledger));
  const fromEngine = () => handle.cancel().catch(() => undefined); // it may be closed already
  const ways = [asOwners, asOwners.slice(1), [fromEngine], [...asOwners, fromEngine]];
  const way = ways[Math.floor(chance() * ways.length)] ?? [];
  const reported = await Promise.all(way.map((cancel) => cancel()));
  await itsEnd;
  return { id, reported: reported.filter((answer) => typeof answer === 'boolean') };
}

/** Row, ledger, hold, event, workflow and store have the same end. */
async function assertEndedOnce(runner: TaskRunner, id: TaskId, reported: readonly boolean[]): Promise<string> {
  const { state, error, files } = await taskOf(runner, id);
  const isSuccess = state === 'succeeded';
  const texts = async (query: string) =>
    (await runner.db.database.pool.query<{ text: string }>(query, [id])).rows.map(({ text }) => text);
  assert.deepEqual(
    {
      entries: await texts('select type as text from entries where task_id = $1 order by seq'),
      hold: await texts('select h.state as text from holds h join tasks t using (transfer_id) where t.id = $1'),
      events: await texts('select type as text from events where task_id = $1'),
      workflow: ((await runner.client.workflow.getHandle(id).result()) as { state: string }).state,
      isCancelled: error?.code === 'cancelled',
    },
    {
      entries: ['hold', isSuccess ? 'capture' : 'release'],
      hold: [isSuccess ? 'captured' : 'released'],
      events: [isSuccess ? 'image.succeeded' : 'image.failed'],
      workflow: state,
      isCancelled: state === 'cancelled',
    },
    id,
  );
  assert.ok(reported.filter((isDone) => isDone).length <= (state === 'cancelled' ? 1 : 0), `${id}: ${reported.join()}`);
  // A step that was asked to stop may take a moment to put away what it has.
  const stored = files?.map(({ blobKey }) => blobKey) ?? [];
  await until(`the store to hold just the result of ${id}`, async () =>
    String(await blobsOf(runner, `results/${id}/`)) === String(stored) ? true : undefined,
  );
  return state;
}

/** Whether a job was taken that no task needs. */
async function isLeft({ db }: TaskRunner, id: TaskId): Promise<boolean> {
  const { rowCount } = await db.database.pool.query(
    `select 1 from intents where task_id = $1 and outcome in ('open', 'accepted')`,
    [id],
  );
  return rowCount === 1;
}
