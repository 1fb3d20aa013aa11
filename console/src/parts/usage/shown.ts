/** What the page's address says that is to be shown: by what, which metric, and of which days. */
import { useSearchParams } from 'react-router';
import { dayAfter, daysBetween, isDay, monthAfter, utcDay } from '../days.ts';

export const times = ['hour', 'day', 'month'] as const;
export type Time = (typeof times)[number];

export const presets = [
  ...(['today', 'yesterday', 'days7', 'days30', 'days90', 'thisMonth', 'lastMonth', 'custom'] as const),
];
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
  /** The first and the last day. */
  first: string;
  last: string;
  /** A custom range may be invalid, or too long for hours. */
  isRange: boolean;
}

/** What is shown, and how to change it: the address keeps it, so that it can be sent and gone back to. */
export function useShown<Name extends string, Metric extends string>({ names, metrics }: Offer<Name, Metric>) {
  const [search, setSearch] = useSearchParams();
  const preset = presets.find((each) => each === search.get('range')) ?? 'days30';
  const [from, to] = [search.get('from'), search.get('to')];
  const [first, last] =
    preset === 'custom' ? [isDay(from) ? from : utcDay(29), isDay(to) ? to : utcDay()] : daysOf(preset);
  const group = [...names, ...times].find((name) => name === search.get('group')) ?? 'day';
  const by = names.find((name) => name === search.get('by') && name !== group);
  const metric = metrics.find((each) => each === search.get('metric')) ?? metrics[0];
  const most = group === 'hour' ? hourDaysMax : daysMax;
  const isRange = first <= last && dayAfter(first, most) > last;
  const shown: Shown<Name, Metric> = { group, by, metric, preset, first, last, isRange };
  const change = (wanted: Partial<Shown>) => {
    const next = { ...shown, ...wanted };
    setSearch(
      {
        ...{ group: next.group, metric: next.metric, range: next.preset },
        ...(next.by !== undefined && { by: next.by }),
        ...(next.preset === 'custom' && { from: next.first, to: next.last }),
      },
      { replace: true },
    );
  };
  return [shown, change] as const;
}

/** The query of what is shown, for the API. */
export const usageQueryOf = <Name extends string, Metric extends string>(shown: Shown<Name, Metric>) => ({
  ...{ group: shown.group, metric: shown.metric, from: shown.first, to: dayAfter(shown.last) },
  ...(shown.by !== undefined && { by: shown.by }),
});

/** All times of the range, the earliest first, as the API names them. */
export function timesOf({ first, last }: Pick<Shown, 'first' | 'last'>, time: Time): string[] {
  const days = daysBetween(first, last);
  if (time === 'day') return days;
  if (time === 'month') return [...new Set(days.map((day) => day.slice(0, 7)))];
  return days.flatMap((day) => Array.from({ length: 24 }, (_, hour) => `${day}T${String(hour).padStart(2, '0')}`));
}

export const isTime = (name: string): name is Time => times.some((time) => time === name);

function daysOf(preset: Exclude<Preset, 'custom'>): [first: string, last: string] {
  const today = utcDay();
  const month = today.slice(0, 7);
  switch (preset) {
    case 'today':
      return [today, today];
    case 'yesterday':
      return [utcDay(1), utcDay(1)];
    case 'days7':
      return [utcDay(6), today];
    case 'days30':
      return [utcDay(29), today];
    case 'days90':
      return [utcDay(89), today];
    case 'thisMonth':
      return [`${month}-01`, today];
    case 'lastMonth':
      return [`${monthAfter(month, -1)}-01`, dayAfter(`${month}-01`, -1)];
  }
}
