/** One turn, with what it cost, how long it took, and what can be done with it. */
import { useState } from 'react';
import { useTexts } from '../../../texts/define-texts.ts';
import { Receipt } from '../shared/receipt.tsx';
import { AnswerText } from './answer-text.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { EditTurn } from './edit-turn.tsx';
import type { Lane } from './lane.ts';
import { texts } from './texts.ts';
import { Timing } from './timing.tsx';
import { ToolCallList } from './tool-call-list.tsx';
import type { Turn } from './turn.ts';
import { TurnActions } from './turn-actions.tsx';

interface Props {
  turn: Turn;
  /** Among the turns of the lane. */
  place: number;
  lane: Lane;
  isRaw: boolean;
}

const names = { user: 'you', assistant: 'assistant', tool: 'toolResult', system: 'systemTurn' } as const;

export function TurnCard({ turn, place, lane, isRaw }: Props) {
  const say = useTexts(texts);
  const [isEdited, setEdited] = useState(false);
  const { role, text, images, files, thoughts, calls, callId, model, requestId, end } = turn;
  const name = say(names[role]);
  const isOver = requestId !== null && end !== 'running';
  return (
    <article className={`tg-turn tg-turn-${role}`} aria-label={name}>
      <header>
        <h3>
          {name} {(model !== '' || callId !== null) && <small>{callId ?? model}</small>}
        </h3>
        {end !== 'running' && !isEdited && (
          <TurnActions {...{ turn, place, lane }} onEdit={role === 'tool' ? undefined : () => setEdited(true)} />
        )}
      </header>
      {thoughts !== '' && (
        <details className="tg-thoughts">
          <summary>{say('thoughts')}</summary>
          <p>{thoughts}</p>
        </details>
      )}
      {isEdited ? (
        <EditTurn
          turn={turn}
          onCancel={() => setEdited(false)}
          onSave={(changed) => {
            setEdited(false);
            lane.edit(place, changed);
          }}
        />
      ) : role === 'assistant' ? (
        <AnswerText text={text} isRaw={isRaw} />
      ) : (
        text !== '' && <p className="tg-plain">{text}</p>
      )}
      <AttachmentList files={files} />
      {images.map((address, index) => (
        <p key={index} className="tg-break">
          {address}
        </p>
      ))}
      <ToolCallList calls={calls} />
      {end === 'running' && text === '' && calls.length === 0 && <p className="tg-play-quiet">{say('waiting')}</p>}
      {(end === 'stopped' || end === 'broken' || end === 'length') && <p className="tg-play-quiet">{say(end)}</p>}
      {isOver && <Timing turn={turn} />}
      {isOver && <Receipt of={{ request_id: requestId }} isOver />}
    </article>
  );
}
