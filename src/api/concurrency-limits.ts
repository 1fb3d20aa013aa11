/**
 * What one process does at once, bounded: counters, so that a request over the limit is refused before anything is held for
 * it. Over a bound the answer is 503 `overloaded`.
 */
import type { ServerResponse } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { GatewayError } from '../domain/errors.ts';

const MiB = 1024 * 1024;

/** How much there may be at once in one process. */
export interface Bounds {
  /** Requests of any kind. A connection may carry several, so bounding connections is not enough. */
  requests: number;
  /** Chat and responses calls, from their admission to the end of their answer. */
  calls: number;
  /** Avatar-talk uploads. */
  uploads: number;
  /** What JSON bodies take of the memory, in bytes: as they come until the end of the answer, and parsed as long as that is kept. */
  bodyBytes: number;
  /** The same for bodies of callers of whom nothing is known yet: sign-in and invitations. */
  unknownBodyBytes: number;
  /** What answers of upstreams take of the memory, in bytes, beyond the first 16 KiB of each: whole ones, and what of a stream is kept. */
  answerBytes: number;
  /** Stored files that callers read through the gateway, at their own pace. */
  files: number;
  /** Calls that wait for the answer to another one under the same Idempotency-Key. */
  followers: number;
}

export const boundsDefault: Bounds = {
  // As many as there may be connections. Creations have bounds of their own below it, so that reads still get through.
  requests: 20_000,
  // As many as may wait for the ledger, and as there are connections to one upstream.
  calls: 4_096,
  // Each has a file open and some 100 KiB of buffers; a disk writes a few hundred MB a second for all of them.
  uploads: 256,
  // A quarter of what this process may take as its heap: the rest is for what is made of them, and for answers.
  bodyBytes: Math.floor(getHeapStatistics().heap_size_limit / 4),
  // A thousand of them, and next to nothing of the memory.
  unknownBodyBytes: 4 * MiB,
  // A quarter, too. They lie beside the heap, and the memory that a process gets is planned as twice the heap.
  answerBytes: Math.floor(getHeapStatistics().heap_size_limit / 4),
  // Each has a file open, or a connection to the S3 server, of which there are a few more (`blobs/s3/s3-connection.ts`).
  files: 1_024,
  // Each asks the database once a second or more often.
  followers: 256,
};

/** A bound, and how much of it is taken. */
export class ConcurrencyLimit {
  /** Called for each refusal. */
  onRefusal: () => void = () => undefined;
  readonly #max: number;
  readonly #what: string;
  #taken = 0;

  /** `what` ends the sentence that a refusal begins, such as `Too many calls`. */
  constructor(max: number, what: string) {
    this.#max = max;
    this.#what = what;
  }

  get max(): number {
    return this.#max;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Refuses with `overloaded` what would not fit now; takes nothing. */
  require(count = 1): void {
    if (this.#taken + count > this.#max) throw this.refusal();
  }

  /** Takes places, or refuses with `overloaded`. */
  acquire(count = 1): void {
    this.require(count);
    this.#taken += count;
  }

  /** As `enter`, but the refusal is the answer. */
  tryAcquire(count: number): GatewayError | undefined {
    if (this.#taken + count > this.#max) return this.refusal();
    this.#taken += count;
    return undefined;
  }

  release(count = 1): void {
    this.#taken -= count;
  }

  protected refusal(): GatewayError {
    this.onRefusal();
    return new GatewayError('overloaded', `Too many ${this.#what}. Retry in a few seconds.`, { retryAfterSeconds: 2 });
  }
}

/** Takes a slot, or refuses with `overloaded`; returns how to give it back, which may be called again and again. */
export function acquireOnce(gate: ConcurrencyLimit): () => void {
  gate.acquire();
  let isInside = true;
  return () => {
    if (isInside) gate.release();
    isInside = false;
  };
}

/** A gate of which no owner gets more than a share: an account, a person, or an address of which nothing else is known. */
export class SharedLimit extends ConcurrencyLimit {
  readonly #share: number;
  readonly #taken = new Map<string, number>();

  /** `what` ends the sentence that a refusal begins, such as `Too many calls`. */
  constructor(max: number, share: number, what: string) {
    super(max, what);
    this.#share = share;
  }

  /** Refuses with `overloaded` what would not fit now; takes nothing. */
  requireFor(owner: string, count: number): void {
    if ((this.#taken.get(owner) ?? 0) + count > this.#share) throw this.refusal();
    this.require(count);
  }

  /** Takes places, or returns the refusal. */
  tryAcquireFor(owner: string, count: number): GatewayError | undefined {
    const taken = (this.#taken.get(owner) ?? 0) + count;
    if (taken > this.#share) return this.refusal();
    const refusal = this.tryAcquire(count);
    if (!refusal) this.#taken.set(owner, taken);
    return refusal;
  }

  releaseFor(owner: string, count: number): void {
    this.release(count);
    const left = (this.#taken.get(owner) ?? 0) - count;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }
}

/** Takes a slot until an answer is over, or refuses with `overloaded`. */
export function acquireUntilClosed(gate: ConcurrencyLimit, response: ServerResponse): void {
  gate.acquire();
  if (response.closed) gate.release();
  else response.once('close', () => gate.release());
}

/** The most bytes that an upstream's answer may have. */
export const answerBytesMax = 64 * MiB;

export type MemoryLimit = 'bodyBytes' | 'unknownBodyBytes' | 'answerBytes';
export type ConcurrencyLimits = Record<Exclude<keyof Bounds, MemoryLimit>, ConcurrencyLimit> &
  Record<MemoryLimit, SharedLimit>;

/**
 * The concurrency limits of one process. A body of `largestBody`, in bytes of memory, fits always where nothing else is there, and
 * no account or person has more than a quarter of the room for bodies, or one such body. Of the room for answers a
 * provider has half at the most, or that of the largest answer.
 */
export function createConcurrencyLimits(bounds: Partial<Bounds> = {}, largestBody = 0): ConcurrencyLimits {
  const { requests, calls, uploads, unknownBodyBytes, answerBytes, files, followers } = { ...boundsDefault, ...bounds };
  const bodyBytes = bounds.bodyBytes ?? Math.max(boundsDefault.bodyBytes, largestBody);
  const bodyShare = Math.max(bodyBytes / 4, largestBody);
  const answerRoom = bounds.answerBytes ?? Math.max(answerBytes, answerBytesMax);
  const answerShare = Math.max(answerRoom / 2, Math.min(answerRoom, answerBytesMax));
  return {
    requests: new ConcurrencyLimit(requests, 'requests are in progress'),
    calls: new ConcurrencyLimit(calls, 'calls are in progress'),
    uploads: new ConcurrencyLimit(uploads, 'files are being uploaded'),
    bodyBytes: new SharedLimit(bodyBytes, bodyShare, 'large requests are in progress'),
    unknownBodyBytes: new SharedLimit(
      unknownBodyBytes,
      unknownBodyBytes / 16,
      'requests without a session are in progress',
    ),
    answerBytes: new SharedLimit(answerRoom, answerShare, 'large responses are in progress'),
    files: new ConcurrencyLimit(files, 'files are being downloaded'),
    followers: new ConcurrencyLimit(followers, 'requests are waiting for a call with the same Idempotency-Key'),
  };
}
