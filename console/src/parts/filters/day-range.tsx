/** The first and last day that a list reaches over, in UTC. */
import { Input } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { utcDay } from '../days.ts';
import { partsTexts } from '../texts.ts';

interface DayRangeProps {
  from: string | undefined;
  to: string | undefined;
  onChange: (change: { from?: string | undefined; to?: string | undefined }) => void;
}

export function DayRange({ from, to, onChange }: DayRangeProps) {
  const say = useTexts(partsTexts);
  return (
    <>
      <label>
        {say('from')}
        <Input
          type="date"
          value={from ?? ''}
          max={to ?? utcDay()}
          onChange={({ target: { value } }) => onChange({ from: value === '' ? undefined : value })}
        />
      </label>
      <label>
        {say('to')}
        <Input
          type="date"
          value={to ?? ''}
          min={from}
          max={utcDay()}
          onChange={({ target: { value } }) => onChange({ to: value === '' ? undefined : value })}
        />
      </label>
    </>
  );
}
