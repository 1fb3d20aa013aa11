/**
 * One call to one provider. The head of the answer is judged here: what is a success is read by whoever asked, and all
 * else is a failure that says whose fault it is.
 */
import type { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { ChatExchange, ChatHead, ChatListener } from '../providers/chat-contract.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { CallerFault, RouteFault } from './route-faults.ts';
import { answerBytesMax } from '../api/concurrency-limits.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { CallClock } from './call-clock.ts';
import { CallCancelled, type CallCancellation } from './call-cancellation.ts';
import { toldError } from './upstream-error-answer.ts';

/** Reads the body of an answer that is a success: data, and at last one of `onEnd` and `onFailure`. */
export interface AnswerReader {
  /** `latencyMs` is the time from the call to the head of its answer. */
  onSuccess(latencyMs: number, head: ChatHead): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** Without `onSuccess` before it, the answer was no success or there was none. */
  onFailure(error: CallerFault | RouteFault | ChatUnreachable): void;
}

/** Starts a call, or takes over one that has started. The listener is never told anything before this returns. */
export type Start = (listener: ChatListener) => ChatExchange;

/** Sends a call. The reader is never told anything before this returns. */
export function sendCall(
  { configuration }: Pick<ApiDependencies, 'configuration'>,
  start: Start,
  reader: AnswerReader,
  clock?: CallClock,
): ChatExchange {
  const judge = new Judge(reader, configuration, clock);
  return (judge.exchange = start(judge));
}

/** An answer that is read whole. */
export interface WholeAnswer {
  bytes: Buffer;
  latencyMs: number;
}

/**
 * Sends a call and gathers its answer. Rejects as `AnswerReader.onFailure` has it, with `CallCancelled`, or with the refusal
 * of `room`.
 */
export function wholeAnswer(
  deps: Pick<ApiDependencies, 'configuration'>,
  start: Start,
  earlyEnd: CallCancellation,
  room: AnswerMemory,
  clock?: CallClock,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces(answerBytesMax);
    let latencyMs = 0;
    const reader: AnswerReader = {
      onSuccess: (ms) => {
        latencyMs = ms;
      },
      onData: (chunk) => {
        const refusal = room.tryTake(chunk.length);
        if (!refusal && pieces.take(chunk)) return;
        exchange.abort();
        reject(refusal ?? new RouteFault('fault', 'its answer is too large'));
      },
      onEnd: () => resolve({ bytes: pieces.joined(), latencyMs }),
      onFailure: reject,
    };
    const exchange = sendCall(deps, start, reader, clock);
    earlyEnd.onCancel(() => {
      exchange.abort();
      reject(new CallCancelled());
    });
  });
}

/** Told to the caller as they are, cleaned: they are about what the caller sent. */
const callersFault: ReadonlySet<number> = new Set([400, 413, 422]);
/** Of an error's body; the rest is of no use to anybody. */
const errorBytesMax = 64 * 1024;

class Judge implements ChatListener {
  exchange: ChatExchange | undefined;
  readonly #reader: AnswerReader;
  readonly #configuration: ApiDependencies['configuration'];
  readonly #startedAt = performance.now();
  readonly #clock: CallClock | undefined;
  /** Of an answer that is the caller's fault: its head, and what came of its body. */
  #refusal: { head: ChatHead; body: Pieces } | undefined;

  constructor(reader: AnswerReader, configuration: ApiDependencies['configuration'], clock: CallClock | undefined) {
    this.#reader = reader;
    this.#configuration = configuration;
    this.#clock = clock;
  }

  onHead(head: ChatHead): void {
    const { status, retryAfterSeconds } = head;
    if (status >= 200 && status < 300) {
      this.#reader.onSuccess(Math.round(performance.now() - this.#startedAt), head);
    } else if (callersFault.has(status)) {
      this.#refusal = { head, body: new Pieces(errorBytesMax) };
    } else {
      this.exchange?.abort();
      const kind = status === 429 ? 'limited' : status === 408 ? 'timeout' : 'fault';
      this.#reader.onFailure(new RouteFault(kind, `it answered ${status}`, { retryAfterSeconds, status }));
    }
  }

  onData(chunk: Buffer): void {
    this.#clock?.came();
    if (this.#refusal === undefined) {
      this.#reader.onData(chunk);
    } else if (!this.#refusal.body.take(chunk)) {
      this.exchange?.abort();
      this.#refuse(this.#refusal);
    }
  }

  onEnd(): void {
    this.#clock?.ended();
    if (this.#refusal === undefined) this.#reader.onEnd();
    else this.#refuse(this.#refusal);
  }

  onFailure(failure: ChatUnreachable): void {
    this.#reader.onFailure(failure);
  }

  #refuse({ head, body }: { head: ChatHead; body: Pieces }): void {
    const told = toldError(body.joined(), head.contentType, this.#configuration);
    this.#reader.onFailure(new CallerFault(head.status, told));
  }
}

/** The pieces of a body, up to so many bytes. */
class Pieces {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Takes a piece, as far as it fits; answers false when it did not. */
  take(piece: Buffer): boolean {
    const left = this.#bytesMax - this.#bytes;
    const taken = piece.length <= left ? piece : piece.subarray(0, left);
    this.#pieces.push(taken);
    this.#bytes += taken.length;
    return taken === piece;
  }

  joined(): Buffer {
    const [only] = this.#pieces;
    return this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces, this.#bytes);
  }
}
