/** By what is summed, and of which days: the address keeps both, so that they can be sent and gone back to. */
import { Input, Segmented } from 'antd';
import { useSearchParams } from 'react-router';
import { isDay, today } from '../../parts/days.ts';
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
  const day = (label: 'from' | 'to', value: string, change: (day: string) => void) => (
    <label>
      {say(label)}
      <Input
        type="date"
        value={value}
        max={today('UTC')}
        onChange={({ target }) => target.value !== '' && change(target.value)}
      />
    </label>
  );
  return (
    <div className="tg-filters">
      <Segmented<Group>
        aria-label={say('by')}
        value={shown.by}
        options={groups.map((group) => ({ value: group, label: say(group) }))}
        onChange={(by) => onChange({ by })}
      />
      {day('from', shown.first, (first) => onChange({ first }))}
      {day('to', shown.last, (last) => onChange({ last }))}
    </div>
  );
}
