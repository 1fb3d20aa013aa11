/** The fields of a video request; which there are is a matter of the model's kind. */
import { Checkbox, Input, InputNumber, Select } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import type { ModelFacts } from '../shared/facts.ts';
import { type Fault, faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { ModelField } from '../shared/model-field.tsx';
import { type Draft, durationOf, ratioOf } from './body.ts';
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

export function VideoFields({ draft, change, models, model, onModel, fault }: Props) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const { kind } = model;
  const address = (name: 'image' | 'audio' | 'video', label: string, hint: string) => (
    <Field name={name} label={label} error={faultAt(fault, name)} hint={hint}>
      {(props) => (
        <Input
          {...props}
          type="url"
          value={draft[name]}
          placeholder="https://"
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      <ModelField models={models} model={model} onChange={onModel} error={faultAt(fault, 'model')} />
      {kind !== 'avatar-video' && (
        <Field
          name="prompt"
          label={say('prompt')}
          error={faultAt(fault, 'prompt')}
          hint={
            kind === 'video'
              ? say('characters', {
                  count: Array.from(draft.prompt).length,
                  most: new Intl.NumberFormat(locale).format(model.prompt_characters),
                })
              : say('promptOfAvatar')
          }
        >
          {(props) => (
            <TextArea
              {...props}
              value={draft.prompt}
              onChange={(event) => change({ prompt: event.target.value })}
              placeholder={say('promptPlaceholder')}
              rows={3}
            />
          )}
        </Field>
      )}
      {kind === 'video' && address('image', say('image'), say('imageHint'))}
      {kind === 'avatar-image' && address('image', say('avatarImage'), say('address'))}
      {kind === 'avatar-video' && address('video', say('video'), say('address'))}
      {kind !== 'video' && address('audio', say('audio'), say('address'))}
      {kind === 'avatar-video' && (
        <Field
          name="modelVersion"
          label={say('modelVersion')}
          error={faultAt(fault, 'modelVersion')}
          hint={say('versionHint')}
        >
          {(props) => (
            <InputNumber
              {...props}
              value={draft.modelVersion}
              min={0}
              precision={0}
              onChange={(modelVersion) => change({ modelVersion })}
            />
          )}
        </Field>
      )}
      {kind === 'video' && <PlainVideoFields draft={draft} change={change} model={model} fault={fault} />}
    </>
  );
}

function PlainVideoFields({ draft, change, model, fault }: Pick<Props, 'draft' | 'change' | 'model' | 'fault'>) {
  const say = useTexts(texts);
  return (
    <>
      <div className="tg-fields">
        <Field name="duration" label={say('duration')} error={faultAt(fault, 'duration')}>
          {(props) => (
            <Select
              {...props}
              value={durationOf(draft, model)}
              onChange={(duration: number) => change({ duration })}
              options={model.durations.map((count) => ({ value: count, label: say('seconds', { count }) }))}
            />
          )}
        </Field>
        <Field name="ratio" label={say('ratio')} error={faultAt(fault, 'ratio')}>
          {(props) => (
            <Select
              {...props}
              value={ratioOf(draft, model)}
              onChange={(ratio: string) => change({ ratio })}
              options={model.ratios.map((value) => ({ value, label: value }))}
            />
          )}
        </Field>
      </div>
      <div>
        <Checkbox checked={draft.withSound} onChange={(event) => change({ withSound: event.target.checked })}>
          {say('withSound')}
        </Checkbox>
        <Checkbox checked={draft.withWatermark} onChange={(event) => change({ withWatermark: event.target.checked })}>
          {say('withWatermark')}
        </Checkbox>
      </div>
    </>
  );
}
