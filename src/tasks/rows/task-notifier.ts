/**
 * Notifications of tasks that became final. The worker sends the ids by NOTIFY after its commit; a process that waits listens on a
 * connection of its own, and asks for all waiters once a second as the safety net: sooner right after the connection was
 * lost, and more and more seldom while the database fails, which has enough to do then.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { finalAmong } from './task-rows.ts';
import type { Database } from '../../postgres/database.ts';
import { gathering } from '../../postgres/batched-writes.ts';

const channel = 'tollgate_final_tasks';
const idsPerNoticeMax = 100;
const safetyNetMs = 1_000;
/** The first pause of a process that can't listen; each is twice as long as the one before, up to the usual one. */
const deafMsMin = 50;
/** The longest pause after rounds that failed. */
const failingMsMax = 5_000;
/** Of one statement: some 2 ms of the database. */
const askedIdsMax = 500;
const reconnectMsMin = 250;
const reconnectMsMax = 5_000;
/** To connect, and to be allowed to listen. */
const connectMsMax = 5_000;
const goodbyeMsMax = 2_000;

/**
 * Notifies all processes that tasks are final; notifications that gather meanwhile are sent together. A statement of its own: inside a transaction NOTIFY
 * takes a lock of the whole server.
 */
export const notifyFinal = gathering(async (database: Database, ids: readonly string[]): Promise<void> => {
  for (let from = 0; from < ids.length; from += idsPerNoticeMax) {
    await database.pool.query({
      name: 'notify-final',
      text: 'select pg_notify($1, $2)',
      values: [channel, ids.slice(from, from + idsPerNoticeMax).join(',')],
    });
  }
});

export interface TaskWait {
  /** True when the task is final, false when the time is up or it was stopped. */
  readonly settled: Promise<boolean>;
  /** The request no longer waits. */
  readonly isStopped: boolean;
  /** Harmless when it is over. */
  stop: () => void;
}

export class TaskNotifier {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  /** By the task's id. One is the rule, and thousands of sets of one would cost more than all else here. */
  readonly #waiters: Waiters = new Map();
  #listener: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Pauses that grow: between rounds while it can't listen, and between attempts to. */
  #pauseMs = deafMsMin;
  #reconnectMs = reconnectMsMin;
  /** Rounds come one after the other. */
  #asking: Promise<boolean> = Promise.resolve(true);
  #closed = false;
  #isReleased = false;

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
   * falls between. A caller that gives up has to stop it.
   */
  final(id: string, timeoutMs: number): TaskWait {
    const waiter = new Waiter(this.#waiters, id, timeoutMs);
    this.#waiters.set(id, [...(this.#waiters.get(id) ?? []), waiter]);
    if (this.#isReleased) waiter.stop();
    return waiter;
  }

  /** Ends all waiting, of those who wait and of those who come. */
  releaseAll(): void {
    this.#isReleased = true;
    for (const waiters of [...this.#waiters.values()]) for (const waiter of waiters) waiter.stop();
  }

  /** Stops listening. A server that is frozen or cut off, and so never closes its side, is not waited for. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#listener) await ended(this.#listener);
  }

  #notify(ids: readonly string[]): void {
    for (const id of ids) for (const waiter of this.#waiters.get(id) ?? []) waiter.end(true);
  }

  async #listen(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#database.url,
      connectionTimeoutMillis: connectMsMax,
      query_timeout: connectMsMax,
      keepAlive: true,
    });
    const lost = () => {
      if (this.#listener !== client) return;
      this.#listener = undefined;
      this.#pauseMs = deafMsMin;
      this.#schedule();
      this.#listenSoon();
    };
    client.on('notification', ({ payload }) => this.#notify((payload ?? '').split(',')));
    client.on('error', (error) => {
      this.#onError(error);
      lost();
    });
    client.on('end', lost);
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      this.#onError(error);
      // One that connects and may not listen, as at a standby, would stay open, and each attempt makes another one.
      await ended(client);
      this.#listenSoon();
      return;
    }
    if (this.#isClosed()) {
      await ended(client); // while it connected
      return;
    }
    this.#listener = client;
    this.#reconnectMs = reconnectMsMin;
    await this.#askForAll();
  }

  #listenSoon(): void {
    setTimeout(() => void this.#listen(), this.#reconnectMs).unref();
    this.#reconnectMs = Math.min(reconnectMsMax, 2 * this.#reconnectMs);
  }

  /** Asked again after a pause: meanwhile it may have been closed. */
  #isClosed(): boolean {
    return this.#closed;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#tick(), this.#listener ? safetyNetMs : this.#pauseMs);
    this.#timer.unref();
  }

  async #tick(): Promise<void> {
    const isAnswered = await this.#askForAll();
    this.#pauseMs = Math.min(isAnswered ? safetyNetMs : failingMsMax, 2 * this.#pauseMs);
    this.#schedule();
  }

  #askForAll(): Promise<boolean> {
    return (this.#asking = this.#asking.then(() => this.#askInSlices()));
  }

  /** Returns whether the database answered; the first slice that fails ends the round. */
  async #askInSlices(): Promise<boolean> {
    const ids = [...this.#waiters.keys()];
    try {
      for (let from = 0; from < ids.length && !this.#closed; from += askedIdsMax) {
        const waiting = ids.slice(from, from + askedIdsMax).filter((id) => this.#waiters.has(id));
        if (waiting.length > 0) this.#notify(await finalAmong(this.#database, waiting));
      }
      return true;
    } catch (error) {
      this.#onError(error);
      return false;
    }
  }
}

/** Closes a connection; a server that never closes its side is not waited for. */
async function ended(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), pause(goodbyeMsMax, undefined, { ref: false })]);
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
