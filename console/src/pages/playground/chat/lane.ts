/** One side of a comparison, or the only one: a conversation with a model, and what can be done with it. */
import { useStore } from '../../../api/store.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useDraftName } from '../shared/draft.ts';
import type { ModelFacts } from '../shared/facts.ts';
import { chatRequest } from './chat-request.ts';
import { ask, begin, type Conversation, conversationOf, replaceTurns, stop } from './conversation.ts';
import type { Draft } from './draft.ts';
import { openCallsOf, type ToolCall, type Turn, turnOf } from './turn.ts';

export interface Lane extends Conversation {
  /** Under which its turns are kept. */
  name: string;
  model: ModelFacts;
  isRunning: boolean;
  /** Tool calls that wait for their results. */
  openCalls: readonly ToolCall[];
  /** Says something; false if it was refused, and the conversation is as before. */
  say: (said: Pick<Turn, 'text' | 'images' | 'files'>) => Promise<boolean>;
  /** Whether the last word is not the model's: then it can be asked for without saying more. */
  isUnanswered: boolean;
  /** Has what was said answered as it stands. */
  answer: () => Promise<boolean>;
  /** Has the answer at this place given once more, and drops what follows it. */
  regenerate: (place: number) => void;
  /** Changes the text at this place. What a person said is asked again, and what follows it is dropped. */
  edit: (place: number, text: string) => void;
  /** Goes on with the results of the open calls, in their order. */
  giveResults: (results: readonly string[]) => void;
  stop: () => void;
  /** Begins anew: with nothing, or with these turns. */
  begin: (from?: { id: string; turns: readonly Turn[] }) => void;
}

/** The lane whose turns are kept under `page`. */
export function useLane(page: string, model: ModelFacts, draft: Draft): Lane {
  const account = useAccountId();
  const name = useDraftName(page);
  const conversation = useStore(conversationOf(name));
  const { turns } = conversation;
  const openCalls = openCallsOf(turns);
  const askWith = (asked: readonly Turn[]) =>
    ask({ name, account, model: model.id }, asked, (all) => chatRequest(draft, model, all));
  return {
    ...conversation,
    ...{ name, model, openCalls },
    isRunning: turns.at(-1)?.end === 'running',
    isUnanswered: isUnanswered(turns, openCalls),
    answer: () => askWith(turns),
    say: (said) => askWith([...turns, turnOf({ role: 'user', ...said })]),
    regenerate: (place) => void askWith(turns.slice(0, place)),
    edit: (place, text) => {
      const turn = turns[place];
      if (!turn) return;
      const edited = { ...turn, text, message: null };
      if (turn.role === 'user') void askWith([...turns.slice(0, place), edited]);
      else replaceTurns(name, turns.with(place, edited));
    },
    giveResults: (results) => {
      const given = openCalls.map(({ id }, index) => turnOf({ role: 'tool', callId: id, text: results[index] ?? '' }));
      void askWith([...turns, ...given]);
    },
    stop: () => stop(name),
    begin: (from) => begin(name, from),
  };
}

const isUnanswered = (turns: readonly Turn[], openCalls: readonly ToolCall[]): boolean => {
  const last = turns.at(-1);
  return last !== undefined && last.role !== 'assistant' && openCalls.length === 0;
};
