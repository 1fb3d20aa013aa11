/** Whom and what a request is filed under, and fields that the form has none for. */
import { Input } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { JsonEditor } from './json-editor.tsx';
import type { SettingsProps } from './settings.tsx';
import { settingsTexts } from './settings-texts.ts';

export function RequestFields({ draft, change, fault, isTried }: SettingsProps) {
  const say = useTexts(settingsTexts);
  return (
    <>
      {(['user', 'tag'] as const).map((name) => (
        <Field key={name} name={name} label={say(name)} error={faultAt(fault, name)} hint={say(`${name}Hint`)}>
          {(props) => (
            <Input {...props} value={draft[name]} onChange={(event) => change({ [name]: event.target.value })} />
          )}
        </Field>
      ))}
      <JsonEditor name="extra" {...{ draft, change, isTried }} error={faultAt(fault, 'extra')} />
    </>
  );
}
