/** Work on many things, so many at a time: each lane takes one thing after the other as long as there are any. */

export class Lanes<T> {
  readonly #most: number;
  readonly #work: (one: T) => Promise<void>;
  readonly #waiting: T[] = [];
  readonly #lanes = new Set<Promise<void>>();
  #isClosed = false;

  /** At most so many at a time. `work` never rejects. */
  constructor(most: number, work: (one: T) => Promise<void>) {
    this.#most = most;
    this.#work = work;
  }

  /** Whether anything is worked on. */
  get isBusy(): boolean {
    return this.#lanes.size > 0;
  }

  add(things: readonly T[]): void {
    this.#waiting.push(...things);
    for (let free = Math.min(this.#most - this.#lanes.size, things.length); free > 0; free--) {
      const lane = this.#take().finally(() => this.#lanes.delete(lane));
      this.#lanes.add(lane);
    }
  }

  /** Nothing more is taken; what is worked on goes on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when a lane has found nothing left to take: there is room for more, though others are still worked on. */
  async free(): Promise<void> {
    if (this.isBusy) await Promise.race(this.#lanes);
  }

  /** Resolves when nothing is worked on, and nothing waits. */
  async ended(): Promise<void> {
    while (this.isBusy) await Promise.all(this.#lanes);
  }

  async #take(): Promise<void> {
    for (let one = this.#waiting.shift(); one !== undefined && !this.#isClosed; one = this.#waiting.shift())
      await this.#work(one);
  }
}
