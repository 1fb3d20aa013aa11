/** What the page's address says that is to be shown: by what, which metric, and of which days. */
import { useSearchParams } from 'react-router';
import { spansIn, startOfDay } from '../../../../src/domain/time-zone.ts';
import { dayAfter, daysBetween, isDay, rangeOf, today } from '../days.ts';
import { daysOfPeriod, periods } from '../filters/periods.ts';
import { searchNow } from '../filters/search-now.ts';
import { useZone } from '../zone.ts';

export const times = ['hour', 'day', 'month'] as const;
export type Time = (typeof times)[number];

const presets = [...periods, 'custom'] as const;
export type Preset = (typeof presets)[number];

const daysMax = 366;
const hourDaysMax = 31;

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
  /** A custom range may be invalid, or too long for hours. */
  isRange: boolean;
}

/** What is shown, and how to change it: the address keeps it, so that it can be sent and gone back to. */
export function useShown<Name extends string, Metric extends string>(offer: Offer<Name, Metric>) {
  const [search, setSearch] = useSearchParams();
  const zone = useZone();
  const change = (wanted: Partial<Shown>) => {
    const next: Shown = { ...shownOf(searchNow(), offer, zone), ...wanted };
    setSearch(
      {
        ...{ group: next.group, metric: next.metric, range: next.preset },
        ...(next.by !== undefined && { by: next.by }),
        ...(next.preset === 'custom' && { from: next.first, to: next.last }),
      },
      { replace: true },
    );
  };
  return [shownOf(search, offer, zone), change] as const;
}

function shownOf<Name extends string, Metric extends string>(
  search: URLSearchParams,
  { names, metrics }: Offer<Name, Metric>,
  zone: string,
): Shown<Name, Metric> {
  const preset = presets.find((each) => each === search.get('range')) ?? 'days30';
  const [from, to] = [search.get('from'), search.get('to')];
  const { from: first, to: last } =
    preset === 'custom'
      ? { from: isDay(from) ? from : today(zone, 29), to: isDay(to) ? to : today(zone) }
      : daysOfPeriod(preset, zone);
  const group = [...names, ...times].find((name) => name === search.get('group')) ?? 'day';
  const by = names.find((name) => name === search.get('by') && name !== group);
  const metric = metrics.find((each) => each === search.get('metric')) ?? metrics[0];
  const most = group === 'hour' ? hourDaysMax : daysMax;
  const isRange = first <= last && dayAfter(first, most) > last;
  return { group, by, metric, preset, zone, first, last, isRange };
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
