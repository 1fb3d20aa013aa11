/** The rules of what lately happened to a model or provider: its rate of success, and when it is degraded. */

/** What calls or tasks came to; callers' own mistakes, and what is under way, are left out. */
export interface OutcomeTally {
  succeeded: number;
  /** By the error's code. */
  faults: readonly { code: string; count: number }[];
}

export interface Traffic {
  lastHour: OutcomeTally;
  lastDay: OutcomeTally;
  /** How long the work took from its beginning to its end, by the median of the day's successes. */
  medianMs: number | null;
  /** What 95 of 100 of these did not exceed; of calls only. */
  p95Ms: number | null;
}

/** `degraded`: it works, and more of its work fails than callers should meet. */
export type HealthState = 'available' | 'degraded' | 'unavailable';

export const noTraffic: Traffic = {
  lastHour: { succeeded: 0, faults: [] },
  lastDay: { succeeded: 0, faults: [] },
  medianMs: null,
  p95Ms: null,
};

/** From this share of successes within an hour on a model or provider is healthy. */
const healthyRate = 0.95;

/** The state of what can be reached, or not, by what it did within the last hour: of several kinds, by all together. */
export function stateOf(isAvailable: boolean, ...lastHours: readonly OutcomeTally[]): HealthState {
  if (!isAvailable) return 'unavailable';
  const rate = successRate({
    succeeded: lastHours.reduce((sum, { succeeded }) => sum + succeeded, 0),
    faults: lastHours.flatMap(({ faults }) => faults),
  });
  return rate !== null && rate < healthyRate ? 'degraded' : 'available';
}

/** The share of successes, from 0 to 1; null without any outcome. */
export function successRate({ succeeded, faults }: OutcomeTally): number | null {
  const count = succeeded + faultCount(faults);
  return count === 0 ? null : succeeded / count;
}

const faultCount = (faults: OutcomeTally['faults']): number => faults.reduce((sum, { count }) => sum + count, 0);
