/** What a worker asks of Temporal once, when it starts: tried until it is done, however long Temporal refuses it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const pauseMsFirst = 5_000;
const pauseMsMax = 300_000;

export interface Errand {
  /** In a sentence that begins with it: "the search attributes are not registered". */
  undone: string;
  run: () => Promise<void>;
}

/**
 * Runs each errand once and resolves; those that fail are told in the log and tried again until they are done or the
 * signal aborts, from every five seconds to every five minutes.
 */
export async function keepTrying(errands: readonly Errand[], log: Logger, signal: AbortSignal): Promise<void> {
  // At once: none needs another, and each is some round trips that a start waits for.
  const first = async ({ undone, run }: Errand) => {
    try {
      await run();
    } catch (error) {
      log.warn({ err: error }, `${undone}; it is tried again`);
      void again({ undone, run }, log, signal);
    }
  };
  await Promise.all(errands.map(first));
}

async function again({ undone, run }: Errand, log: Logger, signal: AbortSignal): Promise<void> {
  for (let ms = pauseMsFirst; ; ms = Math.min(2 * ms, pauseMsMax)) {
    await pause(ms, undefined, { signal, ref: false }).catch(() => undefined); // closing ends the pause
    if (signal.aborted) return;
    try {
      await run();
      log.info(`done at last, of which was told: ${undone}`);
      return;
    } catch (error) {
      if (ms >= pauseMsMax) log.warn({ err: error }, `${undone} still; it is tried again`);
    }
  }
}
