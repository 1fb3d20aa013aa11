/** The first and last day that a page reaches over, in its zone: by the name of a period, or one by one. */
import { Input, Select } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { today } from '../days.ts';
import { useZone } from '../zone.ts';
import { daysOfPeriod, type Period, periodOf, periods } from './periods.ts';
import { filterTexts } from './texts.ts';

interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

interface DayRangeProps extends Days {
  /** Of the labels. */
  className?: string;
  onChange: (change: Days) => void;
}

/** Of a list, which may reach over all days. */
export function DayRange({ from, to, className, onChange }: DayRangeProps) {
  const zone = useZone();
  const isAll = from === undefined && to === undefined;
  return (
    <RangeFields
      {...{ from, to, className, onChange }}
      period={isAll ? 'allDays' : (periodOf(zone, from, to) ?? 'custom')}
      choices={['allDays', ...periods]}
      onPeriod={(period) =>
        onChange(period === 'allDays' ? { from: undefined, to: undefined } : daysOfPeriod(period, zone))
      }
    />
  );
}

interface RangeFieldsProps<Choice extends Period | 'allDays'> extends Days {
  className?: string | undefined;
  period: Choice | 'custom';
  choices: readonly Choice[];
  onPeriod: (period: Choice) => void;
  /** A day that was cleared is undefined. */
  onChange: (change: Days) => void;
}

export function RangeFields<Choice extends Period | 'allDays'>(props: RangeFieldsProps<Choice>) {
  const { from, to, className, period, choices, onPeriod, onChange } = props;
  const say = useTexts(filterTexts);
  const now = today(useZone());
  const shown: readonly (keyof typeof filterTexts.en)[] = period === 'custom' ? [...choices, period] : choices;
  const day = (name: 'from' | 'to', value: string | undefined) => (
    <label className={className}>
      {say(name)}
      <Input
        type="date"
        value={value ?? ''}
        min={name === 'to' ? from : undefined}
        max={name === 'from' ? (to ?? now) : now}
        onChange={({ target }) => onChange({ [name]: target.value === '' ? undefined : target.value })}
      />
    </label>
  );
  return (
    <>
      <label className={className}>
        {say('range')}
        <Select
          aria-label={say('range')}
          value={period}
          options={shown.map((value) => ({ value, label: say(value) }))}
          onChange={(chosen) => {
            const known = choices.find((choice) => choice === chosen);
            if (known !== undefined) onPeriod(known);
          }}
        />
      </label>
      {day('from', from)}
      {day('to', to)}
    </>
  );
}
