/** What is shown as the API is asked for it, and the times that its answer is about. */
import { spansIn, startOfDay } from '../../../../src/domain/time-zone.ts';
import { dayAfter, daysBetween, rangeOf } from '../days.ts';
import { periods } from '../filters/periods.ts';

export const times = ['hour', 'day', 'month'] as const;
export type Time = (typeof times)[number];

export const presets = [...periods, 'custom'] as const;
export type Preset = (typeof presets)[number];

/** What a page has to choose from. */
export interface Offer<Name extends string, Metric extends string> {
  names: readonly Name[];
  metrics: readonly [Metric, ...Metric[]];
}

export interface Shown<Name extends string = string, Metric extends string = string> {
  group: Name | Time;
  /** The second dimension. */
  by: Name | undefined;
  metric: Metric;
  preset: Preset;
  /** Of all days and hours. */
  zone: string;
  /** The first and the last day. */
  first: string;
  last: string;
  /** Beside the period before. */
  isCompared: boolean;
  /** A custom range may be invalid, or too long for hours. */
  isRange: boolean;
}

/** The query of what is shown, for the API. */
export const usageQueryOf = <Name extends string, Metric extends string>(shown: Shown<Name, Metric>) => ({
  ...{ group: shown.group, metric: shown.metric },
  ...rangeOf(shown.zone, { from: shown.first, to: shown.last }),
  ...(shown.by !== undefined && { by: shown.by }),
});

/** All times of the range, the earliest first, as the API names them. */
export function timesOf({ zone, first, last }: Pick<Shown, 'zone' | 'first' | 'last'>, time: Time): readonly string[] {
  const days = daysBetween(first, last);
  if (time === 'day') return days;
  if (time === 'month') return [...new Set(days.map((day) => day.slice(0, 7)))];
  return spansIn(zone, 'hour', { from: startOfDay(zone, first), to: startOfDay(zone, dayAfter(last)) }).labels;
}

export const isTime = (name: string): name is Time => times.some((time) => time === name);
