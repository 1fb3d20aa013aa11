/** Work that is under way when something is replaced, and what has to wait until it is over. */
interface Epoch {
  works: number;
  ends: (() => void)[];
}

export class UnderWay {
  /** The newest at the end; each waits for those before it. */
  readonly #epochs: Epoch[] = [{ works: 0, ends: [] }];

  /** Runs work that may hold on to what it found at its start. */
  readonly during = async <T>(work: () => Promise<T>): Promise<T> => {
    const epoch = this.#newest();
    epoch.works++;
    try {
      return await work();
    } finally {
      epoch.works--;
      this.#sweep();
    }
  };

  /** Calls `end` when all work is over that has begun until now; at once if there is none. */
  whenOver(end: () => void): void {
    this.#newest().ends.push(end);
    this.#epochs.push({ works: 0, ends: [] });
    this.#sweep();
  }

  #newest(): Epoch {
    const newest = this.#epochs.at(-1);
    if (!newest) throw new TypeError('there is always an epoch');
    return newest;
  }

  #sweep(): void {
    while (this.#epochs.length > 1 && this.#epochs[0]?.works === 0) {
      for (const end of this.#epochs.shift()?.ends ?? []) end();
    }
  }
}
