/**
 * A slice of a batch: lines are claimed, sent at the pace of their providers, and ended, for half a minute. Slices are all
 * that a batch's workflow knows of its lines; any process may run the next one.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type CallEndpoint, callEndpoints } from '../domain/call-endpoints.ts';
import { modelUnder } from '../domain/batches/terms.ts';
import type { Model } from '../domain/catalogue.ts';
import { refusalOfKey } from '../domain/billing/admission.ts';
import { zero } from '../domain/money.ts';
import { type ApiKey, findSealedKey } from '../accounts/api-keys.ts';
import { routesOf } from '../chat/call-routes.ts';
import {
  type ClaimedLine,
  claimLines,
  endUnrun,
  endUnsent,
  findBatch,
  maySend,
  postpone,
  recoverLost,
  releaseClaims,
  type RunningBatch,
  updateProgress,
} from './batch-rows.ts';
import { answerOfRefusal, kindOfRefusal } from './line-errors.ts';
import { Lanes } from './lanes.ts';
import { LineBodies } from './line-bodies.ts';
import { runNativeSlice } from './native-slice.ts';
import { type LineEnd, runLine } from './run-line.ts';
import { collectTasks, isTaskEndpoint, runTaskLine } from './run-task-line.ts';
import type { BatchSlice, SliceDependencies } from './slice-dependencies.ts';

export type { BatchSlice };

/** How a slice is ended before its time, and that it goes on. */
export interface SliceRun {
  signal: AbortSignal;
  heartbeat: () => void;
}

/** As many as are read and decided on together. */
const claimedMax = 250;
/** Lines of a batch that wait for a slot of their provider, are under way, or are being written down, at once. */
const lanesMax = 250;
const stateEveryMs = 2_000;
/** How often a slice brings the counts of its batch up to date: they are read from all its lines, which takes 40 ms of 50,000. */
const progressPerSlice = 2;
const heartbeatEveryMs = 5_000;
const tasksEveryMs = 1_000;
const balanceAgainMs = 15_000;
/** Of what may change at any time: a key's limits, what another process has. */
const againMsMax = 60_000;
const othersAgainMs = 5_000;

/**
 * Runs lines of a batch for half a minute, or until none is left that could be sent. A line that takes longer goes on in
 * this process, and the next slices leave it alone. Of a batch that is not in progress, or whose time is over, nothing more
 * is sent, and what is under way is seen to its end. A batch that its provider takes as one is handed to it instead, for as
 * long as that goes. Returns counts only.
 */
export async function runSlice(
  deps: SliceDependencies,
  { batchId }: { batchId: string },
  { signal, heartbeat }: SliceRun,
): Promise<BatchSlice> {
  const batch = await findBatch(deps.database, batchId);
  if (!batch) return { left: 0, paused: null, againInMs: 0 };
  const beats = setInterval(heartbeat, heartbeatEveryMs);
  const frozen = under(deps, batch);
  try {
    return (await runNativeSlice(frozen, batch, signal)) ?? (await new Slice(frozen, batch).run(signal));
  } finally {
    clearInterval(beats);
  }
}

/** With each model's price and bounds as they were when the batch was made. */
function under(deps: SliceDependencies, { terms }: RunningBatch): SliceDependencies {
  const models = new Map<string, Model>();
  for (const [id, model] of deps.configuration.models) {
    const frozen = terms.get(id);
    models.set(id, frozen ? modelUnder(model, frozen) : model);
  }
  return { ...deps, configuration: { ...deps.configuration, models } };
}

/** Why a slice sends nothing more, and when the next one may. */
interface Stop {
  paused: BatchSlice['paused'];
  againInMs: number;
}

/** A line with what sending it takes: the key as it was, and the bodies of those that were claimed with it. */
interface QueuedLine {
  line: ClaimedLine;
  key: ApiKey;
  bodies: LineBodies;
}

class Slice {
  readonly #deps: SliceDependencies;
  readonly #batch: RunningBatch;
  readonly #endpoint: string;
  readonly #claim = randomUUID();
  /** Aborts when nothing more is sent by this slice; what it has sent may still end in it. */
  readonly #closed = new AbortController();
  /** Aborts when its time is over. */
  readonly #over = new AbortController();
  readonly #lanes = new Lanes<QueuedLine>(lanesMax, (next) => this.#sendInTurn(next));
  #stop: Stop | undefined;
  #showing: Promise<unknown> = Promise.resolve();

