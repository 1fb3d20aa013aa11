/** The form of the answer: text, or JSON with or without a schema. */
import { Select } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { formats } from './draft.ts';
import { JsonEditor } from './json-editor.tsx';
import type { SettingsProps } from './settings.tsx';
import { settingsTexts } from './settings-texts.ts';

export function OutputFields({ draft, change, fault, isTried }: SettingsProps) {
  const say = useTexts(settingsTexts);
  return (
    <>
      <Field name="format" label={say('format')} error={faultAt(fault, 'format')}>
        {(props) => (
          <Select
            {...props}
            value={draft.format}
            onChange={(format) => change({ format })}
            options={[
              { value: '', label: say('modelDefault') },
              ...formats.map((format) => ({ value: format, label: format })),
            ]}
          />
        )}
      </Field>
      {draft.format === 'json_schema' && (
        <JsonEditor name="schema" {...{ draft, change, isTried }} error={faultAt(fault, 'schema')} />
      )}
    </>
  );
}
