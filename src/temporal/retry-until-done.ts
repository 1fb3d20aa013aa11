/** What a worker sets up in Temporal when it starts, retried until it is done. */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

const pauseMsFirst = 5_000;
const pauseMsMax = 300_000;

export interface SetUpStep {
  /** In a sentence that begins with it: "the search attributes are not registered". */
  undone: string;
  run: () => Promise<void>;
}

/**
 * Runs each step once and resolves. Steps that fail are logged and retried until they are done or the signal aborts, from
 * every five seconds to every five minutes.
 */
export async function retryUntilDone(steps: readonly SetUpStep[], log: Logger, signal: AbortSignal): Promise<void> {
  setMaxListeners(0, signal); // each step that waits is one
  // At once: none needs another, and each is some round trips that a start waits for.
  const first = async ({ undone, run }: SetUpStep) => {
    try {
      await run();
    } catch (error) {
      log.warn({ err: error }, `${undone}; it is tried again`);
      void again({ undone, run }, log, signal);
    }
  };
  await Promise.all(steps.map(first));
}

async function again({ undone, run }: SetUpStep, log: Logger, signal: AbortSignal): Promise<void> {
  for (let ms = pauseMsFirst; ; ms = Math.min(2 * ms, pauseMsMax)) {
    await pause(ms, undefined, { signal, ref: false }).catch(() => undefined); // closing ends the pause
    if (signal.aborted) return;
    try {
      await run();
      log.info(`a retry succeeded; earlier: ${undone}`);
      return;
    } catch (error) {
      if (ms >= pauseMsMax) log.warn({ err: error }, `${undone} still; it is tried again`);
    }
  }
}
