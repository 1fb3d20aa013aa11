/**
 * The starts of one process, some at a time. Those of accounts with few tasks go first: behind the starts of a burst
 * they would wait for seconds, before they could wait for a rate slot of a provider.
 */

/** More at once start no more a second, and a start that comes then waits at the server behind all of them. */
const atOnceMax = 8;

export class StartQueue {
  #running = 0;
  readonly #withPriority: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  /** Runs a start when fewer than `atOnceMax` run; a start with priority goes before those without. */
  async run<T>(hasPriority: boolean, start: () => Promise<T>): Promise<T> {
    if (this.#running < atOnceMax) this.#running += 1;
    else await new Promise<void>((resolve) => (hasPriority ? this.#withPriority : this.#others).push(resolve));
    try {
      return await start();
    } finally {
      const next = this.#withPriority.shift() ?? this.#others.shift(); // takes over this one's slot
      if (next) next();
      else this.#running -= 1;
    }
  }
}
