/** The partitions of the coming months and days, made by each API process too: it may run for months without any worker. */
import type { Logger } from 'pino';
import { type Database, supplyPartitions } from '../postgres/database.ts';
import { supplyRequestDays } from '../request-records/write-requests.ts';

const every_ms = 3_600_000;

/** Makes them now and every hour, until it is closed. What fails is logged and comes again. */
export class PartitionSupply {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #requestDays: () => number;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void>;

  /** `requestDays` is for how many days records of requests are kept, as set now. */
  constructor(database: Database, log: Logger, requestDays: () => number, everyMs = every_ms) {
    this.#database = database;
    this.#log = log;
    this.#requestDays = requestDays;
    this.#running = this.#supply();
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#supply());
    }, everyMs).unref();
  }

  /** Resolves when what was under way has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #supply(): Promise<void> {
    try {
      await supplyRequestDays(this.#database, this.#requestDays());
      const missing = await supplyPartitions(this.#database);
      if (missing.length > 0) this.#log.warn({ missing }, 'partitions are missing; see tollgate doctor');
    } catch (error) {
      this.#log.warn({ err: error }, 'the partitions of the coming time could not be made; it is tried again');
    }
  }
}
