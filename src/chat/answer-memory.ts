/** What one upstream's answer takes of the memory that all answers together may take. */
import type { MemoryRoom } from '../domain/chat/byte-collector.ts';
import type { GatewayError } from '../domain/errors.ts';
import type { ApiContext } from '../api/context.ts';
import { type DownloadPace, keepPace } from '../api/download-pace.ts';
import type { SharedLimit } from '../api/concurrency-limits.ts';

/**
 * What every answer has without asking: as many as there may be calls take 64 MiB of it. So answers of the usual size find
 * room however much large ones hold.
 */
const freeBytes = 16 * 1024;

/** The owner of the room is the provider, so that one that sends too much leaves room to the others. */
export class AnswerMemory implements MemoryRoom {
  readonly #gate: SharedLimit;
  readonly #provider: string;
  #held = 0;
  /** Of `#held`, what the gate counts. */
  #counted = 0;
  #refusal: GatewayError | undefined;

  constructor(gate: SharedLimit, provider: string) {
    this.#gate = gate;
    this.#provider = provider;
  }

  /** Why the last `take` was refused, if it was. */
  get refusal(): GatewayError | undefined {
    return this.#refusal;
  }

  take(bytes: number): boolean {
    this.#refusal = this.tryTake(bytes);
    return this.#refusal === undefined;
  }

  /** Takes room, or returns the refusal (`overloaded`) and takes nothing. */
  tryTake(bytes: number): GatewayError | undefined {
    const held = this.#held + bytes;
    const more = held - freeBytes - this.#counted;
    if (more > 0) {
      const refusal = this.#gate.tryAcquireFor(this.#provider, more);
      if (refusal) return refusal;
      this.#counted += more;
    }
    this.#held = held;
    return undefined;
  }

  /** Gives back what is no longer held. */
  give(bytes: number): void {
    this.#held = Math.max(0, this.#held - bytes);
    const less = this.#counted - Math.max(0, this.#held - freeBytes);
    if (less <= 0) return;
    this.#counted -= less;
    this.#gate.releaseFor(this.#provider, less);
  }

  /**
   * Gives all back when the caller has taken its answer: what a slow one still has to read stays counted, and it has to
   * keep the pace of a download.
   */
  closeWhenTaken({ req, res }: ApiContext, pace: DownloadPace): void {
    if (this.#counted === 0) return;
    if (res.closed) {
      this.close();
      return;
    }
    const stop = keepPace(req.socket, pace);
    res.once('close', () => {
      stop();
      this.close();
    });
  }

  /** Gives all back. */
  close(): void {
    this.give(this.#held);
  }
}
