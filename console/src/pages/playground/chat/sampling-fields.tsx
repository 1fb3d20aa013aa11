/** How the model picks its words. */
import { InputNumber, Select } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { TextArea } from '../shared/text-area.tsx';
import { efforts } from './draft.ts';
import type { SettingsProps } from './settings.tsx';
import { settingsTexts } from './settings-texts.ts';

/** What the API takes of each. A seed may have more digits than a JavaScript number keeps, but not here. */
const figures = [
  { name: 'topP', hint: 'topPHint', min: 0, max: 1, step: 0.05 },
  { name: 'seed', hint: 'seedHint', min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, step: 1 },
  { name: 'presencePenalty', hint: 'penaltyHint', min: -2, max: 2, step: 0.1 },
  { name: 'frequencyPenalty', hint: 'penaltyHint', min: -2, max: 2, step: 0.1 },
] as const;

export function SamplingFields({ draft, change, fault }: SettingsProps) {
  const say = useTexts(settingsTexts);
  return (
    <>
      <div className="tg-fields">
        {figures.map(({ name, hint, ...bounds }) => (
          <Field key={name} name={name} label={say(name)} error={faultAt(fault, name)} hint={say(hint)}>
            {(props) => (
              <InputNumber
                {...props}
                {...bounds}
                {...(name === 'seed' && { precision: 0 })}
                value={draft[name]}
                onChange={(value) => change({ [name]: value })}
              />
            )}
          </Field>
        ))}
      </div>
      <Field name="stop" label={say('stop')} error={faultAt(fault, 'stop')} hint={say('stopHint')}>
        {(props) => (
          <TextArea {...props} value={draft.stop} rows={1} onChange={(event) => change({ stop: event.target.value })} />
        )}
      </Field>
      <Field name="effort" label={say('effort')} error={faultAt(fault, 'effort')} hint={say('effortHint')}>
        {(props) => (
          <Select
            {...props}
            value={draft.effort}
            onChange={(effort) => change({ effort })}
            options={[
              { value: '', label: say('modelDefault') },
              ...efforts.map((effort) => ({ value: effort, label: effort })),
            ]}
          />
        )}
      </Field>
    </>
  );
}
