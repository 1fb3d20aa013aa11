/** Work that goes on by itself and is waited for when its process stops, such as booking a call after its answer. */
import { LiveSet } from '../domain/live-set.ts';

/** Keeps track of work whose errors are given to `onError`, and to none besides. */
export class BackgroundWork {
  readonly #onError: (error: unknown) => void;
  readonly #works = new LiveSet<Promise<unknown>>();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#works.size;
  }

  /** Takes work that has begun; it may be handed around as a function. */
  readonly add = (work: Promise<unknown>): void => {
    const place = this.#works.add(work.catch(this.#onError).finally(() => this.#works.remove(place)));
  };

  /** Resolves when none is left, what begins meanwhile included. */
  async ended(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works.members());
  }
}
