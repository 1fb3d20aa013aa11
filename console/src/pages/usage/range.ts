/** What the page's address says that is to be shown: by what, and of which days. */
import { useSearchParams } from 'react-router';
import { dayAfter, isDay, monthAfter, utcDay } from '../../parts/days.ts';

export const groups = ['day', 'model', 'key'] as const;
export type Group = (typeof groups)[number];

export const presets = ['days7', 'days30', 'days90', 'thisMonth', 'lastMonth', 'custom'] as const;
export type Preset = (typeof presets)[number];

const daysMax = 366;

export interface Shown {
  by: Group;
  preset: Preset;
  /** The first and the last day. */
  first: string;
  last: string;
  /** A custom range may be invalid. */
  isRange: boolean;
}

/** What is shown, and how to change it: the address keeps it, so that it can be sent and gone back to. */
export function useShown(): [Shown, (change: Partial<Pick<Shown, 'by' | 'preset' | 'first' | 'last'>>) => void] {
  const [search, setSearch] = useSearchParams();
  const by = groups.find((group) => group === search.get('by')) ?? 'day';
  const preset = presets.find((each) => each === search.get('range')) ?? 'days30';
  const [from, to] = [search.get('from'), search.get('to')];
  const [first, last] =
    preset === 'custom' ? [isDay(from) ? from : utcDay(29), isDay(to) ? to : utcDay()] : daysOf(preset);
  const isRange = first <= last && dayAfter(first, daysMax) > last;
  const change = (wanted: Partial<Pick<Shown, 'by' | 'preset' | 'first' | 'last'>>) => {
    const next = { by, preset, first, last, ...wanted };
    const days = next.preset === 'custom' ? { from: next.first, to: next.last } : undefined;
    setSearch({ by: next.by, range: next.preset, ...days }, { replace: true });
  };
  return [{ by, preset, first, last, isRange }, change];
}

function daysOf(preset: Exclude<Preset, 'custom'>): [first: string, last: string] {
  const today = utcDay();
  const month = today.slice(0, 7);
  switch (preset) {
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
