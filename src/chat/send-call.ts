/**
 * One call to one provider. The head of the answer is judged here: the body of a success goes on to the reader, and
 * everything else is a failure that says whose fault it is.
 */
import type { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { type CallEndpoint, messagesVersion } from '../domain/call-endpoints.ts';
import { spliceChatBody } from '../domain/chat/splice.ts';
import type { ChatCall, ChatExchange, ChatHead, ChatListener, ChatProvider } from '../providers/chat-contract.ts';
import type { RequestIds } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import type { Call } from './call.ts';
import type { CallClock } from './call-clock.ts';
import type { Route } from './call-routes.ts';
import { CallerFault, RouteFault } from './route-faults.ts';
import { askingForEvents } from './speech-events.ts';
import { cleanedError } from './upstream-error-answer.ts';

/** Who sends a call: a request, or a line of a batch. */
export interface CallSender {
  state: RequestIds;
  /** A header of the caller's, or an empty text. */
  get(header: string): string;
}

/** Sends a call to a route. */
export function sendCall(
  { configuration }: Pick<ApiDependencies, 'configuration'>,
  sender: CallSender,
  { bytes, members, stream, translation, speech, upload }: Call,
  { provider, endpoint: path, model }: Route,
  clock: CallClock,
): SentCall {
  const includeUsage = stream && (path === 'chat/completions' || path === 'completions');
  const body =
    (upload && emptyBody) ??
    translation?.bodyFor(model) ??
    (speech?.asksForEvents ? askingForEvents(bytes, model) : spliceChatBody(bytes, { model, includeUsage }, members));
  const headers = headersFor(path, sender);
  const form = upload?.formFor(model);
  const call: ChatCall = {
    method: 'POST',
    path,
    body,
    stream,
    requestId: sender.state.requestId,
    headers,
    ...(form && { form }),
  };
  return new SentCall(provider, call, configuration, clock);
}

const emptyBody: readonly Buffer[] = [];
const noHeaders: readonly string[] = [];

/** What a caller of messages says in headers is a part of its request: passed on as it came, and known to the provider alone. */
export function headersFor(endpoint: CallEndpoint, sender: Pick<CallSender, 'get'>): readonly string[] {
  if (endpoint !== 'messages') return noHeaders;
  const beta = sender.get('anthropic-beta');
  const version = ['anthropic-version', sender.get('anthropic-version') || messagesVersion];
  return beta === '' ? version : [...version, 'anthropic-beta', beta];
}

/** Reads the body of an answer that is a success: data, and at last one of `onEnd` and `onFailure`. */
export interface AnswerReader {
  /** `latencyMs` is the time from the call to the head of its answer. */
  onSuccess(latencyMs: number, head: ChatHead): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** Without `onSuccess` before it, the answer was no success or there was none. */
  onFailure(error: CallerFault | RouteFault | ChatUnreachable): void;
}

/** Errors that are about what the caller sent. The caller gets them as they are, cleaned. */
const callersFault: ReadonlySet<number> = new Set([400, 413, 422]);
/** Of an error's body; the rest is of no use. */
const errorBytesMax = 64 * 1024;

/** A call that was sent. What comes before it has a reader is kept, and the upstream is paused. */
export class SentCall implements ChatListener {
  readonly #settings: ApiDependencies['configuration'];
  readonly #clock: CallClock | undefined;
  readonly #sentAtMs = performance.now();
  readonly #exchange: ChatExchange;
  #reader: AnswerReader | undefined;
  #latencyMs = 0;
  /** What came before there was a reader: two pieces at most, as the first one pauses the upstream. */
  #head: ChatHead | undefined;
  #kept: Buffer[] = [];
  #end: 'whole' | ChatUnreachable | undefined;
  /** Of an answer that is the caller's fault. */
  #refusal: { head: ChatHead; body: BoundedBuffer } | undefined;
  #isPausedByReader = false;
  #isAborted = false;

  /** Starts the call; nothing of its answer comes before this returns. */
  constructor(provider: ChatProvider, call: ChatCall, settings: ApiDependencies['configuration'], clock?: CallClock) {
    this.#settings = settings;
    this.#clock = clock;
    clock?.sent();
    this.#exchange = provider.start(call, this);
  }

  /** Hands the answer to its one reader: what came already at once, and the rest as it comes. */
  readBy(reader: AnswerReader): void {
    this.#reader = reader;
    if (this.#head) this.#judge(this.#head, reader);
    for (const chunk of this.#kept) if (!this.#isAborted) this.#pass(chunk, reader);
    if (this.#isAborted) return;
    if (this.#end === 'whole') this.onEnd();
    else if (this.#end) reader.onFailure(this.#end);
    else if (this.#kept.length > 0 && !this.#isPausedByReader) this.#exchange.resume();
    this.#kept = [];
  }

  /** Ends a call that never got a reader: it was refused after it was sent, or its caller disconnected. */
  abortUnread(): void {
    if (!this.#reader) this.abort();
  }

  abort(): void {
    this.#isAborted = true;
    this.#exchange.abort();
  }

  pause(): void {
    this.#isPausedByReader = true;
    this.#exchange.pause();
  }

  resume(): void {
    this.#isPausedByReader = false;
    this.#exchange.resume();
  }

  onHead(head: ChatHead): void {
    this.#latencyMs = Math.round(performance.now() - this.#sentAtMs);
    if (this.#reader) this.#judge(head, this.#reader);
    else this.#head = head;
  }

  onData(chunk: Buffer): void {
    this.#clock?.came();
    if (this.#reader) {
      this.#pass(chunk, this.#reader);
      return;
    }
    this.#exchange.pause();
    this.#kept.push(chunk);
  }

  onEnd(): void {
    this.#clock?.ended();
    if (!this.#reader) this.#end = 'whole';
    else if (this.#refusal) this.#refuse(this.#refusal, this.#reader);
    else this.#reader.onEnd();
  }

  onFailure(failure: ChatUnreachable): void {
    if (this.#reader) this.#reader.onFailure(failure);
    else this.#end = failure;
  }

  #judge(head: ChatHead, reader: AnswerReader): void {
    const { status, retryAfterSeconds } = head;
    if (status >= 200 && status < 300) {
      reader.onSuccess(this.#latencyMs, head);
    } else if (callersFault.has(status)) {
      this.#refusal = { head, body: new BoundedBuffer(errorBytesMax) };
    } else {
      this.abort();
      const kind = status === 429 ? 'limited' : status === 408 ? 'timeout' : 'fault';
      reader.onFailure(new RouteFault(kind, `it answered ${status}`, { retryAfterSeconds, status }));
    }
  }

  #pass(chunk: Buffer, reader: AnswerReader): void {
    if (this.#refusal === undefined) reader.onData(chunk);
    else if (!this.#refusal.body.add(chunk)) {
      this.abort();
      this.#refuse(this.#refusal, reader);
    }
  }

  #refuse({ head, body }: { head: ChatHead; body: BoundedBuffer }, reader: AnswerReader): void {
    const error = cleanedError(body.joined(), head.contentType, this.#settings);
    reader.onFailure(new CallerFault(head.status, error));
  }
}
