/** The model and how it is asked: what is changed often stands open, the rest in groups. */
import type { ReactNode } from 'react';
import { InputNumber } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import type { ModelFacts } from '../shared/facts.ts';
import { type Fault, faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { TextArea } from '../shared/text-area.tsx';
import type { Draft } from './draft.ts';
import { Group } from './group.tsx';
import { OutputFields } from './output-fields.tsx';
import { RequestFields } from './request-fields.tsx';
import { SamplingFields } from './sampling-fields.tsx';
import { settingsTexts } from './settings-texts.ts';
import { ToolFields } from './tool-fields.tsx';

export interface SettingsProps {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
  fault: Fault | undefined;
  /** Whether the form was to be sent as it stands. */
  isTried: boolean;
}

interface Props extends SettingsProps {
  /** The choice of the models, which comes first. */
  children: ReactNode;
  models: readonly ModelFacts[];
}

/** `models` are those that are asked. */
export function Settings({ children, models, ...props }: Props) {
  const { draft, change, fault } = props;
  const say = useTexts(settingsTexts);
  return (
    <section className="tg-play-form tg-chat-settings" aria-label={say('settings')}>
      {children}
      <Field name="system" label={say('system')}>
        {(field) => (
          <TextArea
            {...field}
            value={draft.system}
            placeholder={say('systemPlaceholder')}
            rows={2}
            onChange={(event) => change({ system: event.target.value })}
          />
        )}
      </Field>
      <div className="tg-fields">
        <Field
          name="temperature"
          label={say('temperature')}
          error={faultAt(fault, 'temperature')}
          hint={say('temperatureHint')}
        >
          {(field) => (
            <InputNumber
              {...field}
              value={draft.temperature}
              min={0}
              max={2}
              step={0.1}
              onChange={(temperature) => change({ temperature })}
            />
          )}
        </Field>
        <Field
          name="maxTokens"
          label={say('maxTokens')}
          error={faultAt(fault, 'maxTokens')}
          hint={say('maxTokensHint')}
        >
          {(field) => (
            <InputNumber
              {...field}
              value={draft.maxTokens}
              min={1}
              precision={0}
              onChange={(maxTokens) => change({ maxTokens })}
            />
          )}
        </Field>
      </div>
      {models.every(({ capabilities }) => capabilities.includes('vision')) && (
        <Field name="images" label={say('images')} error={faultAt(fault, 'images')} hint={say('imagesHint')}>
          {(field) => (
            <TextArea
              {...field}
              value={draft.images}
              placeholder="https://"
              rows={1}
              onChange={(event) => change({ images: event.target.value })}
            />
          )}
        </Field>
      )}
      <Group title={say('sampling')}>
        <SamplingFields {...props} />
      </Group>
      <Group title={say('output')}>
        <OutputFields {...props} />
      </Group>
      <Group title={say('toolsGroup')}>
        <ToolFields {...props} />
      </Group>
      <Group title={say('request')}>
        <RequestFields {...props} />
      </Group>
    </section>
  );
}
