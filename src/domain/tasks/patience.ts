/** When a provider that was too busy to take a task is asked again. */

const backoff_ms = 1_000;
const backoffMsMax = 60_000;
/** Of tasks that were refused at once not all come again at once. */
const spread = 0.2;

export interface Busy {
  /** How often it was too busy before this time. */
  busyCount: number;
  /** Since the task was first sent to it. */
  sinceFirstMs: number;
  /** The wait that it asked for. */
  retryAfterMs: number | undefined;
  patienceMs: number;
  deadlineMs: number;
  /** From 0 to 1, by chance. */
  chance: number;
}

/**
 * Milliseconds until it is asked again; undefined when it has been asked for long enough, or asks for a longer wait than
 * that. The last try is at the end of the patience, and none comes when the deadline has passed.
 */
export function pauseBeforeRetry(busy: Busy): number | undefined {
  const { busyCount, sinceFirstMs, retryAfterMs = 0, patienceMs, deadlineMs, chance } = busy;
  const leftMs = patienceMs - sinceFirstMs;
  if (leftMs <= 0 || retryAfterMs > leftMs) return undefined;
  const backoffMs = Math.min(backoffMsMax, backoff_ms * 2 ** Math.min(busyCount, 30)) * (1 - spread * chance);
  const pauseMs = Math.ceil(Math.min(leftMs, Math.max(backoffMs, retryAfterMs)));
  return sinceFirstMs + pauseMs < deadlineMs ? pauseMs : undefined;
}
