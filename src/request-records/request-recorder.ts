/** Records of requests on their way to their table: gathered in memory, and written in groups beside the calls. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { databaseFailure } from '../postgres/database.ts';
import type { RequestRecord } from './write-requests.ts';

export interface RequestRecorderOptions {
  /** Writes all of them or none. */
  write: (records: readonly RequestRecord[]) => Promise<void>;
  log: Logger;
  /** Called with how many records were given up, and why. */
  onLost: (count: number, reason: 'full' | 'refused') => void;
  everyMs?: number;
}

/** How long a person who watches the list waits for a call to appear. */
const everyMsDefault = 500;
/** At some 500 bytes each 10 MB: eight seconds of 2,500 calls a second, or hours of a quiet gateway. */
const waitingMax = 20_000;
const groupMax = 1_000;
/** Under load they are written as soon as so many wait: what lives for long costs the garbage collector more. */
const groupSoon = 200;
/** How often a group is tried that the database refuses, before it is given up for those behind it. */
const refusalsMax = 3;

/**
 * Takes records and writes them every half second, or as soon as there are many. While the database is away they wait,
 * 20,000 at the most: what comes on top is given up and counted, as no call ever waits for its record.
 */
export class RequestRecorder {
  readonly #options: RequestRecorderOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: RequestRecord[] = [];
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
    if (this.#waiting.length === waitingMax) {
      this.#options.onLost(1, 'full');
      return;
    }
    this.#waiting.push(record);
    if (this.#waiting.length >= groupSoon && !this.#isFailing) void this.flush();
  }

  /** Resolves once the calls that are over and booked by now can be read, or the database has failed. Never rejects. */
  async written(): Promise<void> {
    await setImmediate(); // what was booked just now is added before
    await this.flush();
  }

  /** Resolves once what was added before is written, or the database has failed. Never rejects. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
    }
    await this.#writing;
  }

  /** Writes what waits; gives up what the database does not take now. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    await this.flush(); // what came while the last group was under way
    if (this.#waiting.length > 0) this.#options.onLost(this.#waiting.length, 'refused');
  }

  async #write(): Promise<void> {
    const { write, log, onLost } = this.#options;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, groupMax);
      try {
        await write(group);
        this.#waiting.splice(0, group.length);
        this.#refusals = 0;
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) log.warn({ err: error }, 'records of requests could not be written; they wait');
        this.#isFailing = true;
        if (databaseFailure(error) !== undefined || ++this.#refusals < refusalsMax) return;
        this.#waiting.splice(0, group.length);
        this.#refusals = 0;
        onLost(group.length, 'refused');
      }
    }
  }
}
