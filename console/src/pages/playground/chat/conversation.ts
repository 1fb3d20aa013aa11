/**
 * A conversation: what was said so far, and the answer that is coming. It lives outside of the page, so that an answer
 * goes on while the reader looks elsewhere, and is kept in the tab.
 */
import { ConsoleError, toConsoleError } from '../../../api/error.ts';
import { send } from '../../../api/send.ts';
import { createStore, type Store } from '../../../api/store.ts';
import { isRecord, recordOf, textOf } from '../../../parts/json.ts';
import { randomHex } from '../../../parts/random-hex.ts';
import { keep, kept } from '../shared/draft.ts';
import { newRequestId } from '../shared/ids.ts';
import type { ChatRequest } from './chat-request.ts';
import { BrokenStream, readPieces } from './events.ts';
import { shortened } from './shortened.ts';
import { keepable, readTurns, type Turn, turnOf } from './turn.ts';

export interface Conversation {
  /** Under which the history has it. */
  id: string;
  turns: readonly Turn[];
  /** Why the last message got no answer; it is in the form again. */
  error: unknown;
  /** The request that was sent last, with its attachments shortened; undefined before the first. */
  sent: ChatRequest | undefined;
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
 * Asks for an answer to these turns, of which `requestOf` makes the request. Returns whether it was sent: where it was
 * refused, the conversation is again as it was.
 */
export async function ask(
  { name, account, model }: { name: string; account: string; model: string },
  asked: readonly Turn[],
  requestOf: (turns: readonly Turn[]) => ChatRequest,
): Promise<boolean> {
  const { store } = keptOf(name);
  const { turns: before } = store.get();
  const requestId = newRequestId();
  const request = requestOf(asked);
  const abort = new AbortController();
  keptOf(name).abort = abort;
  store.set({ ...store.get(), sent: shortened(request) });
  const isCleared = () => keptOf(name).abort !== abort;
  const begunAt = performance.now();
  const sinceMs = () => Math.round(performance.now() - begunAt);
  let answer = turnOf({ role: 'assistant', model, requestId, end: 'running' });
  const show = (change: Partial<Turn>, error?: unknown) => {
    answer = { ...answer, ...change };
    put(name, { turns: [...asked, answer], error });
  };
  const end = (how: Turn['end'], error?: unknown) => show({ end: how, wholeMs: sinceMs() }, error);
  show({});
  try {
    const body = await open(account, request, requestId, abort.signal);
    const finish = await readPieces(body, (so) => show({ ...so, firstMs: answer.firstMs ?? sinceMs() }));
    end(finish === 'length' ? 'length' : 'whole');
    return true;
  } catch (error) {
    if (isCleared()) return true;
    if (abort.signal.aborted) end('stopped');
    else if (error instanceof BrokenStream || answer.firstMs !== null) end('broken', error);
    else {
      put(name, { turns: before, error: toConsoleError(error) });
      return false;
    }
    return true;
  }
}

export const stop = (name: string): void => keptOf(name).abort?.abort();

/** Puts other turns in the place of those that are there, under the same id. */
export const replaceTurns = (name: string, turns: readonly Turn[]): void => put(name, { turns, error: undefined });

/** Begins anew: with nothing, or with what the history has. */
export function begin(name: string, { id, turns }: { id: string; turns: readonly Turn[] } = fresh()): void {
  stop(name);
  keptOf(name).abort = undefined; // what stops late writes nothing any more
  keptOf(name).store.set({ id, turns, error: undefined, sent: undefined });
  save(name);
}

async function open(
  account: string,
  { body, headers }: ChatRequest,
  requestId: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const answer = await send(
    new Request(`/console/api/accounts/${account}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': requestId, ...headers },
      body: JSON.stringify(body),
      signal,
    }),
  );
  if (!answer.body) throw new ConsoleError('The answer is empty.', { code: 'unexpected', status: -1 });
  return answer.body;
}

function put(name: string, change: Pick<Conversation, 'turns' | 'error'>): void {
  const { store } = keptOf(name);
  store.set({ ...store.get(), ...change });
  if (change.turns.at(-1)?.end !== 'running') save(name);
}

function save(name: string): void {
  const { id, turns, sent } = keptOf(name).store.get();
  keep(name, { id, turns: keepable(turns), sent });
}

function keptOf(name: string): Kept {
  let found = conversations.get(name);
  if (!found) {
    found = { store: createStore(readConversation(kept(name))), abort: undefined };
    conversations.set(name, found);
  }
  return found;
}

const fresh = () => ({ id: randomHex(), turns: [] });

function readConversation(stored: unknown): Conversation {
  const { id, turns, sent } = recordOf(stored);
  return {
    id: textOf(id) || randomHex(),
    ...{ turns: readTurns(turns), error: undefined },
    sent: readRequest(sent),
  };
}

function readRequest(stored: unknown): ChatRequest | undefined {
  const { body, headers } = recordOf(stored);
  if (!isRecord(body)) return undefined;
  return {
    body,
    headers: Object.fromEntries(Object.entries(recordOf(headers)).map(([name, text]) => [name, textOf(text)])),
  };
}
