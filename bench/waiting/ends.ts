/** When the tasks of a round end, and what became of it: the delays from each end to its answer. */
import { percentile } from '../statistics.ts';
import { burstPauseMs } from './callers.ts';
import type { Answer } from './messages.ts';

export interface Wanted {
  callers: number;
  comingPerSecond: number;
  endingPerSecond: number;
}

/** From `finished_at` to the first byte, in ms. */
export interface Delays {
  count: number;
  p50: number;
  p99: number;
  max: number;
  /** Ends a second. */
  rate: number;
}

/** In which no caller comes or goes. */
export const rest_ms = 10_000;
/** For what is under way when the last caller has come, or has left, to come to rest. */
export const calmMs = 3_000;
/** Of every five tasks one is in the burst at the end. */
const spreadShare = 0.8;
/** Tasks that end at once, before any is measured, so that all code is loaded. */
export const warmUpCalls = 300;
const warmUpMsMax = 60_000;

/** Of the time in which callers come: what the provider's queue may lag behind, and still all are there before the first end. */
const lagShare = 0.3;

/** The load of these calls. */
export const warmUp = ({ comingPerSecond }: Wanted, now: number) => ({
  ...{ callers: warmUpCalls, comingPerSecond, spread: warmUpCalls, endingPerSecond: comingPerSecond },
  ...{ firstEndMs: now, limitMs: now + (warmUpCalls / comingPerSecond) * 1_000 + warmUpMsMax },
});

/** How long a round takes: until all are there and measured, and until the last task has ended. */
export function timesOf({ callers, comingPerSecond, endingPerSecond }: Wanted) {
  const spread = Math.round(callers * spreadShare);
  const comingMs = (callers / comingPerSecond) * 1_000;
  const firstEndAfterMs = comingMs * (1 + lagShare) + 5_000 + 2 * calmMs + rest_ms;
  const spreadMs = (spread / endingPerSecond) * 1_000;
  const lastEndAfterMs = firstEndAfterMs + spreadMs + burstPauseMs;
  return { spread, firstEndAfterMs, lastEndAfterMs, atRestAfterMs: firstEndAfterMs - 2 * calmMs - rest_ms };
}

/** Of those answers that were for a finished task. */
export function delays(answers: readonly Answer[], ended: ReadonlyMap<string, number>): Delays {
  const ends = answers.flatMap(({ id, status, firstByteMs }) => {
    const endedMs = status === 200 ? ended.get(id) : undefined;
    return endedMs === undefined ? [] : [{ endedMs, delayMs: firstByteMs - endedMs }];
  });
  const all = ends.map(({ delayMs }) => delayMs);
  const times = ends.map(({ endedMs }) => endedMs);
  const seconds = (percentile(times, 1) - percentile(times, 0)) / 1_000;
  return {
    ...{ count: all.length, p50: percentile(all, 0.5), p99: percentile(all, 0.99), max: percentile(all, 1) },
    rate: seconds > 0 ? ends.length / seconds : 0,
  };
}
