/** The time that a page reaches over, in its zone: by the name of a period, or, for days of one's own, by the first and the last. */
import { Input, Select } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { today } from '../days.ts';
import { useZone } from '../zone.ts';
import { daysOfPeriod, type Period, periodOf, periods } from './periods.ts';
import { filterTexts } from './texts.ts';
import './filters.css';

/** With its calendar, 60 kB that most visits don't need. */
const DayFields = lazy(() => import('./day-fields.tsx'));

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

interface RangeFieldsProps<Choice extends Named> extends Days {
  className?: string | undefined;
  period: Choice | 'custom';
  choices: readonly Choice[];
  onPeriod: (period: Choice) => void;
  /** A day that was cleared is undefined. */
  onChange: (change: Days) => void;
}

/** Whatever has a name among the texts. */
type Named = Period | 'allDays' | 'hour1' | 'hours24';

export function RangeFields<Choice extends Named>(props: RangeFieldsProps<Choice>) {
  const { from, to, className, period, choices, onPeriod, onChange } = props;
  const say = useTexts(filterTexts);
  const now = today(useZone());
  const [isCustom, setCustom] = useState(false);
  const shown = isCustom ? 'custom' : period;
  const names: readonly (Named | 'custom')[] = [...choices, 'custom'];
  const options = names.map((value) => ({ value, label: say(value) }));
  return (
    <>
      <label className={className}>
        {say('range')}
        <Select
          aria-label={say('range')}
          value={shown}
          options={options}
          popupMatchSelectWidth={false}
          onChange={(chosen) => {
            const known = choices.find((choice) => choice === chosen);
            setCustom(known === undefined);
            if (known !== undefined) onPeriod(known);
          }}
        />
      </label>
      {shown === 'custom' && (
        <div className="tg-filter-days">
          {say('days')}
          <Suspense fallback={<Input disabled />}>
            <DayFields {...{ from, to, onChange }} last={now} names={[say('from'), say('to')]} />
          </Suspense>
        </div>
      )}
    </>
  );
}
