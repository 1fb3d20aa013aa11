/**
 * News of tasks that became final. The worker tells the ids by NOTIFY after its commit; whoever waits listens on a
 * connection of its own, and asks for all waiters once a second (every 50 ms while it can't listen) as the safety net.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { finalAmong } from './tasks.ts';
import type { Database } from './database.ts';
import { gathering } from './gathered.ts';

const channel = 'tollgate_final_tasks';
const ids_per_notice_max = 100;
const safety_net_ms = 1_000;
const deaf_ms = 50;
const reconnect_ms = 250;
const goodbye_ms_max = 2_000;

/**
 * Tells that tasks are final; what is to be told meanwhile goes together. A statement of its own: inside a transaction NOTIFY
 * takes a lock of the whole server.
 */
export const tellFinal = gathering(async (database: Database, ids: readonly string[]): Promise<void> => {
  for (let from = 0; from < ids.length; from += ids_per_notice_max) {
    await database.pool.query({
      name: 'tell-final',
      text: 'select pg_notify($1, $2)',
      values: [channel, ids.slice(from, from + ids_per_notice_max).join(',')],
    });
  }
});

export class TaskNews {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #waiters = new Map<string, Set<() => void>>();
  #listener: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  /** Listens from now on; failing to is no error, the safety net then asks more often. */
  async open(): Promise<void> {
    await this.#listen();
    this.#schedule();
  }

  /**
   * Resolves true when the task is final, false when the time is up or the signal aborts. A caller registers by this
   * first and reads the row afterwards, so that no news falls between.
   */
  final(id: string, timeoutMs: number, signal: AbortSignal): { settled: Promise<boolean>; stop: () => void } {
    let finish: (isFinal: boolean) => void = () => undefined;
    const settled = new Promise<boolean>((resolve) => (finish = resolve));
    const heard = () => end(true);
    const gaveUp = () => end(false);
    const timer = setTimeout(gaveUp, timeoutMs);
    const end = (isFinal: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', gaveUp);
      const others = this.#waiters.get(id);
      others?.delete(heard);
      if (others?.size === 0) this.#waiters.delete(id);
      finish(isFinal);
    };
    signal.addEventListener('abort', gaveUp, { once: true });
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters.add(heard));
    if (signal.aborted) gaveUp();
    return { settled, stop: gaveUp };
  }

  /** Stops listening. A server that is frozen or cut off, and so never closes its side, is not waited for. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.race([this.#listener?.end(), pause(goodbye_ms_max, undefined, { ref: false })]);
  }

  #hear(ids: readonly string[]): void {
    for (const id of ids) for (const heard of [...(this.#waiters.get(id) ?? [])]) heard();
  }

  async #listen(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#database.url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    const lost = () => {
      if (this.#listener !== client) return;
      this.#listener = undefined;
      this.#schedule();
      setTimeout(() => void this.#listen(), reconnect_ms).unref();
    };
    client.on('notification', ({ payload }) => this.#hear((payload ?? '').split(',')));
    client.on('error', (error) => {
      this.#onError(error);
      lost();
    });
    client.on('end', lost);
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      if (this.#isClosed()) {
        await client.end();
        return;
      }
      this.#listener = client;
      if (this.#isClosed()) await client.end(); // while it connected
      await this.#askForAll();
    } catch (error) {
      this.#onError(error);
      setTimeout(() => void this.#listen(), reconnect_ms).unref();
    }
  }

  /** Asked again after a pause: meanwhile it may have been closed. */
  #isClosed(): boolean {
    return this.#closed;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#tick(), this.#listener ? safety_net_ms : deaf_ms);
    this.#timer.unref();
  }

  async #tick(): Promise<void> {
    await this.#askForAll();
    this.#schedule();
  }

  async #askForAll(): Promise<void> {
    if (this.#waiters.size === 0) return;
    try {
      this.#hear(await finalAmong(this.#database, [...this.#waiters.keys()]));
    } catch (error) {
      this.#onError(error);
    }
  }
}
