/**
 * A conversation: what was said so far, and the answer that is coming. It lives outside of the page, so that an answer
 * goes on while the reader looks elsewhere, and is kept in the tab.
 */
import { ConsoleError, toConsoleError } from '../../../api/error.ts';
import { send } from '../../../api/send.ts';
import { createStore, type Store } from '../../../api/store.ts';
import { keep, kept } from '../shared/draft.ts';
import { newRequestId } from '../shared/ids.ts';
import { BrokenStream, readPieces } from './events.ts';

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  /** Addresses that were sent with it. */
  images: string[];
  /** Of an answer: the request that finds its cost in the ledger. */
  requestId: string | null;
  end: 'running' | 'whole' | 'length' | 'stopped' | 'broken' | null;
}

export interface Conversation {
  turns: readonly Turn[];
  /** Why the last message got no answer; it is in the form again. */
  error: unknown;
}

/** A conversation and the controller that stops it. */
interface Kept {
  store: Store<Conversation>;
  abort: AbortController | undefined;
}

const conversations = new Map<string, Kept>();

/** The conversation of this name; a reload finds what was said before it. */
export function conversationOf(name: string): Store<Conversation> {
  return keptOf(name).store;
}

/**
 * Says something and has it answered. `bodyOf` makes the request of all turns. Returns whether it was sent: what was
 * refused is taken back.
 */
export async function say(
  { name, account }: { name: string; account: string },
  said: { text: string; images: string[] },
  bodyOf: (turns: readonly Turn[]) => Record<string, unknown>,
): Promise<boolean> {
  const { store } = keptOf(name);
  const before = store.get().turns;
  const requestId = newRequestId();
  const asked: Turn[] = [...before, { role: 'user', ...said, requestId: null, end: null }];
  const abort = new AbortController();
  keptOf(name).abort = abort;
  const isCleared = () => keptOf(name).abort !== abort;
  let answer: Turn = { role: 'assistant', text: '', images: [], requestId, end: 'running' };
  const show = (change: Partial<Turn>) => {
    answer = { ...answer, ...change };
    put(name, { turns: [...asked, answer], error: undefined }, answer.end !== 'running');
  };
  show({});
  try {
    const body = await open(account, bodyOf(asked), requestId, abort.signal);
    const finish = await readPieces(body, (text) => show({ text: answer.text + text }));
    show({ end: finish === 'length' ? 'length' : 'whole' });
    return true;
  } catch (error) {
    if (isCleared()) return true;
    if (abort.signal.aborted) show({ end: 'stopped' });
    else if (error instanceof BrokenStream || answer.text !== '') {
      show({ end: 'broken' });
      put(name, { turns: [...asked, answer], error }, true);
    } else {
      put(name, { turns: before, error: toConsoleError(error) }, true);
      return false;
    }
    return true;
  }
}

export const stop = (name: string): void => keptOf(name).abort?.abort();

export function clear(name: string): void {
  stop(name);
  keptOf(name).abort = undefined; // what stops late writes nothing any more
  put(name, { turns: [], error: undefined }, true);
}

async function open(
  account: string,
  body: Record<string, unknown>,
  requestId: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const answer = await send(
    new Request(`/console/api/accounts/${account}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': requestId },
      body: JSON.stringify(body),
      signal,
    }),
  );
  if (!answer.body) throw new ConsoleError('The answer is empty.', { code: 'unexpected', status: -1 });
  return answer.body;
}

function put(name: string, next: Conversation, isSettled: boolean): void {
  keptOf(name).store.set(next);
  if (isSettled) keep(name, next.turns);
}

function keptOf(name: string): Kept {
  let found = conversations.get(name);
  if (!found) {
    found = { store: createStore<Conversation>({ turns: readTurns(name), error: undefined }), abort: undefined };
    conversations.set(name, found);
  }
  return found;
}

function readTurns(name: string): Turn[] {
  const stored = kept(name);
  return Array.isArray(stored) && stored.every(isTurn) ? stored : [];
}

const ends: readonly unknown[] = ['whole', 'length', 'stopped', 'broken', null];

function isTurn(value: unknown): value is Turn {
  if (typeof value !== 'object' || value === null) return false;
  const turn: Partial<Record<keyof Turn, unknown>> = value;
  return (
    (turn.role === 'user' || turn.role === 'assistant') &&
    typeof turn.text === 'string' &&
    Array.isArray(turn.images) &&
    turn.images.every((image) => typeof image === 'string') &&
    (turn.requestId === null || typeof turn.requestId === 'string') &&
    ends.includes(turn.end)
  );
}
