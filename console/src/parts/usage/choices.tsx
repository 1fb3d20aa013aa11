/** By what is summed, which metric is shown, and of which days. */
import { Input, Select } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { utcDay } from '../days.ts';
import { type Offer, presets, type Shown, times } from './shown.ts';
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
  const { group, by, metric, preset, first, last } = shown;
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
  const day = (label: string, value: string, take: (day: string) => void) => (
    <label>
      {label}
      <Input
        type="date"
        value={value}
        max={utcDay()}
        onChange={({ target }) => target.value !== '' && take(target.value)}
      />
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
      {choose(
        say('range'),
        preset,
        presets.map((each) => ({ value: each, label: say(each) })),
        (chosen) => onChange({ preset: presets.find((each) => each === chosen) ?? 'days30' }),
      )}
      {preset === 'custom' && day(say('from'), first, (chosen) => onChange({ first: chosen }))}
      {preset === 'custom' && day(say('to'), last, (chosen) => onChange({ last: chosen }))}
    </div>
  );
}

/** A select can't have an empty value. */
const nothing = 'none';
