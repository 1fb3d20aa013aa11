/** One stream between two sockets: the upstream's bytes are metered and written to the caller as they come. */
import type { TokenCounts } from '../domain/billing/token-counts.ts';
import type { CallEndpoint } from '../domain/call-endpoints.ts';
import type { MeteredStream } from '../domain/chat/metered-stream.ts';
import type { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { GatewayError } from '../domain/errors.ts';
import type { ApiContext } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { AnswerMemory } from './answer-memory.ts';
import { CallCancelled, type CallCancellation } from './call-cancellation.ts';
import type { StreamTranslation } from './call-translation.ts';
import { EventStream } from './event-stream.ts';
import { type CallerFault, RouteFault } from './route-faults.ts';
import type { AnswerReader, SentCall } from './send-call.ts';
import { brokenBy, drainedEnd, endOf, errorEvent, type StreamEnd } from './stream-end.ts';

/** What an upstream may send after the end of its answer. */
const lateBytesMax = 64 * 1024;
const lateMsMax = 1_000;
/** A caller that takes nothing for so long has left, whatever its connection says: it would keep its hold for ever. */
const unreadMsMax = 60_000;

interface Relayed {
  end: StreamEnd;
  /** The time to the head of the answer. */
  latencyMs: number;
}

export interface StreamParts {
  ctx: ApiContext;
  /** The form of the call. */
  endpoint: CallEndpoint;
  /** Where the upstream is asked in another form than the call's. */
  translation: StreamTranslation | undefined;
  settings: ApiDependencies['configuration'];
  stream: MeteredStream;
  room: AnswerMemory;
  sent: SentCall;
  /** Called after each read of the upstream's socket that was metered. */
  onProgress: (() => void) | undefined;
}

export class StreamRelay implements AnswerReader {
  readonly #parts: StreamParts;
  readonly #stream: MeteredStream;
  readonly #events: EventStream;
  #resolve: (relayed: Relayed) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  /** What came in this read of the upstream's socket, an event a piece as a rule. */
  #pieces: Buffer[] = [];
  #latencyMs = 0;
  /** The last events of an answer that is whole: a caller that has them may ask for what is noted by then. */
  #last: Buffer | undefined;
  /** While the caller doesn't read, and the upstream is paused. */
  #unread: NodeJS.Timeout | undefined;
  /** After the answer's end. */
  #late: NodeJS.Timeout | undefined;
  #lateBytes = 0;
  /** Whether the upstream has answered with success. */
  #isAnswered = false;
  #isOver = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#stream = parts.stream;
    this.#events = new EventStream(parts.ctx);
  }

  /**
   * Relays until the stream is over; its last events are left to `finish`. Rejects only while nothing was delivered: the
   * next route may do better.
   */
  run(cancellation: CallCancellation): Promise<Relayed> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const { ctx, sent } = this.#parts;
      const resume = () => {
        clearTimeout(this.#unread);
        this.#unread = undefined;
        if (!this.#isOver) sent.resume();
      };
      // A caller that has disconnected holds nothing up where the stream is read to its end all the same.
      ctx.res.on('drain', resume).on('close', resume);
      cancellation.onCancel(() => this.#cancel(cancellation));
      sent.readBy(this);
    });
  }

  /** Ends the caller's answer: with the last events, or with an error. `counted` is for a usage that nothing else states. */
  finish(end: StreamEnd, counted?: TokenCounts): void {
    const { ctx, endpoint, stream, translation } = this.#parts;
    if (end === 'disconnected' || ctx.res.destroyed) {
      ctx.respond = false;
      ctx.res.destroy();
    } else if (end === 'complete') {
      this.#finishWhole(counted);
    } else {
      const { requestId } = ctx.state;
      const event = translation?.fail(end.broke, requestId) ?? errorEvent({ endpoint, requestId }, stream.meter, end);
      this.#events.breakOff(event);
    }
  }

  #finishWhole(counted: TokenCounts | undefined): void {
    const { ctx, stream, translation } = this.#parts;
    let end: Buffer | undefined;
    try {
      end = translation ? translation.end(counted) : stream.meter.terminator;
    } catch (error) {
      // Calls of tools that are whole only now, and are none.
      if (!translation || !(error instanceof GatewayError)) throw error;
      this.#events.breakOff(translation.fail(error, ctx.state.requestId));
      return;
    }
    this.#events.end(...[this.#last, end].filter((piece) => piece !== undefined));
  }

  onSuccess(latencyMs: number): void {
    this.#latencyMs = latencyMs;
    this.#isAnswered = true;
  }

  /** Many events may come in one read: they are metered and written as one, at the end of this very turn. */
  onData(chunk: Buffer): void {
    if (this.#isOver) this.#discard(chunk);
    else if (this.#pieces.push(chunk) === 1) process.nextTick(flush, this);
  }

  onEnd(): void {
    this.flush();
    clearTimeout(this.#late);
    if (this.#isOver) return;
    this.#deliver(undefined);
    this.#end(endOf(this.#stream, this.#parts.settings));
  }

  onFailure(error: CallerFault | RouteFault | ChatUnreachable): void {
    this.flush();
    clearTimeout(this.#late);
    if (this.#isOver) return;
    const { ctx } = this.#parts;
    if (ctx.headerSent || ctx.res.destroyed) this.#end(brokenBy(error));
    else this.#fail(error);
  }

  flush(): void {
    const [first] = this.#pieces;
    if (this.#isOver || first === undefined) return;
    const bytes = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (!this.#deliver(bytes)) return;
    this.#parts.onProgress?.();
    if (this.#stream.state !== 'open') this.#end(endOf(this.#stream, this.#parts.settings));
  }

  /** Meters what came, or the end, and writes what is for the caller. Returns whether the stream can go on. */
  #deliver(came: Buffer | undefined): boolean {
    const { ctx, room, sent, translation } = this.#parts;
    let bytes: Buffer | undefined;
    try {
      bytes = came === undefined ? this.#stream.end() : this.#stream.push(came);
      if (bytes && translation) bytes = translation.push(bytes);
    } catch (error) {
      const text = 'The model sent an event that is too large.';
      if (room.refusal) this.#end({ broke: room.refusal, byUs: true });
      else if (error instanceof GatewayError) this.#end({ broke: error });
      else this.#end({ broke: new GatewayError('upstream_error', text, { cause: error }) });
      return false;
    }
    const { res } = ctx;
    if (bytes === undefined || res.destroyed) return true;
    if (this.#stream.state === 'done' && this.#stream.meter.isComplete) this.#last = bytes;
    else if (!this.#events.write(bytes)) {
      sent.pause();
      this.#unread ??= setTimeout(() => res.destroy(), unreadMsMax).unref();
    }
    return true;
  }

  #cancel({ reason }: CallCancellation): void {
    this.flush();
    if (this.#isOver) return;
    if (reason === 'drained' && this.#parts.ctx.res.headersSent) this.#end(drainedEnd());
    else if (reason !== 'drained' && this.#isAnswered) this.#end('disconnected');
    else this.#fail(new CallCancelled());
  }

  #end(end: StreamEnd): void {
    if (this.#isOver) return;
    const { ctx, sent } = this.#parts;
    // Nothing was delivered yet: the next route may do better.
    if (typeof end === 'object' && !ctx.headerSent && !ctx.res.destroyed) {
      const status = end.type === 'overloaded_error' ? { status: 529 } : {};
      this.#fail(end.byUs === true ? end.broke : new RouteFault('fault', end.broke.message, status));
      return;
    }
    this.#isOver = true;
    if (end === 'complete') this.#awaitUpstreamsEnd();
    else sent.abort();
    this.#resolve({ end, latencyMs: this.#latencyMs });
  }

  /** The answer is whole. An upstream that ends soon keeps its connection, to be used again. */
  #awaitUpstreamsEnd(): void {
    const { sent } = this.#parts;
    sent.resume();
    this.#late = setTimeout(() => sent.abort(), lateMsMax).unref();
  }

  #discard(late: Buffer): void {
    this.#lateBytes += late.length;
    if (this.#lateBytes > lateBytesMax) this.#parts.sent.abort();
  }

  #fail(error: Error): void {
    this.#isOver = true;
    this.#parts.sent.abort();
    this.#reject(error);
  }
}

const flush = (relay: StreamRelay): void => relay.flush();
