/**
 * The results of a batch that its provider carried out become answers of its lines: each is held and charged as a line
 * that was sent alone is, and ends with its charge in one transaction. Whatever is not charged yet is read again.
 */
import { randomUUID } from 'node:crypto';
import { GatewayError } from '../domain/errors.ts';
import { zero } from '../domain/money.ts';
import type { ApiKey } from '../accounts/api-keys.ts';
import { answerBytesMax } from '../api/concurrency-limits.ts';
import type { Route } from '../chat/call-routes.ts';
import type { HeldCall } from '../chat/hold-call.ts';
import { CallerFault, RouteFault } from '../chat/route-faults.ts';
import { cleanedError } from '../chat/upstream-error-answer.ts';
import { understood } from '../chat/whole-answer.ts';
import type { CallHold } from '../ledger/call-ledger.ts';
import { failedGuard } from '../postgres/database.ts';
import { newRequestId } from '../postgres/new-ids.ts';
import type { BatchProvider, BatchResult } from '../providers/batch-contract.ts';
import {
  claimNumbers,
  type ClaimedLine,
  endUnsent,
  recoverLost,
  releaseClaims,
  type RunningBatch,
} from './batch-rows.ts';
import {
  answerOfCallerFault,
  answerOfRefusal,
  type ErrorAnswer,
  kindOfRefusal,
  type RefusalKind,
} from './line-errors.ts';
import { LineBodies } from './line-bodies.ts';
import { readLines } from './read-lines.ts';
import { complete, holdLine } from './run-line.ts';
import type { SliceDependencies } from './slice-dependencies.ts';

export interface CollectOrder {
  batch: RunningBatch;
  key: ApiKey;
  batches: BatchProvider;
  /** Where the answers come from. */
  route: Route;
  /** Names of the provider's. */
  results: readonly string[];
}

export interface Collected {
  /** Numbers of lines that have a result. */
  seen: readonly number[];
  /** Why the rest waits; undefined: all results were read. */
  stopped?: Exclude<RefusalKind, 'line'>;
}

/** Results that are settled together; each is a transaction of a group. */
const chunkResults = 64;
const lineBytesMax = answerBytesMax + 64 * 1024;
/** A line that was taken back has its answer still, so it is never sent again for that. */
const anyNumber = 32_000;
/** Errors that are about what the caller sent; others are the operator's or the provider's, and the line is run alone. */
const callersStatuses: ReadonlySet<number> = new Set([400, 413, 422]);

/** Collects all results that are not collected yet. */
export async function collectResults(
  deps: SliceDependencies,
  order: CollectOrder,
  signal: AbortSignal,
): Promise<Collected> {
  await recoverLost(deps.database, order.batch.id, anyNumber);
  const collecting = new Collecting(deps, order);
  const seen: number[] = [];
  try {
    for (const name of order.results) {
      let chunk: BatchResult[] = [];
      for await (const { bytes } of readLines(await order.batches.results(name, signal), lineBytesMax)) {
        const result = bytes && readResult(deps, order, bytes);
        if (!result) continue;
        seen.push(result.n);
        if (result.became !== 'unrun') chunk.push(result);
        if (chunk.length < chunkResults) continue;
        await collecting.settle(chunk);
        chunk = [];
        signal.throwIfAborted();
        if (collecting.stopped) return { seen, stopped: collecting.stopped };
      }
      await collecting.settle(chunk);
      if (collecting.stopped) return { seen, stopped: collecting.stopped };
    }
    return { seen };
  } finally {
    await collecting.close();
  }
}

/** A line that can't be read is as good as missing. */
function readResult(
  { log }: SliceDependencies,
  { batch, batches }: CollectOrder,
  line: Buffer,
): BatchResult | undefined {
  try {
    return batches.resultOf(line);
  } catch (error) {
    log.warn({ err: error, batchId: batch.id }, 'a result of a batch is unreadable');
    return undefined;
  }
}

class Collecting {
  readonly #deps: SliceDependencies;
  readonly #order: CollectOrder;
  readonly #claim = randomUUID();
  stopped: Collected['stopped'];

