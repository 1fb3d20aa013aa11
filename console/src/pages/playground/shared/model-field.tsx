/** Chooses the model of a run. */
import { Select } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import type { ModelFacts } from './facts.ts';
import { Field } from './field.tsx';

interface Props {
  /** Where there is more than one. */
  name?: string;
  label?: string;
  models: readonly ModelFacts[];
  model: ModelFacts;
  onChange: (id: string) => void;
  error: string | undefined;
}

export function ModelField({ name = 'model', label, models, model, onChange, error }: Props) {
  const say = useTexts(playgroundTexts);
  return (
    <Field
      name={name}
      label={label ?? say('model')}
      error={error}
      hint={model.maintenance ? say('modelInMaintenance') : undefined}
    >
      {(props) => (
        <Select
          {...props}
          value={model.id}
          onChange={onChange}
          showSearch={models.length > 8}
          options={models.map(({ id, maintenance }) => ({
            value: id,
            label: maintenance ? `${id} (${say('maintenance')})` : id,
          }))}
        />
      )}
    </Field>
  );
}
