/** A field for JSON: what is wrong with it stands beside it once the typing pauses. */
import { Button } from 'antd';
import { useLate } from '../../../parts/use-late.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { Field } from '../shared/field.tsx';
import { TextArea } from '../shared/text-area.tsx';
import { type Draft, examples, type JsonName } from './draft.ts';
import { mistakeAt } from './json-fields.ts';
import { settingsTexts } from './settings-texts.ts';

interface Props {
  name: JsonName;
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  /** Whether the form was to be sent as it stands. */
  isTried: boolean;
  /** What the server refused of it. */
  error: string | undefined;
}

export function JsonEditor({ name, draft, change, isTried, error }: Props) {
  const say = useTexts(settingsTexts);
  const text = draft[name];
  // On leaving the field it would move what is about to be clicked.
  const isResting = useLate(text) === text && text.trim() !== '';
  const mistake = isTried || isResting ? mistakeAt(name, draft) : undefined;
  const example = name === 'extra' ? undefined : examples[name];
  return (
    <>
      <Field
        name={name}
        label={say(name)}
        error={mistake ? say(mistake.kind, { detail: mistake.detail }) : error}
        hint={say(`${name}Hint`)}
      >
        {(props) => (
          <TextArea
            {...props}
            value={text}
            rows={4}
            spellCheck={false}
            onChange={(event) => change({ [name]: event.target.value })}
          />
        )}
      </Field>
      {example !== undefined && text.trim() === '' && (
        <Button size="small" onClick={() => change({ [name]: example })}>
          {say('insertExample')}
        </Button>
      )}
    </>
  );
}
