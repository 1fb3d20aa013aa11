/** Speech: a text is spoken, and played here. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button, Input, InputNumber, Select } from 'antd';
import { send } from '../../../api/send.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { speechCodes } from '../shared/audio-codes.ts';
import { CallCard } from '../shared/call-card.tsx';
import { createCalls } from '../shared/calls.ts';
import { readDraftFrom, useDraft } from '../shared/draft.ts';
import type { Facts, ModelFacts } from '../shared/facts.ts';
import { faultAt, type FieldOf, useFault } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { PlaygroundFrame, useChosenModel } from '../shared/frame.tsx';
import type { PastRun } from '../shared/history.ts';
import { HistoryButton } from '../shared/history-button.tsx';
import { newRequestId } from '../shared/ids.ts';
import { ModelField } from '../shared/model-field.tsx';
import { useQuote } from '../shared/quote.ts';
import { useBegin } from '../shared/runs.ts';
import { TaskForm } from '../shared/task-form.tsx';
import { useTaskHistory } from '../shared/task-history.tsx';
import { TextArea } from '../shared/text-area.tsx';
import { useBar } from '../shared/who-may.ts';
import { playgroundTexts } from '../texts.ts';
import { texts } from './texts.ts';

/** Those that browsers play. */
const formats = ['mp3', 'wav', 'opus', 'aac', 'flac'] as const;
/** As the operation allows. */
const charactersMax = 4_096;
const firstDraft: { model: string; input: string; voice: string; format: string; speed: number | null } = {
  ...{ model: '', input: '', voice: 'alloy', format: 'mp3', speed: null },
};
const fields: Readonly<Record<string, string>> = {
  ...{ model: 'model', input: 'input', voice: 'voice', response_format: 'format', speed: 'speed' },
};
const fieldOf: FieldOf = (param) => fields[param];

interface Spoken {
  /** Of a blob. */
  address: string;
  format: string;
}

const useSpoken = createCalls<Spoken>('speech', ({ address }) => URL.revokeObjectURL(address));

export function Component() {
  const say = useTexts(texts);
  return (
    <PlaygroundFrame title={say('title')} description={say('description')} kinds={['speech']}>
      {(facts, models) => <SpeechForm facts={facts} models={models} />}
    </PlaygroundFrame>
  );
}

function SpeechForm({ facts, models }: { facts: Facts; models: [ModelFacts, ...ModelFacts[]] }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  const number = new Intl.NumberFormat(localeOf(useLanguage()));
  const account = useAccountId();
  const isBarred = useBar() !== undefined;
  const [draft, change] = useDraft('speech', firstDraft);
  const [model, choose] = useChosenModel(models, draft.model);
  const { calls, made, remove } = useSpoken();
  const remember = useTaskHistory('speech');
  const { input, voice, format, speed } = draft;
  const body = { model: model.id, input, voice, response_format: format, ...(speed !== null && { speed }) };
  const quote = useQuote('/audio/speech', isBarred || input === '' ? undefined : body);
  const { run, isBusy, error } = useBegin(async (asked, key) => {
    const requestId = newRequestId();
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key, 'X-Request-Id': requestId };
    const path = `/console/api/accounts/${account}/v1/audio/speech`;
    const answer = await send(new Request(path, { method: 'POST', headers, body: JSON.stringify(asked) }));
    const address = URL.createObjectURL(await answer.blob());
    made({ requestId, label: input, result: { address, format } });
    remember({ id: requestId, label: input }, model.id, { ...draft, model: model.id });
  });
  const fault = useFault(error, fieldOf);
  const reopen = ({ values }: PastRun) => {
    const form = readDraftFrom(values, firstDraft);
    change(form);
    choose(form.model);
  };
  return (
    <TaskForm
      title={say('title')}
      fields={
        <>
          <ModelField
            models={models}
            model={model}
            onChange={(id) => {
              choose(id);
              change({ model: id });
            }}
            error={faultAt(fault, 'model')}
          />
          <Field
            name="input"
            label={say('input')}
            error={faultAt(fault, 'input')}
            hint={say('inputHint', { count: Array.from(input).length, most: number.format(charactersMax) })}
          >
            {(props) => (
              <TextArea
                {...props}
                value={input}
                onChange={(event) => change({ input: event.target.value })}
                placeholder={say('inputPlaceholder')}
                rows={3}
              />
            )}
          </Field>
          <Field name="voice" label={say('voice')} error={faultAt(fault, 'voice')} hint={say('voiceHint')}>
            {(props) => <Input {...props} value={voice} onChange={(event) => change({ voice: event.target.value })} />}
          </Field>
          <div className="tg-fields">
            <Field name="format" label={say('format')} error={faultAt(fault, 'format')}>
              {(props) => (
                <Select
                  {...props}
                  value={format}
                  onChange={(chosen) => change({ format: chosen })}
                  options={formats.map((name) => ({ value: name, label: name }))}
                />
              )}
            </Field>
            <Field name="speed" label={say('speed')} error={faultAt(fault, 'speed')} hint={say('speedHint')}>
              {(props) => (
                <InputNumber {...props} step={0.25} value={speed} onChange={(chosen) => change({ speed: chosen })} />
              )}
            </Field>
          </div>
        </>
      }
      quote={quote}
      history={<HistoryButton page="speech" onOpen={reopen} />}
      fault={fault}
      isBusy={isBusy}
      onRun={() => run(body)}
      results={calls.map((call) => (
        <CallCard key={call.requestId} call={call} onRemove={() => remove(call.requestId)}>
          <audio className="tg-audio" src={call.result.address} controls aria-label={say('audio')} />
          <Button href={call.result.address} download={`speech.${call.result.format}`} icon={<DownloadOutlined />}>
            {sayShared('save')}
          </Button>
        </CallCard>
      ))}
      codes={speechCodes(facts.base_url, body, `speech.${format}`)}
    />
  );
}
