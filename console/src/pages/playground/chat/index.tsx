/** Chat: talk to a model as your apps do, or to two at once. */
import { useState } from 'react';
import { randomHex } from '../../../parts/random-hex.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { linesOf } from '../shared/lines.ts';
import { CostBefore } from '../shared/cost-before.tsx';
import { useDraft } from '../shared/draft.ts';
import type { Facts, ModelFacts } from '../shared/facts.ts';
import { faultAt, useFault } from '../shared/fault.tsx';
import { focusField } from '../shared/field.tsx';
import { PlaygroundFrame, useChosenModel } from '../shared/frame.tsx';
import type { PastRun } from '../shared/history.ts';
import { useQuote } from '../shared/quote.ts';
import { useBar } from '../shared/who-may.ts';
import { useAttachments } from './attachments.ts';
import { chatRequest } from './chat-request.ts';
import { fieldOf, fieldOfOther } from './fault-fields.ts';
import { Composer } from './composer.tsx';
import { type Draft, firstDraft } from './draft.ts';
import { readChat, useRememberedChat } from './history.ts';
import { firstMistaken } from './json-fields.ts';
import { type Lane, useLane } from './lane.ts';
import { LaneView } from './lane-view.tsx';
import { LastCode } from './last-code.tsx';
import './chat.css';
import { ModelChoice } from './model-choice.tsx';
import type { OpenedRequest } from './request-draft.ts';
import { RequestOpener } from './request-opener.tsx';
import { Settings } from './settings.tsx';
import { withoutImageBytes } from './shortened.ts';
import { texts } from './texts.ts';
import { Toolbar } from './toolbar.tsx';
import { turnOf } from './turn.ts';

type Models = [ModelFacts, ...ModelFacts[]];

export function Component() {
  const say = useTexts(texts);
  return (
    <PlaygroundFrame title={say('title')} description={say('description')} kinds={['chat', 'code']}>
      {(facts, models) => <Chat facts={facts} models={models} />}
    </PlaygroundFrame>
  );
}

