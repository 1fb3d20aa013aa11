/**
 * How fast the lines of batches go to one provider: more at once as long as it answers, half as many when it says that it
 * is busy, and none before the time that it names. Interactive calls go first: while there are any, lines take a share.
 */

/** What lines may take of a provider. */
export interface PaceLimits {
  /** Lines a second; undefined: there is no bound. */
  perSecondMax?: number | undefined;
  concurrentMax: number;
  /** Of both, while interactive calls are under way; from 0 to 1. */
  share: number;
}

export const paceLimitsDefault: PaceLimits = { concurrentMax: 16, share: 0.5 };

export interface PaceState {
  /** How many lines the provider is trusted with at once; grows by fractions. */
  window: number;
  /** When the window was last halved. */
  slowedAtMs: number;
  /** Nothing is sent before it. */
  closedUntilMs: number;
  /** When the next line may go, by the lines a second. */
  nextAtMs: number;
}

/** The busy answers of one burst are one reason to slow down, not many. */
const burstMs = 1_000;
/** Of a provider that doesn't say when to come back. */
const busyMsDefault = 2_000;
/** It is tried again within this time, whatever it says. */
const busyMsMax = 300_000;
const windowFirst = 4;
/**
 * Between two lines while interactive calls are under way: 50 a second of a provider in a process. Its slots alone bound
 * nothing where answers take milliseconds: lines would then take all of the processor that calls need. At 200 a second
 * they moved the slowest hundredth of calls by 4 to 33 ms, by commits of several lines and by collecting their garbage.
 */
const sharedSpacingMs = 20;

export const firstPace = ({ concurrentMax }: PaceLimits): PaceState => ({
  window: Math.min(windowFirst, concurrentMax),
  slowedAtMs: -Infinity,
  closedUntilMs: -Infinity,
  nextAtMs: -Infinity,
});

/** After an answer: one more at once for as many answers as there may be lines. */
export const afterAnswer = (pace: PaceState, { concurrentMax }: PaceLimits): PaceState => ({
  ...pace,
  window: Math.min(concurrentMax, pace.window + 1 / pace.window),
});

/** After a 429, 503 or 529. `retryAfterMs` is what the provider says. */
export function afterBusy(pace: PaceState, nowMs: number, retryAfterMs: number | undefined): PaceState {
  const isNewBurst = nowMs - pace.slowedAtMs > burstMs;
  const closedMs = Math.min(busyMsMax, retryAfterMs ?? busyMsDefault);
  return {
    ...pace,
    window: isNewBurst ? Math.max(1, pace.window / 2) : pace.window,
    slowedAtMs: isNewBurst ? nowMs : pace.slowedAtMs,
    closedUntilMs: Math.max(pace.closedUntilMs, nowMs + closedMs),
  };
}

/** After a line was sent. */
export function afterSend(
  pace: PaceState,
  { perSecondMax, share }: PaceLimits,
  { nowMs, isShared }: { nowMs: number; isShared: boolean },
): PaceState {
  const configuredMs = perSecondMax === undefined ? 0 : 1000 / (perSecondMax * (isShared ? share : 1));
  const spacingMs = Math.max(configuredMs, isShared ? sharedSpacingMs : 0);
  if (spacingMs === 0) return pace;
  return { ...pace, nextAtMs: Math.max(nowMs, pace.nextAtMs) + spacingMs };
}

/** How many lines may be under way; at least one, so that a batch always goes on. */
export function concurrentNow({ window }: PaceState, { concurrentMax, share }: PaceLimits, isShared: boolean): number {
  const most = Math.min(window, concurrentMax);
  return Math.max(1, Math.floor(isShared ? Math.min(most, concurrentMax * share) : most));
}

/** For how long nothing may be sent; 0: not at all. */
export const closedMs = ({ closedUntilMs, nextAtMs }: PaceState, nowMs: number): number =>
  Math.max(0, closedUntilMs - nowMs, nextAtMs - nowMs);
