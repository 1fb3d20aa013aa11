/** Records of requests on their way to their table: gathered as bytes, and written in groups beside the calls. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { databaseFailure } from '../postgres/database.ts';
import { RequestGroup } from './request-group.ts';
import type { RequestRecord } from './request-record.ts';

export interface RequestRecorderOptions {
  /** Writes all of them or none. */
  write: (group: RequestGroup) => Promise<void>;
  log: Logger;
  /** Called with how many records were given up, and why. */
  onLost: (count: number, reason: 'full' | 'refused') => void;
  everyMs?: number;
}

/** How long a person who watches the list waits for a call to appear. */
const everyMsDefault = 500;
/** At some 250 bytes each 5 MB: eight seconds of 2,500 calls a second, or hours of a quiet gateway. */
const waitingMax = 20_000;
/** Written as soon as there are so many: some 250 KB. */
const groupMax = 1_000;
/** How often a group is tried that the database refuses, before it is given up for those behind it. */
const refusalsMax = 3;

/**
 * Takes records and writes them every half second, or as soon as there are many. While the database is away they wait,
 * 20,000 at the most: what comes on top is given up and counted, as no call ever waits for its record.
 */
export class RequestRecorder {
  readonly #options: RequestRecorderOptions;
  readonly #timer: NodeJS.Timeout;
  /**
   * Takes what comes. What comes while a group is written waits in the next one: writing it at once, too, would make a
   * group of each dozen of calls under load, which costs PostgreSQL half as much again.
   */
  #open = new RequestGroup();
  #closed: RequestGroup[] = [];
  /** Records in all of these. */
  #waiting = 0;
  #refusals = 0;
  #isFailing = false;
  /** Under way. */
  #writing: Promise<void> | undefined;

  constructor(options: RequestRecorderOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), options.everyMs ?? everyMsDefault).unref();
  }

  /** Takes a record; it is written later. */
  add(record: RequestRecord): void {
    if (this.#waiting === waitingMax) {
      this.#options.onLost(1, 'full');
      return;
    }
    try {
      this.#open.add(record);
    } catch (error) {
      this.#options.log.warn({ err: error, requestId: record.requestId }, 'a record of a request fits no row');
      this.#options.onLost(1, 'refused');
      return;
    }
    this.#waiting++;
    if (this.#open.size < groupMax) return;
    this.#close();
    if (!this.#isFailing) void this.#writeClosed();
  }

  /** Resolves once the calls that are over and booked by now can be read, or the database has failed. Never rejects. */
  async written(): Promise<void> {
    await setImmediate(); // what was booked just now is added before
    await this.flush();
  }

  /** Resolves once what was added before is written, or the database has failed. Never rejects. */
  async flush(): Promise<void> {
    // While the database is away one group takes what comes behind the one that is tried: each has a buffer of its own.
    if (!this.#isFailing || this.#closed.length === 0) this.#close();
    await this.#writeClosed();
  }

  /** Writes what waits; gives up what the database does not take now. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    await this.flush(); // once more, where the database had failed
    if (this.#waiting > 0) this.#options.onLost(this.#waiting, 'refused');
  }

  #close(): void {
    if (this.#open.size === 0) return;
    this.#closed.push(this.#open);
    this.#open = new RequestGroup();
  }

  async #writeClosed(): Promise<void> {
    if (this.#closed.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
    }
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { write, log, onLost } = this.#options;
    for (let group = this.#closed[0]; group !== undefined; group = this.#closed[0]) {
      try {
        await write(group);
        this.#refusals = 0;
        if (this.#isFailing) this.#close();
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) log.warn({ err: error }, 'records of requests could not be written; they wait');
        this.#isFailing = true;
        if (databaseFailure(error) !== undefined || ++this.#refusals < refusalsMax) return;
        this.#refusals = 0;
        onLost(group.size, 'refused');
      }
      this.#closed.shift();
      this.#waiting -= group.size;
    }
  }
}
