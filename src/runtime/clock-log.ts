/** Logs that the database's clock was found set back behind what keys had counted at. */
import type { Logger } from 'pino';
import type { LedgerWatch } from '../ledger/commit/ledger-watch.ts';

/** After a jump each key finds it once: one line is enough for all of them. */
const loggedEveryMs = 60_000;

/** The watch, and a warning at most once a minute. */
export function logsClock(watch: LedgerWatch, log: Pick<Logger, 'warn'>): LedgerWatch {
  let loggedAtMs = -Infinity;
  return {
    committed(group) {
      watch.committed(group);
      if (group.clockBackMs === 0 || performance.now() - loggedAtMs < loggedEveryMs) return;
      loggedAtMs = performance.now();
      log.warn(
        { behindMs: group.clockBackMs },
        "the database's clock was set back: it was ahead before, or is behind now; limits of keys go on by the time it has now",
      );
    },
    took(moves, ms) {
      watch.took(moves, ms);
    },
    failed() {
      watch.failed();
    },
  };
}
