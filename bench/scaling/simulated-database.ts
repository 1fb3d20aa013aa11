/** A database as far as the ledger's groups feel it: rows with versions and locks, and a disk that flushes for all who wait. */
import type { EventQueue } from './event-queue.ts';

interface Row {
  /** The transaction that wrote it last, PostgreSQL's `xmin`. */
  version: number;
  isLocked: boolean;
  waiting: (() => void)[];
}

export class SimulatedDatabase {
  readonly #queue: EventQueue;
  readonly #flushMs: number;
  readonly #rows = new Map<number, Row>();
  #isFlushing = false;
  #toFlush: (() => void)[] = [];
  #versions = 0;

  constructor(queue: EventQueue, flushMs: number) {
    this.#queue = queue;
    this.#flushMs = flushMs;
  }

  versionOf(id: number): number {
    return this.#row(id).version;
  }

  /** Locks rows one after the other, waiting where another transaction has one; first come, first served. */
  lock(ids: readonly number[], done: () => void): void {
    const [id, ...others] = ids;
    if (id === undefined) {
      done();
      return;
    }
    const row = this.#row(id);
    const go = () => this.lock(others, done);
    if (row.isLocked) row.waiting.push(go);
    else {
      row.isLocked = true;
      go();
    }
  }

  /** Gives the rows to the transactions that wait for them. */
  release(ids: readonly number[]): void {
    for (const id of ids) {
      const row = this.#row(id);
      const next = row.waiting.shift();
      if (next) this.#queue.in(0, next);
      else row.isLocked = false;
    }
  }

  /** Makes durable what was written; one flush serves all who asked before it began. Returns the rows' new version. */
  commit(ids: readonly number[], done: (version: number) => void): void {
    const version = ++this.#versions;
    this.#toFlush.push(() => {
      for (const id of ids) this.#row(id).version = version;
      this.release(ids);
      done(version);
    });
    if (!this.#isFlushing) this.#flush();
  }

  #flush(): void {
    const served = this.#toFlush.splice(0);
    this.#isFlushing = served.length > 0;
    if (!this.#isFlushing) return;
    this.#queue.in(this.#flushMs, () => {
      for (const done of served) done();
      this.#flush();
    });
  }

  #row(id: number): Row {
    let row = this.#rows.get(id);
    if (!row) this.#rows.set(id, (row = { version: 0, isLocked: false, waiting: [] }));
    return row;
  }
}
