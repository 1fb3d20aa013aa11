/** Many small writes of one kind as few larger ones. */

import type { Database } from './database.ts';

/** More than a statement should name at once. */
const items_max = 500;

/**
 * Hands items to `write`, one call at a time: those that come while a call is under way go together with the next one. So
 * an item alone is written at once, and many at once cost little more than one.
 */
export class Gathered<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  #waiting: { item: T; done: () => void; failed: (error: unknown) => void }[] = [];
  #isWriting = false;

  constructor(write: (items: readonly T[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once the item is written; rejects as the call did that it went with. */
  add(item: T): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      if (!this.#isWriting) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, items_max);
      try {
        await this.#write(group.map(({ item }) => item));
        for (const { done } of group) done();
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    this.#isWriting = false;
  }
}

/** A write whose items are gathered a database, for callers that know no more of each other than that. */
export function gathering<T>(
  write: (database: Database, items: readonly T[]) => Promise<void>,
): (database: Database, items: readonly T[]) => Promise<void> {
  const byDatabase = new WeakMap<Database, Gathered<T>>();
  return async (database, items) => {
    let gathered = byDatabase.get(database);
    if (!gathered) {
      gathered = new Gathered((group) => write(database, group));
      byDatabase.set(database, gathered);
    }
    const all = gathered;
    await Promise.all(items.map((item) => all.add(item)));
  };
}
