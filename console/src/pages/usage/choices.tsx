/** By what is summed, and of which days. */
import { Input, Segmented, Select } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { utcDay } from '../../parts/days.ts';
import { type Group, groups, type Preset, presets, type Shown } from './range.ts';
import { texts } from './texts.ts';

const names = { day: 'byDay', model: 'byModel', key: 'byKey' } as const;

interface ChoicesProps {
  shown: Shown;
  onChange: (change: Partial<Pick<Shown, 'by' | 'preset' | 'first' | 'last'>>) => void;
}

export function Choices({ shown: { by, preset, first, last }, onChange }: ChoicesProps) {
  const say = useTexts(texts);
  return (
    <div className="tg-filters">
      <Segmented<Group>
        aria-label={say('by')}
        value={by}
        options={groups.map((group) => ({ value: group, label: say(names[group]) }))}
        onChange={(group) => onChange({ by: group })}
      />
      <Select<Preset>
        aria-label={say('range')}
        value={preset}
        style={{ width: 160 }}
        options={presets.map((each) => ({ value: each, label: say(each) }))}
        onChange={(each) => onChange({ preset: each })}
      />
      {preset === 'custom' && (
        <>
          <label>
            {say('from')}
            <Input
              type="date"
              value={first}
              max={utcDay()}
              onChange={({ target }) => target.value !== '' && onChange({ first: target.value })}
            />
          </label>
          <label>
            {say('to')}
            <Input
              type="date"
              value={last}
              max={utcDay()}
              onChange={({ target }) => target.value !== '' && onChange({ last: target.value })}
            />
          </label>
        </>
      )}
    </div>
  );
}