function Chat({ facts, models }: { facts: Facts; models: Models }) {
  const say = useTexts(texts);
  const isBarred = useBar() !== undefined;
  const [draft, change] = useDraft('chat', firstDraft);
  const [model, choose] = useChosenModel(models, draft.model);
  const other = otherModel(models, model, draft);
  const [first, second] = [useLane('chat.turns', model, draft), useLane('chat.other', other, draft)];
  const lanes: readonly [Lane, ...Lane[]] = draft.isComparing ? [first, second] : [first];
  const attachments = useAttachments();
  const [isTried, setTried] = useState(false);
  const takesFiles = lanes.every((lane) => lane.model.capabilities.includes('vision'));
  const said = {
    text: draft.text,
    images: takesFiles ? linesOf(draft.images) : [],
    files: takesFiles ? attachments.files : [],
  };
  const isRunning = lanes.some((lane) => lane.isRunning);
  const isMistaken = firstMistaken(draft) !== undefined;
  const isNothingSaid = said.text.trim() === '' && said.files.length === 0;
  const isAsItStands = isNothingSaid && lanes.every(({ isUnanswered }) => isUnanswered);
  const nextOf = (lane: Lane, text = draft.text) =>
    chatRequest(
      draft,
      lane.model,
      isAsItStands ? lane.turns : [...lane.turns, turnOf({ role: 'user', ...said, text })],
    );
  const quotedOf = (lane: Lane) =>
    isBarred || isRunning || isMistaken ? undefined : withoutImageBytes(nextOf(lane).body);
  const quote = useQuote('/chat/completions', quotedOf(first));
  const otherQuote = useQuote('/chat/completions', draft.isComparing ? quotedOf(second) : undefined);
  const faults = [useFault(first.error, fieldOf), useFault(second.error, fieldOfOther)] as const;
  const fault = faults[0] ?? (draft.isComparing ? faults[1] : undefined);
  useRememberedChat(draft, lanes);
  const onModel = (id: string) => {
    choose(id);
    change({ model: id });
  };
  const send = async () => {
    const mistaken = firstMistaken(draft);
    setTried(mistaken !== undefined);
    if (mistaken !== undefined) {
      focusField(mistaken);
      return;
    }
    const { files } = attachments;
    change({ text: '', images: '' });
    if (takesFiles) attachments.replace([]);
    const areSaid = await Promise.all(lanes.map((lane) => (isAsItStands ? lane.answer() : lane.say(said))));
    if (areSaid.some((isSaid) => isSaid)) return;
    change({ text: draft.text, images: draft.images });
    attachments.replace(files);
  };
  const compare = (isComparing: boolean) => {
    // The second lane goes on from what was said in the first.
    if (isComparing) second.begin({ id: first.id, turns: first.turns });
    else second.stop();
    change({ isComparing });
  };
  const keep = (lane: Lane) => {
    if (lane === second) {
      first.begin({ id: first.id, turns: second.turns });
      onModel(second.model.id);
    }
    change({ isComparing: false });
  };
  const reopen = (run: PastRun) => {
    const { draft: form, lanes: turns } = readChat(run);
    change(form);
    choose(form.model);
    for (const [index, lane] of [first, second].entries()) lane.begin({ id: run.id, turns: turns[index] ?? [] });
  };
  const open = (opened: OpenedRequest) => {
    attachments.replace([]);
    change(opened.draft);
    choose(opened.draft.model);
    first.begin({ id: randomHex(), turns: opened.turns });
    second.begin();
  };
  return (
    <div className="tg-chat">
      <Settings {...{ draft, change, fault, isTried }} models={lanes.map((lane) => lane.model)}>
        <ModelChoice
          {...{ models, model, onModel }}
          other={draft.isComparing ? other : undefined}
          onOther={(id) => change({ otherModel: id })}
          onCompare={compare}
          errors={{ model: faultAt(faults[0], 'model'), other: faultAt(faults[1], 'otherModel') }}
        />
      </Settings>
      <div className="tg-chat-main">
        <RequestOpener models={models} onOpen={open} />
        <Toolbar
          isRaw={draft.isRaw}
          onRaw={(isRaw) => change({ isRaw })}
          hasTurns={lanes.some(({ turns }) => turns.length > 0)}
          onClear={() => {
            for (const lane of [first, second]) lane.begin();
          }}
          onOpen={reopen}
        />
        <div className="tg-lanes" data-lanes={lanes.length}>
          {lanes.map((lane, index) => (
            <LaneView
              key={lane.name}
              lane={lane}
              fault={faults[index]}
              isRaw={draft.isRaw}
              onKeep={draft.isComparing ? () => keep(lane) : undefined}
            />
          ))}
        </div>
        <Composer
          {...{ draft, change, attachments, takesFiles, isBarred, isRunning }}
          isUnanswered={isAsItStands}
          textError={faultAt(fault, 'text')}
          isWaiting={lanes.some(({ openCalls, isRunning: isAnswered }) => openCalls.length > 0 && !isAnswered)}
          onSend={() => void send()}
          onStop={() => {
            for (const lane of lanes) lane.stop();
          }}
          cost={<CostBefore quote={quote} {...(draft.isComparing && { other: otherQuote })} />}
        />
      </div>
      <LastCode
        baseUrl={facts.base_url}
        lanes={lanes}
        exampleOf={(lane) => nextOf(lane, draft.text.trim() === '' ? say('example') : draft.text)}
      />
    </div>
  );
}

/** The one that was chosen to be compared with, else one that is not asked already. */
function otherModel(models: Models, model: ModelFacts, { otherModel: id }: Draft): ModelFacts {
  return models.find((one) => one.id === id) ?? models.find((one) => one !== model && !one.maintenance) ?? models[0];
}
