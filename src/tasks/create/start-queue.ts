/**
 * The starts of one process, some at a time. Those of accounts with few tasks go first: behind the starts of a burst
 * they would wait for seconds, before they could take their turn at a provider.
 */

/** More at once start no more a second, and a start that comes then waits at the server behind all of them. */
const atOnceMax = 8;

export class StartQueue {
  #running = 0;
  readonly #few: (() => void)[] = [];
  readonly #many: (() => void)[] = [];

  /** Runs a start when it is its turn. */
  async run<T>(isOfFew: boolean, start: () => Promise<T>): Promise<T> {
    if (this.#running < atOnceMax) this.#running += 1;
    else await new Promise<void>((resolve) => (isOfFew ? this.#few : this.#many).push(resolve));
    try {
      return await start();
    } finally {
      const next = this.#few.shift() ?? this.#many.shift(); // takes over this one's place
      if (next) next();
      else this.#running -= 1;
    }
  }
}
