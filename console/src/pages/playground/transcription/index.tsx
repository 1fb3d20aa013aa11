/** Transcription: a file of speech becomes text. */
import { Input } from 'antd';
import { useState } from 'react';
import { send } from '../../../api/send.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { textOf } from '../../../parts/json.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { transcriptionCodes } from '../shared/audio-codes.ts';
import { CallCard } from '../shared/call-card.tsx';
import { createCalls } from '../shared/calls.ts';
import { readDraftFrom, useDraft } from '../shared/draft.ts';
import type { Facts, ModelFacts } from '../shared/facts.ts';
import { faultAt, type FieldOf, useFault } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { type ChosenFile, FileDrop } from '../shared/file-drop.tsx';
import { PlaygroundFrame, useChosenModel } from '../shared/frame.tsx';
import type { PastRun } from '../shared/history.ts';
import { HistoryButton } from '../shared/history-button.tsx';
import { newRequestId } from '../shared/ids.ts';
import { mediaSeconds } from '../shared/media-seconds.ts';
import { ModelField } from '../shared/model-field.tsx';
import { useQuote } from '../shared/quote.ts';
import { useBegin } from '../shared/runs.ts';
import { TaskForm } from '../shared/task-form.tsx';
import { useTaskHistory } from '../shared/task-history.tsx';
import { useBar } from '../shared/who-may.ts';
import { playgroundTexts } from '../texts.ts';
import { texts } from './texts.ts';

const MiB = 1024 * 1024;
const firstDraft = { model: '', language: '', prompt: '' };
const names = ['model', 'file', 'language', 'prompt'];
const fieldOf: FieldOf = (param) => names.find((name) => name === param);

const useTranscripts = createCalls<string>('transcription');

export function Component() {
  const say = useTexts(texts);
  return (
    <PlaygroundFrame title={say('title')} description={say('description')} kinds={['transcription']}>
      {(facts, models) => <TranscriptionForm facts={facts} models={models} />}
    </PlaygroundFrame>
  );
}

function TranscriptionForm({ facts, models }: { facts: Facts; models: [ModelFacts, ...ModelFacts[]] }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  const account = useAccountId();
  const isBarred = useBar() !== undefined;
  const [draft, change] = useDraft('transcription', firstDraft);
  const [model, choose] = useChosenModel(models, draft.model);
  const [chosen, setChosen] = useState<ChosenFile>();
  const [isTried, setTried] = useState(false);
  const { calls, made, remove } = useTranscripts();
  const remember = useTaskHistory('transcription');
  const fields: Record<string, string> = {
    model: model.id,
    ...(draft.language.trim() !== '' && { language: draft.language.trim() }),
    ...(draft.prompt.trim() !== '' && { prompt: draft.prompt }),
  };
  const megabytes = facts.uploads.audio_bytes / MiB;
  const isTooLarge = chosen !== undefined && chosen.file.size > facts.uploads.audio_bytes;
  const seconds = chosen?.seconds ?? 0;
  const quoted = { ...fields, audio_seconds: Math.max(0.001, Math.round(seconds * 1000) / 1000) };
  const quote = useQuote('/audio/transcriptions', isBarred || seconds === 0 ? undefined : quoted);
  const { run, isBusy, error } = useBegin(async (_, key) => {
    if (!chosen) return;
    const requestId = newRequestId();
    const form = new FormData();
    for (const [name, text] of Object.entries(fields)) form.set(name, text);
    form.set('file', chosen.file);
    const headers = { 'Idempotency-Key': key, 'X-Request-Id': requestId };
    const path = `/console/api/accounts/${account}/v1/audio/transcriptions`;
    const answer = await send(new Request(path, { method: 'POST', headers, body: form }));
    const call = { requestId, label: chosen.file.name, result: transcriptOf(await answer.json()) };
    made(call);
    const values = { ...draft, model: model.id, transcript: call.result };
    remember({ id: requestId, label: call.label }, model.id, values);
  });
  const fault = useFault(error, fieldOf);
  const reopen = ({ id, label, values }: PastRun) => {
    const form = readDraftFrom(values, firstDraft);
    change(form);
    choose(form.model);
    if (!calls.some(({ requestId }) => requestId === id))
      made({ requestId: id, label, result: textOf(values['transcript']) });
  };
  const fileError = (): string | undefined => {
    if (!chosen) return isTried ? sayShared('missingFile') : faultAt(fault, 'file');
    return isTooLarge ? say('tooLarge', { megabytes }) : faultAt(fault, 'file');
  };
  const take = (file: File) => {
    setChosen({ file, seconds: null });
    void mediaSeconds('audio', file).then((known) =>
      setChosen((before) => (before?.file === file ? { file, seconds: known } : before)),
    );
  };
  const text = (name: 'language' | 'prompt') => (
    <Field name={name} label={say(name)} hint={say(`${name}Hint`)} error={faultAt(fault, name)}>
      {(props) => <Input {...props} value={draft[name]} onChange={(event) => change({ [name]: event.target.value })} />}
    </Field>
  );
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
          <FileDrop
            name="file"
            label={say('file')}
            hint={say('fileHint', { megabytes })}
            accept="audio/*,.flac,.mp3,.mp4,.m4a,.ogg,.wav,.webm"
            chosen={chosen}
            error={fileError()}
            isDisabled={isBarred || isBusy}
            onFile={take}
          />
          {text('language')}
          {text('prompt')}
        </>
      }
      quote={quote}
      history={<HistoryButton page="transcription" onOpen={reopen} />}
      fault={fault}
      isBusy={isBusy}
      onRun={() => {
        setTried(true);
        // What makes it the same request: its fields and its file.
        if (chosen && !isTooLarge)
          run({ ...fields, file: [chosen.file.name, chosen.file.size, chosen.file.lastModified] });
      }}
      results={calls.map((call) => (
        <CallCard key={call.requestId} call={call} onRemove={() => remove(call.requestId)}>
          <p className="tg-break">{call.result}</p>
          <CopyButton text={call.result} label={say('copy')} withLabel type="default" />
        </CallCard>
      ))}
      codes={transcriptionCodes(facts.base_url, fields, chosen?.file.name ?? 'speech.wav')}
    />
  );
}

/** An upstream's own answer, in JSON, which is not asked for in any other form. */
function transcriptOf(answer: unknown): string {
  const text = typeof answer === 'object' && answer !== null && 'text' in answer ? answer.text : undefined;
  return typeof text === 'string' ? text : JSON.stringify(answer);
}
