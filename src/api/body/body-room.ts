/** What the JSON body of one request takes of the memory that all bodies together may take, until its answer is over. */
import type { GatewayError } from '../../domain/errors.ts';
import type { SharedLimit } from '../concurrency-limits.ts';

export class BodyMemory {
  readonly #gate: SharedLimit;
  readonly #owner: string;
  #taken = 0;
  #isClosed = false;

  constructor(gate: SharedLimit, owner: string) {
    this.#gate = gate;
    this.#owner = owner;
  }

  /** Refuses with `overloaded` what would not fit now; takes nothing. */
  require(bytes: number): void {
    this.#gate.requireFor(this.#owner, bytes);
  }

  /** Takes room; returns the refusal where there is none. After the end of the answer nothing is taken. */
  take(bytes: number): GatewayError | undefined {
    if (this.#isClosed) return undefined;
    const refusal = this.#gate.tryAcquireFor(this.#owner, bytes);
    if (!refusal) this.#taken += bytes;
    return refusal;
  }

  /** Gives back what is no longer held. */
  give(bytes: number): void {
    const given = Math.min(bytes, this.#taken);
    this.#taken -= given;
    if (given > 0) this.#gate.releaseFor(this.#owner, given);
  }

  /** Gives all back, for good. */
  close(): void {
    this.#isClosed = true;
    this.give(this.#taken);
  }
}
