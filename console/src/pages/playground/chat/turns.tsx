/** What was said so far, with what each answer cost. */
import { Button } from 'antd';
import { useEffect, useRef } from 'react';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { Receipt } from '../shared/receipt.tsx';
import type { Turn } from './conversation.ts';
import { MessageText } from './message-text.tsx';
import { texts } from './texts.ts';

/** Nearer to the end than this, the list follows what comes. */
const nearPx = 80;

export function Turns({ turns, onClear }: { turns: readonly Turn[]; onClear: () => void }) {
  const say = useTexts(texts);
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [turns]);
  if (turns.length === 0) return <EmptyState text={say('nothingYet')} />;
  return (
    <>
      <div
        ref={list}
        className="tg-turns"
        role="log"
        tabIndex={0}
        aria-label={say('conversation')}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx;
        }}
      >
        {turns.map((turn, index) => (
          <TurnCard key={turn.requestId ?? index} turn={turn} />
        ))}
      </div>
      <div className="tg-composer-actions">
        <Button size="small" onClick={onClear}>
          {say('clear')}
        </Button>
      </div>
    </>
  );
}

function TurnCard({ turn: { role, text, images, requestId, end } }: { turn: Turn }) {
  const say = useTexts(texts);
  const name = role === 'user' ? say('you') : say('assistant');
  return (
    <article className={`tg-turn tg-turn-${role}`} aria-label={name}>
      <h3>{name}</h3>
      <MessageText text={text} />
      {images.map((address, index) => (
        <p key={index} className="tg-break">
          {address}
        </p>
      ))}
      {end === 'running' && text === '' && <p className="tg-play-quiet">{say('waiting')}</p>}
      {(end === 'stopped' || end === 'broken' || end === 'length') && <p className="tg-play-quiet">{say(end)}</p>}
      {requestId !== null && end !== 'running' && <Receipt of={{ request_id: requestId }} isOver />}
    </article>
  );
}
