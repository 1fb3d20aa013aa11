/**
 * How the audit reads: one statement after another, each in a short transaction of its own and over some thousand rows, so
 * that no snapshot lives for longer than a page is read. A snapshot that stays open keeps every version of the rows that
 * commits change again and again, which makes each commit on a busy account slower than the one before.
 */
import type { Database } from '../postgres/database.ts';

/** A statement and what it returns: rows as arrays. */
export type Read = (text: string, values?: readonly unknown[], options?: ReadOptions) => Promise<unknown[][]>;

export interface ReadOptions {
  /**
   * How tables are joined: a row at a time along an index, as is right for the rows of a page (by default), or as the
   * server thinks best, which is right for what is read whole.
   */
  joins?: 'by index' | 'whole';
}

/** Rows of a page. */
const pageRowsMax = 2_000;
/** A page that takes longer is followed by one of half as many rows; one that takes less than a quarter, by a larger one. */
const slowMs = 1_000;
const shareMin = 1 / 64;

/** What one sort or join may take of the server's memory before it goes to disk. */
const workMemMb = 32;
// A page is found along an index, and what belongs to its rows too. The server takes a range of ids for a few rows,
// whatever it holds, and would compare every row of a page with every other one.
const begin = `begin isolation level repeatable read read only; set local statement_timeout = 0;
    set local timezone = 'UTC'; set local jit = off; set local work_mem = '${workMemMb}MB';
    set local enable_seqscan = off; set local max_parallel_workers_per_gather = 0`;
const beginByIndex = `${begin}; set local enable_hashjoin = off; set local enable_mergejoin = off`;

export class ShortReads {
  readonly #database: Database;
  readonly #signal: AbortSignal | undefined;
  readonly #rowsMax: number;
  #share = 1;

  constructor(
    database: Database,
    { signal, pageRows = pageRowsMax }: { signal?: AbortSignal | undefined; pageRows?: number | undefined },
  ) {
    this.#database = database;
    this.#signal = signal;
    this.#rowsMax = pageRows;
  }

  /** How many rows the next page should have: fewer after slow ones. */
  get pageRows(): number {
    return Math.max(1, Math.round(this.#rowsMax * this.#share));
  }

  readonly read: Read = async (text, values = [], { joins = 'by index' } = {}) => {
    this.#signal?.throwIfAborted();
    const client = await this.#database.longRunning.connect();
    const startedAt = performance.now();
    let broken: Error | undefined;
    try {
      await client.query(joins === 'whole' ? begin : beginByIndex);
      const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' });
      await client.query('commit');
      this.#pace(performance.now() - startedAt);
      return rows;
    } catch (error) {
      broken = error instanceof Error ? error : new Error('the audit broke off', { cause: error });
      throw error;
    } finally {
      client.release(broken);
    }
  };

  #pace(tookMs: number): void {
    if (tookMs > slowMs) this.#share = Math.max(shareMin, this.#share / 2);
    else if (tookMs < slowMs / 4) this.#share = Math.min(1, this.#share * 2);
  }
}
