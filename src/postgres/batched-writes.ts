/** Many small writes of one kind as few larger ones. */

import type { Database } from './database.ts';

/** More than a statement should name at once. */
const itemsMax = 500;

/** A call that takes longer may wait for a lock: it no longer holds up the others. */
const slowMs = 50;
/** Calls under way, each of which has a connection of few. */
const callsMax = 2;

interface Waiting<T> {
  item: T;
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Hands items to `write`, one call at a time: those that come while a call is under way go together with the next one. So
 * an item alone is written at once, and many at once cost little more than one. Beside a slow call there may be another.
 */
export class Gathered<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  #waiting: Waiting<T>[] = [];
  #underWay = 0;
  #slow = 0;

  constructor(write: (items: readonly T[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once the item is written; rejects as the call did that it went with. */
  add(item: T): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      this.#next();
    });
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#underWay > this.#slow || this.#underWay === callsMax) return;
    void this.#call(this.#waiting.splice(0, itemsMax));
  }

  async #call(group: readonly Waiting<T>[]): Promise<void> {
    this.#underWay += 1;
    const call = { isSlow: false };
    const timer = setTimeout(() => {
      call.isSlow = true;
      this.#slow += 1;
      this.#next();
    }, slowMs);
    try {
      await this.#write(group.map(({ item }) => item));
      for (const { done } of group) done();
    } catch (error) {
      for (const { failed } of group) failed(error);
    } finally {
      clearTimeout(timer);
      this.#underWay -= 1;
      if (call.isSlow) this.#slow -= 1;
      this.#next();
    }
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
