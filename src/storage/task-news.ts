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

export interface TaskWait {
  /** True when the task is final, false when the time is up or it was stopped. */
  readonly settled: Promise<boolean>;
  /** Nobody wants to know any more. */
  readonly isStopped: boolean;
  /** Harmless when it is over. */
  stop: () => void;
}

export class TaskNews {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  /** By the task's id. One is the rule, and thousands of sets of one would cost more than all else here. */
  readonly #waiters: Waiters = new Map();
  #listener: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #letsGo = false;

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
   * A wait for this task to become final. A caller registers by this first and reads the row afterwards, so that no news
   * falls between. Whoever gives up has to stop it.
   */
  final(id: string, timeoutMs: number): TaskWait {
    const waiter = new Waiter(this.#waiters, id, timeoutMs);
    this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), waiter]);
    if (this.#letsGo) waiter.stop();
    return waiter;
  }

  /** Nobody is to wait any more, neither those who do nor those who come. */
  letGo(): void {
    this.#letsGo = true;
    for (const waiters of [...this.#waiters.values()]) for (const waiter of waiters) waiter.stop();
  }

  /** Stops listening. A server that is frozen or cut off, and so never closes its side, is not waited for. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.race([this.#listener?.end(), pause(goodbye_ms_max, undefined, { ref: false })]);
  }

  #hear(ids: readonly string[]): void {
    for (const id of ids) for (const waiter of this.#waiters.get(id) ?? []) waiter.end(true);
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

type Waiters = Map<string, readonly Waiter[]>;

/** One object a wait, since there may be thousands. */
class Waiter implements TaskWait {
  readonly settled: Promise<boolean>;
  isStopped = false;
  readonly #all: Waiters;
  readonly #id: string;
  readonly #timer: NodeJS.Timeout;
  /** Until it is over. */
  #settle: ((isFinal: boolean) => void) | undefined;

  constructor(all: Waiters, id: string, timeoutMs: number) {
    this.#all = all;
    this.#id = id;
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    this.#timer = setTimeout(timeIsUp, timeoutMs, this);
  }

  readonly stop = (): void => {
    this.isStopped = true;
    this.end(false);
  };

  end(isFinal: boolean): void {
    const settle = this.#settle;
    if (!settle) return;
    this.#settle = undefined;
    clearTimeout(this.#timer);
    const others = (this.#all.get(this.#id) ?? []).filter((other) => other !== this);
    if (others.length > 0) this.#all.set(this.#id, others);
    else this.#all.delete(this.#id);
    settle(isFinal);
  }
}

const timeIsUp = (waiter: Waiter): void => waiter.end(false);
