/** Spreads calls of one process over time: so many a second, in the order in which they asked. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Pacer {
  /** Resolves when it is this call's turn; rejects when the signal aborts before. */
  turn(signal: AbortSignal): Promise<void>;
}

/** Returns a pacer of `perSecond` turns; without others waiting, a turn comes at once. */
export function createPacer(perSecond: number): Pacer {
  const intervalMs = 1000 / perSecond;
  let nextMs = 0;
  return {
    async turn(signal) {
      const nowMs = performance.now();
      const mineMs = Math.max(nowMs, nextMs);
      nextMs = mineMs + intervalMs;
      if (mineMs > nowMs) await pause(mineMs - nowMs, undefined, { signal });
    },
  };
}
