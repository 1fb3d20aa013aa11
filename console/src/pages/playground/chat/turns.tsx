/** What was said so far in a lane, following what comes. */
import { useEffect, useRef } from 'react';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import type { Lane } from './lane.ts';
import { texts } from './texts.ts';
import { ToolResults } from './tool-results.tsx';
import { TurnCard } from './turn-card.tsx';

/** Nearer to the end than this, the list follows what comes. */
const nearPx = 80;

/** `isRaw`: answers as they came, and not as Markdown. */
export function Turns({ lane, isRaw }: { lane: Lane; isRaw: boolean }) {
  const say = useTexts(texts);
  const { turns, openCalls, isRunning, id } = lane;
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [turns]);
  if (turns.length === 0) return <EmptyState text={say('nothingYet')} />;
  return (
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
      {turns.map((turn, place) => (
        <TurnCard key={`${id} ${turn.requestId ?? place}`} {...{ turn, place, lane, isRaw }} />
      ))}
      {openCalls.length > 0 && !isRunning && (
        <ToolResults key={openCalls.map((call) => call.id).join(' ')} lane={lane} />
      )}
    </div>
  );
}
