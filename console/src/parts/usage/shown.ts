/** What the page's address says that is to be shown: by what, which metric, and of which days. */
import { useSearchParams } from 'react-router';
import { dayAfter, isDay, today } from '../days.ts';
import { daysOfPeriod } from '../filters/periods.ts';
import { searchNow } from '../filters/search-now.ts';
import { useZone } from '../zone.ts';
import { type Offer, presets, type Shown, times } from './usage-query.ts';

const daysMax = 366;
const hourDaysMax = 31;

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
        ...(next.isCompared && { compare: '1' }),
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
  const isCompared = search.get('compare') === '1';
  return { group, by, metric, preset, zone, first, last, isCompared, isRange };
}
