/**
 * What one process does at once, bounded: counters, so that whoever is one too many is told before anything is held for
 * it. Over a bound the answer is 503 `overloaded`.
 */
import type { ServerResponse } from 'node:http';
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
  /** Bytes of JSON bodies, from their arrival to the end of the answer. */
  bodyBytes: number;
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
  // Parsed, a body takes some three times its bytes, of a heap of 2 to 4 GiB.
  bodyBytes: 256 * MiB,
  // Each has a file open, or a connection to the S3 server, of which there are a few more (`storage/s3/connection.ts`).
  files: 1_024,
  // Each asks the database once a second or more often.
  followers: 256,
};

/** A bound, and how much of it is taken. */
export class Gate {
  /** Told whenever somebody is refused. */
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
    if (this.#taken + count > this.#max) throw this.#refusal();
  }

  /** Takes places, or refuses with `overloaded`. */
  enter(count = 1): void {
    this.require(count);
    this.#taken += count;
  }

  /** As `enter`, but the refusal is the answer. */
  tryEnter(count: number): GatewayError | undefined {
    if (this.#taken + count > this.#max) return this.#refusal();
    this.#taken += count;
    return undefined;
  }

  leave(count = 1): void {
    this.#taken -= count;
  }

  #refusal(): GatewayError {
    this.onRefusal();
    return new GatewayError('overloaded', `Too many ${this.#what} just now. Try again.`, { retryAfterSeconds: 2 });
  }
}

/** Takes a place until an answer is over, or refuses with `overloaded`. */
export function enterFor(gate: Gate, response: ServerResponse): void {
  gate.enter();
  if (response.closed) gate.leave();
  else response.once('close', () => gate.leave());
}

export type Gates = Record<keyof Bounds, Gate>;

/** The gates of one process. */
export function createGates(bounds: Partial<Bounds> = {}): Gates {
  const { requests, calls, uploads, bodyBytes, files, followers } = { ...boundsDefault, ...bounds };
  return {
    requests: new Gate(requests, 'requests are under way'),
    calls: new Gate(calls, 'calls are under way'),
    uploads: new Gate(uploads, 'files are being uploaded'),
    bodyBytes: new Gate(bodyBytes, 'large requests are under way'),
    files: new Gate(files, 'files are being fetched'),
    followers: new Gate(followers, 'calls wait under Idempotency-Keys'),
  };
}
