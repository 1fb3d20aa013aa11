/** The rules of the public status: of one model by its hours, and of all together. */
import type { ModelKind } from '../../domain/catalogue.ts';
import type { MaintenanceSetting } from '../../domain/maintenance.ts';
import { type HealthState, stateOf, successRate } from './traffic-rules.ts';

/** What a strip shows. */
export const hoursMax = 24;

/** Successes and faults of one hour. */
export type HourTally = [succeeded: number, failed: number];

export const statusStates = ['available', 'degraded', 'maintenance', 'unavailable'] as const;
export type StatusState = HealthState | 'maintenance';

export interface ModelStatus {
  id: string;
  kind: ModelKind;
  state: StatusState;
  maintenance: MaintenanceSetting;
  /** Shares of successes, from 0 to 1; null without any outcome. */
  lastHour: number | null;
  lastDay: number | null;
  /** By hours, the newest last. */
  hours: (number | null)[];
}

export interface StatusReport {
  state: StatusState;
  updatedAt: Date;
  models: ModelStatus[];
}

interface Known {
  id: string;
  kind: ModelKind;
  /** As it is in force. */
  maintenance: MaintenanceSetting;
  isAvailable: boolean;
}

/** Returns a model's status; `hours` has the newest first. */
export function statusOf({ id, kind, maintenance, isAvailable }: Known, hours: readonly HourTally[]): ModelStatus {
  const [newest = [0, 0]] = hours;
  const day = hours.reduce<HourTally>((sum, hour) => [sum[0] + hour[0], sum[1] + hour[1]], [0, 0]);
  return {
    id,
    kind,
    state: maintenance === false ? stateOf(isAvailable, tallyOf(newest)) : 'maintenance',
    maintenance,
    lastHour: rateOf(newest),
    lastDay: rateOf(day),
    hours: hours.map(rateOf).reverse(),
  };
}

/** The state of all: `unavailable` only where no model can be called that is not in maintenance. */
export function overallOf(models: readonly Pick<ModelStatus, 'state'>[]): StatusState {
  const states = new Set(models.map(({ state }) => state));
  const isDown = states.has('unavailable');
  if (isDown && !states.has('available') && !states.has('degraded')) return 'unavailable';
  if (isDown || states.has('degraded')) return 'degraded';
  return states.has('maintenance') ? 'maintenance' : 'available';
}

const tallyOf = ([succeeded, failed]: HourTally) => ({
  succeeded,
  faults: failed === 0 ? [] : [{ code: 'any', count: failed }],
});

/** In thousandths, rounded down, so that 1 means all, and no count can be made out. */
function rateOf(tally: HourTally): number | null {
  const rate = successRate(tallyOf(tally));
  return rate === null ? null : Math.floor(rate * 1000) / 1000;
}