  constructor(deps: SliceDependencies, batch: RunningBatch) {
    this.#deps = deps;
    this.#batch = batch;
    this.#endpoint = batch.endpoint.replace(/^\/v1\//, '');
    this.#closed.signal.addEventListener('abort', () => this.#lanes.close());
    setMaxListeners(0, this.#closed.signal, this.#over.signal); // each line that waits is one
  }

  async run(signal: AbortSignal): Promise<BatchSlice> {
    const { database } = this.#deps;
    const { id } = this.#batch;
    const end = () => {
      this.#closed.abort();
      this.#over.abort();
    };
    const timer = setTimeout(end, this.#deps.sliceMs);
    const looking = setInterval(() => void this.#lookAtState(), stateEveryMs);
    const showProgress = () => {
      this.#showing = this.#showProgress();
    };
    const showing = setInterval(showProgress, this.#deps.sliceMs / (progressPerSlice + 1));
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await this.#recoverLost();
      await this.#runLines();
    } finally {
      clearTimeout(timer);
      clearInterval(looking);
      clearInterval(showing);
      signal.removeEventListener('abort', end);
      end();
      await releaseClaims(database, id, this.#claim);
    }
    return this.#summary();
  }

  async #recoverLost(): Promise<void> {
    const { database, configuration, lineMeter } = this.#deps;
    const lost = await recoverLost(database, this.#batch.id, configuration.batches.resend);
    lineMeter.count('resent', lost.pending);
    lineMeter.count('unknown', lost.unknown);
  }

  /** Rounds of claiming and sending, until there is nothing to send or the slice is over. */
  async #runLines(): Promise<void> {
    const { underWay } = this.#deps;
    const { id } = this.#batch;
    while (!this.#over.signal.aborted) {
      const tasks = await this.#collect();
      if (!this.#closed.signal.aborted && (await this.#sendMore(tasks))) continue;
      // Nothing can be sent now: what is under way may end, and make room for more or leave nothing.
      if (this.#lanes.isBusy) await this.#wait(this.#lanes.ended());
      else if (tasks > 0) await this.#wait(pause(tasksEveryMs, undefined, { ref: false }));
      else if (underWay.count(id) > 0) await this.#wait(underWay.next(id));
      else return;
    }
  }

  /** Claims lines and sends them; returns whether there were any. */
  async #sendMore(tasks: number): Promise<boolean> {
    const { database, configuration } = this.#deps;
    const { id } = this.#batch;
    const key = (await maySend(database, id)) ? await this.#usableKey() : undefined;
    if (!key) return false;
    const mayRun = isTaskEndpoint(this.#endpoint)
      ? Math.max(0, configuration.batches.runningTasks - tasks)
      : claimedMax;
    const lines = await claimLines(database, id, { claim: this.#claim, count: Math.min(claimedMax, mayRun) });
    await this.#send(lines, key);
    return lines.length > 0;
  }

  /**
   * Sends the lines, each as its provider has a slot. Returns as soon as a lane has nothing left to take, so that more are
   * claimed while slow answers are still waited for; of tasks, which are counted before more are claimed, when all have
   * been started; and when the slice is over.
   */
  async #send(lines: readonly ClaimedLine[], key: ApiKey): Promise<void> {
    const { blob } = this.#batch;
    if (blob === null) throw new Error(`the input of ${this.#batch.id} is gone`);
    const bodies = new LineBodies(this.#deps.blobs, blob, lines);
    this.#lanes.add(lines.map((line) => ({ line, key, bodies })));
    await this.#wait(isTaskEndpoint(this.#endpoint) ? this.#lanes.ended() : this.#lanes.free());
  }

  async #sendInTurn({ line, key, bodies }: QueuedLine): Promise<void> {
    const { paces, underWay, during } = this.#deps;
    const { id, accountId } = this.#batch;
    const provider = this.#providerOf(line);
    const pace = provider === undefined ? undefined : paces.of(provider);
    if (pace && !(await pace.acquire({ account: accountId, batchId: id }, this.#closed.signal))) return;
    // Writing down what it came to takes ten times as long as a quick answer, which the provider's slot doesn't wait for.
    let hasSlot = true;
    const leaveSlot = () => {
      if (hasSlot) pace?.release();
      hasSlot = false;
    };
    const work = during(() => this.#runOne(line, key, bodies, leaveSlot)).finally(leaveSlot);
    underWay.add(id, work);
    await work;
  }

  /** Whose slots a line takes: those of the first route of its model. Tasks wait at the queues of their providers. */
  #providerOf({ model: name }: ClaimedLine): string | undefined {
    const endpoint = callEndpointOf(this.#endpoint);
    const model = this.#deps.configuration.models.get(name);
    return endpoint && model && routesOf(this.#deps, { model, endpoint })[0]?.name;
  }

  /** Never rejects. */
  async #runOne(line: ClaimedLine, key: ApiKey, bodies: LineBodies, whenAnswered: () => void): Promise<void> {
    const { id: batchId } = this.#batch;
    const { database, log, lineMeter } = this.#deps;
    try {
      const end = await this.#run(line, key, await bodies.read(line), whenAnswered);
      if (end.became === 'refused') await this.#refused(line, end);
      else if (end.became !== 'gone' && end.became !== 'started') lineMeter.count(end.became);
    } catch (error) {
      log.error({ err: error, batchId, line: line.n }, 'a line of a batch could not be brought to its end');
      await postpone(database, this.#claim, { batchId, n: line.n }, againMsMax).catch(() => undefined);
    }
  }

  #run(
    { n, sends }: ClaimedLine,
    key: ApiKey,
    body: Buffer,
    whenAnswered: () => void,
  ): Promise<LineEnd | { became: 'started' }> {
    const line = { batchId: this.#batch.id, n, claim: this.#claim, sends };
    if (isTaskEndpoint(this.#endpoint)) return runTaskLine(this.#deps, { line, key, endpoint: this.#endpoint, body });
    const endpoint = callEndpointOf(this.#endpoint);
    if (!endpoint) throw new TypeError(`batches have no ${this.#endpoint}`);
    return runLine(this.#deps, { line, key, endpoint, body, whenAnswered });
  }

  /** Nothing was held for a line: it ends, it waits, or all lines do. */
  async #refused(line: ClaimedLine, { refusal, requestId }: LineEnd & { became: 'refused' }): Promise<void> {
    const { database, lineMeter } = this.#deps;
    const id = { batchId: this.#batch.id, n: line.n };
    const retryMs = refusal.retryAfterSeconds === undefined ? undefined : refusal.retryAfterSeconds * 1000;
    switch (kindOfRefusal(refusal)) {
      case 'line': {
        const answer = answerOfRefusal(this.#endpoint, refusal, requestId);
        await endUnsent(database, this.#claim, { ...id, state: 'failed', ...answer, cost: zero, requestId });
        lineMeter.count('failed');
        return;
      }
      case 'later':
        await postpone(database, this.#claim, id, Math.min(againMsMax, retryMs ?? othersAgainMs));
        lineMeter.count('postponed');
        return;
      case 'balance':
        this.#stopWith({ paused: 'insufficient_balance', againInMs: balanceAgainMs });
        return;
      case 'key_limit':
        this.#stopWith({ paused: null, againInMs: Math.min(againMsMax, retryMs ?? againMsMax) });
        return;
      case 'key':
        this.#stopWith({ paused: null, againInMs: 0 });
        await this.#endForKey();
    }
  }

  /** What is under way goes on; nothing more is begun. */
  #stopWith(stop: Stop): void {
    this.#stop ??= stop;
    this.#closed.abort();
  }

  /** The key, if it may still do anything; without one no line is ever sent again. */
  async #usableKey(): Promise<ApiKey | undefined> {
    const { database, ledgerKeys } = this.#deps;
    const key = await findSealedKey(database.pool, ledgerKeys, this.#batch.keyId);
    const refusal = key && refusalOfKey({ needs: 'chat' }, { status: key.accountStatus }, key, new Date());
    if (key && !refusal) return key;
    await this.#endForKey();
    return undefined;
  }

  async #endForKey(): Promise<void> {
    const ended = await endUnrun(this.#deps.database, this.#batch.id, 'cancelled');
    this.#deps.lineMeter.count('cancelled', ended);
  }

  /** Ends lines whose tasks have ended; returns how many tasks are under way. */
  async #collect(): Promise<number> {
    if (!isTaskEndpoint(this.#endpoint)) return 0;
    const { ended, underWay } = await collectTasks(this.#deps, this.#batch.id, this.#endpoint);
    for (const outcome of ended) this.#deps.lineMeter.count(outcome);
    return underWay;
  }

  /** A batch that is cancelled, or whose time is over, sends nothing more. */
  async #lookAtState(): Promise<void> {
    const may = await maySend(this.#deps.database, this.#batch.id).catch(() => true);
    if (!may) this.#closed.abort();
  }

  /** How far the batch is, while it goes on; what it was paused for is over. Never rejects: the end of the slice says it again. */
  async #showProgress(): Promise<void> {
    await updateProgress(this.#deps.database, this.#batch.id, this.#stop?.paused ?? null).catch(() => undefined);
  }

  /** Waits for the work, or until the slice is over. */
  async #wait(work: Promise<unknown>): Promise<void> {
    const { signal } = this.#over;
    if (signal.aborted) return;
    await new Promise<void>((resolve, reject) => {
      const end = () => resolve();
      signal.addEventListener('abort', end, { once: true });
      // A slice waits thousands of times: none of them leaves its listener behind.
      void work.then(end, reject).finally(() => signal.removeEventListener('abort', end));
    });
  }

  async #summary(): Promise<BatchSlice> {
    const { database, underWay } = this.#deps;
    const { id } = this.#batch;
    await this.#showing;
    const { left, waitMs, isPostponed } = await updateProgress(database, id, this.#stop?.paused ?? null);
    if (left === 0) return { left, paused: null, againInMs: 0 };
    if (this.#stop) return { left, ...this.#stop };
    // What may be sent, or ends here, is the next slice's at once.
    if (waitMs === 0 || underWay.count(id) > 0) return { left, paused: null, againInMs: 0 };
    if (waitMs === null) return { left, paused: null, againInMs: othersAgainMs };
    const againInMs = Math.max(againMsMin, Math.ceil(Math.min(againMsMax, waitMs)));
    return isPostponed ? this.#busy(left, againInMs) : { left, paused: null, againInMs };
  }

  /** All that is pending waits for its time. */
  async #busy(left: number, againInMs: number): Promise<BatchSlice> {
    const paused = 'provider_busy' as const;
    await updateProgress(this.#deps.database, this.#batch.id, paused);
    return { left, paused, againInMs };
  }
}

const againMsMin = 100;

const callEndpointOf = (endpoint: string): CallEndpoint | undefined =>
  Object.values(callEndpoints).find((one) => one === endpoint);
