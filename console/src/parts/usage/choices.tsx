/** By what is summed, which metric is shown, and of which days. */
import { Select, Switch } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { RangeFields } from '../filters/day-range.tsx';
import { periods } from '../filters/periods.ts';
import { type Offer, type Shown, times } from './usage-query.ts';
import { dimensionTexts, metricTexts, usageTexts } from './texts.ts';

interface ChoicesProps {
  offer: Offer<keyof typeof dimensionTexts.en, keyof typeof metricTexts.en>;
  shown: Shown;
  onChange: (change: Partial<Shown>) => void;
}

export function Choices({ offer: { names, metrics }, shown, onChange }: ChoicesProps) {
  const say = useTexts(usageTexts);
  const sayName = useTexts(dimensionTexts);
  const sayMetric = useTexts(metricTexts);
  const { group, by, metric, preset, first, last, isCompared } = shown;
  const optionOf = (name: (typeof names)[number]) => ({ value: name, label: sayName(name) });
  const choose = (
    label: string,
    value: string,
    options: { value: string; label: string }[],
    take: (value: string) => void,
  ) => (
    <label>
      {label}
      <Select aria-label={label} value={value} options={options} onChange={take} />
    </label>
  );
  return (
    <div className="tg-filters">
      {choose(say('group'), group, [...times, ...names].map(optionOf), (chosen) =>
        onChange({ group: chosen, by: chosen === by ? undefined : by }),
      )}
      {choose(
        say('by'),
        by ?? nothing,
        [{ value: nothing, label: say('noSecond') }, ...names.filter((name) => name !== group).map(optionOf)],
        (chosen) => onChange({ by: chosen === nothing ? undefined : chosen }),
      )}
      {choose(
        say('metric'),
        metric,
        metrics.map((each) => ({ value: each, label: sayMetric(each) })),
        (chosen) => onChange({ metric: chosen }),
      )}
      <RangeFields
        from={first}
        to={last}
        period={preset}
        choices={periods}
        onPeriod={(period) => onChange({ preset: period })}
        onChange={({ from = first, to = last }) => onChange({ preset: 'custom', first: from, last: to })}
      />
      <label>
        {say('compare')}
        <span>
          <Switch
            aria-label={say('compare')}
            checked={isCompared}
            onChange={(isOn) => onChange({ isCompared: isOn })}
          />
        </span>
      </label>
    </div>
  );
}

/** A select can't have an empty value. */
const nothing = 'none';
