/** The fields of an image request. */
import { Checkbox, Input, InputNumber, Select } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import type { ModelFacts } from '../shared/facts.ts';
import { type Fault, faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { ModelField } from '../shared/model-field.tsx';
import { type Draft, qualities, ratios, resolutionOf, upscaledTo } from './body.ts';
import { type Own, OwnImages } from './own-images.tsx';
import { TextArea } from '../shared/text-area.tsx';
import { texts } from './texts.ts';

interface Props {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  models: readonly ModelFacts[];
  model: ModelFacts;
  onModel: (id: string) => void;
  fault: Fault | undefined;
  own: Own;
  onOwn: (own: Own) => void;
}

const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

export function ImageFields({ draft, change, models, model, onModel, fault, own, onOwn }: Props) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const at = (name: string) => faultAt(fault, name);
  const { prompt, isUpscaling, references } = draft;
  return (
    <>
      <ModelField models={models} model={model} onChange={onModel} error={at('model')} />
      <Field
        name="prompt"
        label={say('prompt')}
        error={at('prompt')}
        hint={say('characters', {
          count: Array.from(prompt).length,
          most: new Intl.NumberFormat(locale).format(model.prompt_characters),
        })}
      >
        {(props) => (
          <TextArea
            {...props}
            value={prompt}
            onChange={(event) => change({ prompt: event.target.value })}
            placeholder={say('promptPlaceholder')}
            rows={3}
          />
        )}
      </Field>
      <Checkbox checked={isUpscaling} onChange={(event) => change({ isUpscaling: event.target.checked })}>
        {say('upscale')}
      </Checkbox>
      {isUpscaling ? (
        <Field name="resolution" label={say('resolution')} error={at('resolution')}>
          {(props) => (
            <Select
              {...props}
              value={upscaledTo(draft)}
              onChange={(resolution: string) => change({ resolution })}
              options={optionsOf(['4k', '8k'])}
            />
          )}
        </Field>
      ) : (
        <SizeFields draft={draft} change={change} model={model} fault={fault} />
      )}
      <Field
        name="references"
        label={say('references')}
        error={at('references')}
        hint={isUpscaling ? say('referenceToUpscale') : say('referencesHint')}
      >
        {(props) => (
          <TextArea
            {...props}
            value={references}
            onChange={(event) => change({ references: event.target.value })}
            placeholder="https://"
            rows={1}
          />
        )}
      </Field>
      {!isUpscaling && <OwnImages own={own} onChange={onOwn} fault={fault} />}
    </>
  );
}

function SizeFields({ draft, change, model, fault }: Pick<Props, 'draft' | 'change' | 'model' | 'fault'>) {
  const say = useTexts(texts);
  const at = (name: string) => faultAt(fault, name);
  const { sizedBy, size, ratio, quality, n } = draft;
  return (
    <div className="tg-fields">
      <Field name="sizedBy" label={say('sizedBy')}>
        {(props) => (
          <Select
            {...props}
            value={sizedBy}
            onChange={(next: string) => change({ sizedBy: next })}
            options={[
              { value: 'resolution', label: say('byResolution') },
              { value: 'size', label: say('bySize') },
            ]}
          />
        )}
      </Field>
      <Field name="quality" label={say('quality')} error={at('quality')}>
        {(props) => (
          <Select
            {...props}
            value={quality}
            onChange={(next: string) => change({ quality: next })}
            options={qualities.map((value) => ({ value, label: say(value) }))}
          />
        )}
      </Field>
      {sizedBy === 'size' ? (
        <Field name="size" label={say('size')} error={at('size')} hint={say('sizeHint')}>
          {(props) => <Input {...props} value={size} onChange={(event) => change({ size: event.target.value })} />}
        </Field>
      ) : (
        <>
          <Field name="resolution" label={say('resolution')} error={at('resolution')}>
            {(props) => (
              <Select
                {...props}
                value={resolutionOf(draft, model)}
                onChange={(resolution: string) => change({ resolution })}
                options={optionsOf(model.resolutions)}
              />
            )}
          </Field>
          <Field name="ratio" label={say('ratio')} error={at('ratio')}>
            {(props) => (
              <Select
                {...props}
                value={ratio}
                onChange={(next: string) => change({ ratio: next })}
                options={optionsOf(ratios)}
              />
            )}
          </Field>
        </>
      )}
      <Field name="n" label={say('n')} error={at('n')} hint={n > 1 ? say('nHint') : undefined}>
        {(props) => (
          <InputNumber
            {...props}
            value={n}
            min={1}
            max={10}
            precision={0}
            onChange={(next) => change({ n: next ?? 1 })}
          />
        )}
      </Field>
    </div>
  );
}
