/** Videos: from words, from an image, and of avatars. */
import { api } from '../../../api/client.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { taskCodes } from '../shared/codes.ts';
import { useDraft } from '../shared/draft.ts';
import type { Facts, ModelFacts } from '../shared/facts.ts';
import { useFault } from '../shared/fault.tsx';
import { PlaygroundFrame, useChosenModel } from '../shared/frame.tsx';
import { useQuote } from '../shared/quote.ts';
import { useBegin, useRuns } from '../shared/runs.ts';
import { TaskForm } from '../shared/task-form.tsx';
import { TaskHistory, useTaskHistory } from '../shared/task-history.tsx';
import { type OpenedTask, TaskOpener } from '../shared/task-opener.tsx';
import { useBar } from '../shared/who-may.ts';
import { fieldOf, firstDraft, quotedBody, videoBody } from './body.ts';
import { VideoFields } from './fields.tsx';
import { openVideoTask } from './task-draft.ts';
import { texts } from './texts.ts';
import { VideoRun } from './video-run.tsx';

export function Component() {
  const say = useTexts(texts);
  const kinds = ['video', 'avatar-video', 'avatar-image'] as const;
  return (
    <PlaygroundFrame title={say('title')} description={say('description')} kinds={kinds}>
      {(facts, models) => <VideoForm facts={facts} models={models} />}
    </PlaygroundFrame>
  );
}

function VideoForm({ facts, models }: { facts: Facts; models: [ModelFacts, ...ModelFacts[]] }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const isBarred = useBar() !== undefined;
  const [draft, change] = useDraft('video', firstDraft);
  const [model, choose] = useChosenModel(models, draft.model);
  const { runs, begun, remove } = useRuns('video');
  const remember = useTaskHistory('video');
  const quote = useQuote('/video/generations', isBarred ? undefined : quotedBody(draft, model));
  const { run, isBusy, error } = useBegin(async (body, key) => {
    const params = { path: { account }, header: { Prefer: 'wait=0', 'Idempotency-Key': key } };
    const { data } = await api.POST('/console/api/accounts/{account}/v1/video/generations', {
      params,
      body: { ...body, model: model.id },
    });
    if (!data) return;
    const one = { id: data.id, label: draft.prompt.trim() === '' ? say('avatar') : draft.prompt };
    begun(one);
    remember(one, model.id, { ...draft, model: model.id });
  });
  const fault = useFault(error, fieldOf);
  const body = videoBody(draft, model);
  const onModel = (id: string) => {
    choose(id);
    change({ model: id });
  };
  const open = (task: OpenedTask) => {
    const opened = openVideoTask(task);
    if (!opened) return ['kind'];
    change(opened.draft);
    return opened.leftOut;
  };
  return (
    <TaskForm
      title={say('title')}
      fields={
        <>
          <TaskOpener models={models} onOpen={open} />
          <VideoFields draft={draft} change={change} models={models} model={model} onModel={onModel} fault={fault} />
        </>
      }
      quote={quote}
      history={
        <TaskHistory
          page="video"
          first={firstDraft}
          runs={runs}
          onRun={begun}
          onOpen={(form) => {
            change(form);
            choose(form.model);
          }}
        />
      }
      fault={fault}
      isBusy={isBusy}
      onRun={() => run(body)}
      results={runs.map((one) => (
        <VideoRun key={one.id} run={one} onRemove={() => remove(one.id)} />
      ))}
      codes={taskCodes(facts.base_url, '/video/generations', body)}
    />
  );
}
