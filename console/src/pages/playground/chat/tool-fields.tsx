/** The tools that the model may call, and whether it has to. */
import { Select } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { toolChoices } from './draft.ts';
import { JsonEditor } from './json-editor.tsx';
import { toolNamesOf } from './json-fields.ts';
import type { SettingsProps } from './settings.tsx';
import { settingsTexts } from './settings-texts.ts';

export function ToolFields({ draft, change, fault, isTried }: SettingsProps) {
  const say = useTexts(settingsTexts);
  const options = [
    { value: '', label: say('modelDefault') },
    ...toolChoices.map((choice) => ({ value: choice, label: say(`tool_${choice}`) })),
    ...toolNamesOf(draft).map((name) => ({ value: `function:${name}`, label: say('tool_named', { name }) })),
  ];
  return (
    <>
      <JsonEditor name="tools" {...{ draft, change, isTried }} error={faultAt(fault, 'tools')} />
      <Field name="toolChoice" label={say('toolChoice')} error={faultAt(fault, 'toolChoice')}>
        {(props) => (
          <Select
            {...props}
            value={options.some(({ value }) => value === draft.toolChoice) ? draft.toolChoice : ''}
            {...(draft.tools.trim() === '' && { disabled: true })}
            onChange={(toolChoice) => change({ toolChoice })}
            options={options}
          />
        )}
      </Field>
    </>
  );
}
