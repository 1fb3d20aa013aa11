/** The sums of charges by the hour, kept near the ledger by each API process: usage of a month is read from them. */
import type { Logger } from 'pino';
import { sumCharges } from '../ledger/charge-sums.ts';
import type { Database } from '../postgres/database.ts';

const every_ms = 60_000;
/** Above its sums an account may have so many entries, which take a look 10 ms to read; the others are summed at every fifth turn. */
const entriesMax = 1_000;
const turnsOfAll = 5;

/** Sums at once, as after an upgrade, and every minute, until it is closed. What fails is logged and comes again. */
export class ChargeSumming {
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void>;
  #turn = 0;

  constructor(database: Database, log: Logger, everyMs = every_ms) {
    const { signal } = this.#closing;
    const sum = async () => {
      try {
        const leastEntries = this.#turn++ % turnsOfAll === 0 ? 1 : entriesMax;
        await sumCharges(database, { leastEntries, signal });
      } catch (error) {
        log.warn({ err: error }, 'the charges could not be summed; it is tried again');
      }
    };
    this.#running = sum();
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(sum);
    }, everyMs).unref();
  }

  /** Resolves when what was under way has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#running;
  }
}
