/** What `/status.json` says, read and checked. */
import type { ModelKind } from '../../../src/domain/catalogue.ts';

const states = ['available', 'degraded', 'maintenance', 'unavailable'] as const;
export type State = (typeof states)[number];

export interface ModelStatus {
  id: string;
  kind: ModelKind;
  state: State;
  lastHour: number | null;
  lastDay: number | null;
  /** Of the last 24 hours, the newest last; from 0 to 1. */
  hours: (number | null)[];
  maintenance: { note: string | null; until: Date | null } | null;
}

export interface StatusReport {
  state: State;
  updatedAt: Date;
  models: ModelStatus[];
}

/** Throws where the gateway can't be reached, or answers anything else. */
export async function fetchStatus(signal: AbortSignal): Promise<StatusReport> {
  const response = await fetch('/status.json', { signal });
  if (!response.ok) throw new TypeError(`/status.json answered ${response.status}`);
  const { state, updated_at: updatedAt, models } = (await response.json()) as WireReport;
  if (!states.includes(state)) throw new TypeError('/status.json has an unknown state');
  return {
    state,
    updatedAt: new Date(updatedAt),
    models: models.map(({ success_rate: rate, maintenance, ...model }) => ({
      ...model,
      lastHour: rate.last_hour,
      lastDay: rate.last_day,
      maintenance: maintenance && {
        note: maintenance.note,
        until: maintenance.until === null ? null : new Date(maintenance.until),
      },
    })),
  };
}

interface WireReport {
  state: State;
  updated_at: string;
  models: (Pick<ModelStatus, 'id' | 'kind' | 'state' | 'hours'> & {
    success_rate: { last_hour: number | null; last_day: number | null };
    maintenance: { note: string | null; until: string | null } | null;
  })[];
}
