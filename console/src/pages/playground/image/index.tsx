/** Images: text-to-image, references and upscaling. */
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { editCodes, taskCodes } from '../shared/codes.ts';
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
import { commonFields, editBody, fieldOf, firstDraft, imageBody, nameEdit, quotedBody, quotedEdit } from './body.ts';
import { ImageFields } from './fields.tsx';
import { ImageRun } from './image-run.tsx';
import { noImages, type Own } from './own-images.tsx';
import { openImageTask } from './task-draft.ts';
import { texts } from './texts.ts';

export function Component() {
  const say = useTexts(texts);
  return (
    <PlaygroundFrame title={say('title')} description={say('description')} kinds={['image']}>
      {(facts, models) => <ImageForm facts={facts} models={models} />}
    </PlaygroundFrame>
  );
}

function ImageForm({ facts, models }: { facts: Facts; models: [ModelFacts, ...ModelFacts[]] }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const isBarred = useBar() !== undefined;
  const [draft, change] = useDraft('image', firstDraft);
  const [model, choose] = useChosenModel(models, draft.model);
  const { runs, begun, remove } = useRuns('image');
  const remember = useTaskHistory('image');
  const [own, setOwn] = useState(noImages);
  const isEdit = own.images.length > 0 && !draft.isUpscaling;
  const quoted = isEdit ? quotedEdit(draft, model) : quotedBody(draft, model);
  const quote = useQuote(isEdit ? '/images/edits' : '/images/generations', isBarred ? undefined : quoted);
  const { run, isBusy, error } = useBegin(async (body, key) => {
    const params = { path: { account }, header: { Prefer: 'wait=0', 'Idempotency-Key': key } };
    const { data } = isEdit
      ? await api.POST('/console/api/accounts/{account}/v1/images/edits', {
          params,
          body: await editBody(draft, model, own),
        })
      : await api.POST('/console/api/accounts/{account}/v1/images/generations', {
          params,
          body: { ...body, model: model.id },
        });
    if (!data) return;
    const one = { id: data.id, label: draft.prompt.trim() === '' ? say('upscale') : draft.prompt };
    begun(one);
    remember(one, model.id, { ...draft, model: model.id });
  });
  const fault = useFault(error, fieldOf);
  const body = imageBody(draft, model);
  const onModel = (id: string) => {
    choose(id);
    change({ model: id });
  };
  const open = (task: OpenedTask) => {
    const opened = openImageTask(task);
    if (!opened) return ['kind'];
    change(opened.draft);
    setOwn(opened.own);
    return opened.leftOut;
  };
  return (
    <TaskForm
      title={say('title')}
      fields={
        <>
          <TaskOpener models={models} onOpen={open} />
          <ImageFields
            draft={draft}
            change={change}
            models={models}
            model={model}
            onModel={onModel}
            fault={fault}
            own={own}
            onOwn={setOwn}
          />
        </>
      }
      quote={quote}
      history={
        <TaskHistory
          page="image"
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
      onRun={() => run(isEdit ? nameEdit(draft, model, own) : body)}
      results={runs.map((one) => (
        <ImageRun key={one.id} run={one} onRemove={() => remove(one.id)} />
      ))}
      codes={
        isEdit
          ? editCodes(facts.base_url, commonFields(draft, model), namesOf(own))
          : taskCodes(facts.base_url, '/images/generations', body)
      }
    />
  );
}

const namesOf = ({ images, mask }: Own) => ({ images: images.map(({ name }) => name), mask: mask?.name });
