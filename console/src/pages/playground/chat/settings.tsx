/** The model and how it is asked. */
import { InputNumber } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import type { ModelFacts } from '../shared/facts.ts';
import { type Fault, faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { ModelField } from '../shared/model-field.tsx';
import type { Draft } from './body.ts';
import { TextArea } from '../shared/text-area.tsx';
import { texts } from './texts.ts';

interface Props {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  models: readonly ModelFacts[];
  model: ModelFacts;
  onModel: (id: string) => void;
  fault: Fault | undefined;
}

export function Settings({ draft, change, models, model, onModel, fault }: Props) {
  const say = useTexts(texts);
  return (
    <section className="tg-play-form tg-chat-settings" aria-label={say('settings')}>
      <ModelField models={models} model={model} onChange={onModel} error={faultAt(fault, 'model')} />
      <Field name="system" label={say('system')}>
        {(props) => (
          <TextArea
            {...props}
            value={draft.system}
            placeholder={say('systemPlaceholder')}
            rows={3}
            onChange={(event) => change({ system: event.target.value })}
          />
        )}
      </Field>
      <Field
        name="temperature"
        label={say('temperature')}
        error={faultAt(fault, 'temperature')}
        hint={say('temperatureHint')}
      >
        {(props) => (
          <InputNumber
            {...props}
            value={draft.temperature}
            min={0}
            max={2}
            step={0.1}
            onChange={(temperature) => change({ temperature })}
          />
        )}
      </Field>
      <Field name="maxTokens" label={say('maxTokens')} error={faultAt(fault, 'maxTokens')} hint={say('maxTokensHint')}>
        {(props) => (
          <InputNumber
            {...props}
            value={draft.maxTokens}
            min={1}
            precision={0}
            onChange={(maxTokens) => change({ maxTokens })}
          />
        )}
      </Field>
      {model.capabilities.includes('vision') && (
        <Field name="images" label={say('images')} error={faultAt(fault, 'images')} hint={say('imagesHint')}>
          {(props) => (
            <TextArea
              {...props}
              value={draft.images}
              placeholder="https://"
              rows={2}
              onChange={(event) => change({ images: event.target.value })}
            />
          )}
        </Field>
      )}
    </section>
  );
}
