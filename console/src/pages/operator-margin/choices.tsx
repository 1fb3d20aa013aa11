/** By what is summed, and of which days: the address keeps both, so that they can be sent and gone back to. */
import { Segmented } from 'antd';
import { useSearchParams } from 'react-router';
import { isDay, today } from '../../parts/days.ts';
import { RangeFields } from '../../parts/filters/day-range.tsx';
import { daysOfPeriod, periodOf, periods } from '../../parts/filters/periods.ts';
import { useZone } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

const groups = ['day', 'model', 'provider', 'account'] as const;
export type Group = (typeof groups)[number];

export interface Shown {
  by: Group;
  /** The first and the last day. */
  first: string;
  last: string;
}

export function useShown(): [Shown, (change: Partial<Shown>) => void] {
  const [search, setSearch] = useSearchParams();
  const [from, to] = [search.get('from'), search.get('to')];
  const shown: Shown = {
    by: groups.find((group) => group === search.get('by')) ?? 'day',
    first: isDay(from) ? from : today('UTC', 29),
    last: isDay(to) ? to : today('UTC'),
  };
  const change = (wanted: Partial<Shown>) => {
    const { by, first, last } = { ...shown, ...wanted };
    setSearch({ by, from: first, to: last }, { replace: true });
  };
  return [shown, change];
}

export function Choices({ shown, onChange }: { shown: Shown; onChange: (change: Partial<Shown>) => void }) {
  const say = useTexts(texts);
  const zone = useZone();
  return (
    <div className="tg-filters">
      <Segmented<Group>
        aria-label={say('by')}
        value={shown.by}
        options={groups.map((group) => ({ value: group, label: say(group) }))}
        onChange={(by) => onChange({ by })}
      />
      <RangeFields
        from={shown.first}
        to={shown.last}
        period={periodOf(zone, shown.first, shown.last) ?? 'custom'}
        choices={periods}
        onPeriod={(period) => {
          const { from, to } = daysOfPeriod(period, zone);
          onChange({ first: from, last: to });
        }}
        onChange={({ from = shown.first, to = shown.last }) => onChange({ first: from, last: to })}
      />
    </div>
  );
}
