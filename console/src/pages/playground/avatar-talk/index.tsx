/** Avatar talk: two files become a video, which is fetched once. */
import { Input } from 'antd';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useStore } from '../../../api/store.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { talkCodes } from '../shared/codes.ts';
import { readDraftFrom, useDraft, useDraftName } from '../shared/draft.ts';
import type { Facts, ModelFacts } from '../shared/facts.ts';
import { faultAt, type FieldOf, useFault } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { FileDrop } from '../shared/file-drop.tsx';
import type { PastRun } from '../shared/history.ts';
import { HistoryButton } from '../shared/history-button.tsx';
import { PlaygroundFrame, useChosenModel } from '../shared/frame.tsx';
import { ModelField } from '../shared/model-field.tsx';
import { useQuote } from '../shared/quote.ts';
import { TaskForm } from '../shared/task-form.tsx';
import { useTaskHistory } from '../shared/task-history.tsx';
import { type OpenedTask, TaskOpener } from '../shared/task-opener.tsx';
import { useBar } from '../shared/who-may.ts';
import { Result } from './result.tsx';
import { begin, runOf } from './run.ts';
import { type Chosen, type FileName, look } from './sniff.ts';
import { texts } from './texts.ts';

const MiB = 1024 * 1024;
const firstDraft = { model: '', template: '' };
/** The API's own, of a request that named none. */
const defaultTemplate = '不使用分身';
const fields: Readonly<Record<string, string>> = {
  audio: 'audio',
  video: 'video',
  audio_seconds: 'audio',
  template_name: 'template',
  model: 'model',
};
const fieldOf: FieldOf = (param) => fields[param];

export function Component() {
  const say = useTexts(texts);
  return (
    <PlaygroundFrame title={say('title')} description={say('description')} kinds={['avatar-talk']}>
      {(facts, models) => <TalkForm facts={facts} models={models} />}
    </PlaygroundFrame>
  );
}

type Files = Partial<Record<FileName, Chosen>>;

function TalkForm({ facts, models }: { facts: Facts; models: [ModelFacts, ...ModelFacts[]] }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  const runKey = { name: useDraftName('avatar-talk.task'), account: useAccountId() };
  const isBarred = useBar() !== undefined;
  const [draft, change] = useDraft('avatar-talk', firstDraft);
  const [model, choose] = useChosenModel(models, draft.model);
  const [files, setFiles] = useState<Files>({});
  const [isTried, setTried] = useState(false);
  const run = useStore(runOf(runKey));
  const remember = useTaskHistory('avatar-talk');
  const [, setSearch] = useSearchParams();
  const { audio, video } = files;
  const seconds = audio?.mistake === undefined ? audio?.seconds : undefined;
  const quoted = seconds
    ? { model: model.id, audio_seconds: Math.max(0.001, Math.round(seconds * 1000) / 1000) }
    : undefined;
  const quote = useQuote('/svctalk/generate', isBarred ? undefined : quoted);
  const fault = useFault(run.step === 'refused' ? run.error : undefined, fieldOf);
  const isBusy = run.step === 'uploading' || run.step === 'processing' || run.step === 'fetching';
  const template: Record<string, string> = draft.template.trim() === '' ? {} : { template_name: draft.template };
  const { uploads } = facts;
  const megabytes = { audio: uploads.audio_bytes / MiB, video: uploads.video_bytes / MiB };

  const choosing = (name: FileName) => (file: File) => {
    setFiles((before) => ({ ...before, [name]: { file, seconds: null, mistake: undefined } }));
    void look(name, file, facts).then((chosen) =>
      setFiles((before) => (before[name]?.file === file ? { ...before, [name]: chosen } : before)),
    );
  };
  const start = () => {
    setTried(true);
    if (!audio || !video || audio.mistake !== undefined || video.mistake !== undefined) return;
    const form = new FormData();
    form.set('model', model.id);
    for (const [name, text] of Object.entries(template)) form.set(name, text);
    form.set('audio', audio.file);
    form.set('video', video.file);
    const label = `${audio.file.name}, ${video.file.name}`;
    void begin(runKey, form, (id) => remember({ id, label }, model.id, { ...draft, model: model.id }));
  };
  const open = ({ model: id, request, files: kept }: OpenedTask) => {
    if (request.kind !== 'avatar_talk') return ['kind'];
    change({ model: id, template: request.template_name === defaultTemplate ? '' : request.template_name });
    for (const name of ['audio', 'video'] as const) {
      const file = kept.get(name);
      if (file) choosing(name)(file);
    }
    return request.webhook_url === null ? [] : ['webhook_url'];
  };
  // What the task asked for is read again, with its files while they are kept.
  const reopen = ({ id, values }: PastRun) => {
    change(readDraftFrom(values, firstDraft));
    setSearch({ task: id });
  };
  const errorAt = (name: FileName): string | undefined => {
    const chosen = files[name];
    if (!chosen) return faultAt(fault, name) ?? (isTried && !isBusy ? sayShared('missingFile') : undefined);
    if (chosen.mistake === undefined) return faultAt(fault, name);
    return say(chosen.mistake, { megabytes: megabytes[name], seconds: uploads.audio_seconds });
  };
  const drop = (name: FileName, hint: string, accept: string) => (
    <FileDrop
      name={name}
      label={say(name)}
      hint={hint}
      accept={accept}
      chosen={files[name]}
      error={errorAt(name)}
      isDisabled={isBarred || isBusy}
      onFile={choosing(name)}
    />
  );
  return (
    <TaskForm
      title={say('title')}
      fields={
        <>
          <TaskOpener models={models} onOpen={open} />
          <ModelField
            models={models}
            model={model}
            onChange={(id) => {
              choose(id);
              change({ model: id });
            }}
            error={faultAt(fault, 'model')}
          />
          {drop(
            'audio',
            say('audioHint', { megabytes: megabytes.audio, seconds: uploads.audio_seconds }),
            '.wav,.mp3,audio/wav,audio/mpeg',
          )}
          {drop('video', say('videoHint', { megabytes: megabytes.video }), '.mp4,video/mp4')}
          <Field name="template" label={say('template')} hint={say('templateHint')} error={faultAt(fault, 'template')}>
            {(props) => (
              <Input {...props} value={draft.template} onChange={(event) => change({ template: event.target.value })} />
            )}
          </Field>
        </>
      }
      quote={quote}
      history={<HistoryButton page="avatar-talk" onOpen={reopen} />}
      fault={fault}
      isBusy={isBusy}
      onRun={start}
      results={[<Result key="run" run={run} runKey={runKey} />]}
      codes={talkCodes(facts.base_url, {
        audio: audio?.file.name ?? 'speech.wav',
        video: video?.file.name ?? 'footage.mp4',
        fields: { model: model.id, ...template },
      })}
    />
  );
}