  constructor(deps: SliceDependencies, order: CollectOrder) {
    this.#deps = deps;
    this.#order = order;
  }

  /** Those of the results whose lines have no end yet. */
  async settle(results: readonly BatchResult[]): Promise<void> {
    const { database, blobs } = this.#deps;
    const { id, blob } = this.#order.batch;
    if (blob === null) throw new Error(`the input of ${id} is gone`);
    const byNumber = new Map(results.map((result) => [result.n, result]));
    const lines = await claimNumbers(database, id, { claim: this.#claim, numbers: [...byNumber.keys()] });
    const bodies = new LineBodies(blobs, blob, lines);
    await Promise.all(
      lines.map(async (line) => {
        const body = await bodies.read(line);
        const result = byNumber.get(line.n);
        if (result && !this.stopped) await this.#settleOne(line, result, body);
      }),
    );
    await this.close();
  }

  /** Gives back what was claimed and not settled. */
  close(): Promise<void> {
    return releaseClaims(this.#deps.database, this.#order.batch.id, this.#claim);
  }

  async #settleOne({ n }: ClaimedLine, result: BatchResult, body: Buffer): Promise<void> {
    const { lineMeter } = this.#deps;
    if (result.became === 'answered') await this.#charge(n, result.body, body);
    else if (result.became === 'refused' && callersStatuses.has(result.status)) {
      const { endpoint } = this.#order.route;
      const cleaned = cleanedError(result.body, 'application/json', this.#deps.configuration);
      const fault = new CallerFault(result.status, cleaned);
      const requestId = newRequestId();
      await this.#end(n, answerOfCallerFault(endpoint, fault, requestId), requestId);
      lineMeter.count('failed');
    }
  }

  async #charge(n: number, answer: Buffer, body: Buffer): Promise<void> {
    const { batch, key, route } = this.#order;
    const requestId = newRequestId();
    const line = { batchId: batch.id, n, claim: this.#claim, sends: 0 };
    const order = { line, key, endpoint: route.endpoint, body };
    let held: HeldCall;
    try {
      held = await holdLine(this.#deps, order, requestId);
    } catch (error) {
      if (failedGuard(error) === 'line_claimed') return;
      if (!(error instanceof GatewayError)) throw error;
      await this.#refused(n, error, requestId);
      return;
    }
    try {
      await complete(this.#deps, order, held, { ...(await understood(this.#deps, held, route, answer)), route });
      this.#deps.lineMeter.count('completed');
    } catch (error) {
      await this.#notStored(n, { hold: held.hold, requestId }, error);
    }
  }

  /** A line that is never admitted ends; else all wait. */
  async #refused(n: number, error: GatewayError, requestId: string): Promise<void> {
    const kind = kindOfRefusal(error);
    if (kind !== 'line') {
      this.stopped ??= kind;
      return;
    }
    await this.#end(n, answerOfRefusal(this.#order.route.endpoint, error, requestId), requestId);
    this.#deps.lineMeter.count('failed');
  }

  /** An answer that can't be read is none, and is not charged. One that could not be stored is collected again. */
  async #notStored(
    n: number,
    { hold, requestId }: { hold: CallHold; requestId: string },
    error: unknown,
  ): Promise<void> {
    const { calls, lineMeter } = this.#deps;
    const line = { batchId: this.#order.batch.id, n };
    if (!(error instanceof RouteFault)) {
      await calls.release(hold, 'outcome_unknown', { line: { ...line, state: 'pending', isUnsent: true } });
      throw error;
    }
    const refusal = new GatewayError('upstream_error', `The provider returned an unusable response.`);
    const answer = answerOfRefusal(this.#order.route.endpoint, refusal, requestId);
    await calls.release(hold, 'upstream_error', { line: { ...line, state: 'failed', ...answer } });
    lineMeter.count('failed');
  }

  #end(n: number, answer: ErrorAnswer, requestId: string): Promise<void> {
    const { id: batchId } = this.#order.batch;
    return endUnsent(this.#deps.database, this.#claim, {
      batchId,
      n,
      state: 'failed',
      cost: zero,
      requestId,
      ...answer,
    });
  }
}
