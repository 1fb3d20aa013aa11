/**
 * A streamed answer: bytes go to the caller as they come, chunk by chunk, no faster than either side takes them. What
 * the stream said of tokens is booked when it is over, however it ended.
 */
import { ChatStreamMeter } from '../domain/chat/chat-meter.ts';
import { MeteredStream, type StreamMeter } from '../domain/chat/metered-stream.ts';
import { ResponsesStreamMeter } from '../domain/chat/responses-meter.ts';
import { errorBody, GatewayError } from '../domain/errors.ts';
import type { ChatExchange } from '../providers/chat-contract.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { streamedAnswer } from '../ledger/call-ledger.ts';
import { type ApiContext, idsOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { AnswerMemory } from './answer-memory.ts';
import { bookInBackground, estimatedPrice, releaseInBackground, upstreamPrice } from './receipt.ts';
import { CallCancelled, type CallCancellation } from './call-cancellation.ts';
import { EventStream } from './event-stream.ts';
import { type CallerFault, RouteFault } from './route-faults.ts';
import type { Route } from './call-routes.ts';
import { type AnswerReader, sendCall, type Start } from './send-call.ts';
import { cleanedResponse, toldError } from './upstream-error-answer.ts';
import type { AdmittedCall, Outcome } from './admitted-call.ts';
import { keepResponse, noteLength } from './stored-responses.ts';

type Settings = ApiDependencies['configuration'];
/** `left`: the caller went away, or this process had to let go. */
type End = 'complete' | 'left' | { broke: GatewayError; byUs?: boolean };

/** Relays the stream to its end. Rejects only as long as the caller has seen nothing: the next route may do better. */
export async function relayStream(
  deps: ApiDependencies,
  ctx: ApiContext,
  underWay: AdmittedCall,
  route: Route,
  start: Start,
): Promise<Outcome> {
  const room = new AnswerMemory(deps.gates.answerBytes, route.name);
  try {
    return await relayIn(room, deps, ctx, underWay, route, start);
  } finally {
    room.close();
  }
}

async function relayIn(
  room: AnswerMemory,
  deps: ApiDependencies,
  ctx: ApiContext,
  underWay: AdmittedCall,
  route: Route,
  start: Start,
): Promise<Outcome> {
  const { call, hold, cancellation } = underWay;
  const isResponses = call.endpoint === 'responses';
  const meter = isResponses
    ? new ResponsesStreamMeter(room)
    : new ChatStreamMeter({ choices: call.choices, showsUsage: call.includeUsage }, room);
  const unnoted = (error: unknown) => deps.log.error({ err: error, ...idsOf(ctx) }, 'a response could not be noted');
  // Noted as soon as its id is known, so that whoever goes on from the response finds it there.
  let kept: Promise<void> | undefined;
  const noteResponse = () => {
    if (kept || !(meter instanceof ResponsesStreamMeter) || meter.responseId === undefined) return;
    kept = keepResponse(deps, ctx, { id: meter.responseId, call, provider: route.name }).catch(unnoted);
  };
  const stream = new MeteredStream(meter, (data) => cleanedResponse(data, deps.configuration), room);
  const events = new EventStream(ctx);
  const { end, latencyMs, last } = await new Promise<Relayed>((resolve, reject) => {
    const relay = new Relay(ctx, events, stream, room, deps.configuration, noteResponse, resolve, reject);
    relay.begin(sendCall(deps, start, relay, underWay.clock), cancellation);
  });
  if (kept) await kept;
  const { usage } = meter;
  if (meter instanceof ResponsesStreamMeter && meter.responseId !== undefined && usage)
    deps.background(noteLength(deps, ctx, meter.responseId, usage).catch(unnoted));
  const isUpstreamsFault = typeof end === 'object' && end.byUs !== true;
  if (isUpstreamsFault && usage === undefined) releaseInBackground(deps, hold, 'upstream_error');
  else {
    // What was begun and is charged can't be given again, so its Idempotency-Key stays bound.
    const bound = hold.isKeyed && (end !== 'left' || ctx.headerSent) ? { answer: streamedAnswer } : {};
    bookInBackground(deps, hold, async () => {
      if (usage) return { ...upstreamPrice(call, usage), ...bound };
      return { ...(await estimatedPrice(call, hold, meter.producedText(), meter.producedScale())), ...bound };
    });
  }
  finish(ctx, events, meter, end, last);
  return { isGood: !isUpstreamsFault, latencyMs };
}

/** What an upstream may send after the end of its answer. */
const lateBytesMax = 64 * 1024;
const lateMsMax = 1_000;
/** A caller that takes nothing for so long has left, whatever its connection says: it would keep its hold for ever. */
const unreadMsMax = 60_000;

interface Relayed {
  end: End;
  latencyMs: number;
  /** The last events of an answer that is whole: a caller that has them may ask for what is noted by then. */
  last: Buffer | undefined;
}

/** One stream between two sockets. */
class Relay implements AnswerReader {
  readonly #ctx: ApiContext;
  readonly #events: EventStream;
  readonly #stream: MeteredStream;
  readonly #room: AnswerMemory;
  readonly #settings: Settings;
  readonly #onProgress: () => void;
  readonly #resolve: (relayed: Relayed) => void;
  readonly #reject: (error: Error) => void;
  #exchange: ChatExchange | undefined;
  /** What came in this read of the upstream's socket, an event a piece as a rule. */
  #pieces: Buffer[] = [];
  #latencyMs = 0;
  #last: Buffer | undefined;
  /** While the caller doesn't read, and the upstream is paused. */
  #unread: NodeJS.Timeout | undefined;
  /** After the answer's end. */
  #late: NodeJS.Timeout | undefined;
  #lateBytes = 0;
  /** Whether the upstream has answered with success. */
  #isAnswered = false;
  #isOver = false;

  constructor(
    ctx: ApiContext,
    events: EventStream,
    stream: MeteredStream,
    room: AnswerMemory,
    settings: Settings,
    onProgress: () => void,
    resolve: (relayed: Relayed) => void,
    reject: (error: Error) => void,
  ) {
    this.#ctx = ctx;
    this.#events = events;
    this.#stream = stream;
    this.#room = room;
    this.#settings = settings;
    this.#onProgress = onProgress;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(exchange: ChatExchange, earlyEnd: CallCancellation): void {
    this.#exchange = exchange;
    const { res } = this.#ctx;
    const resume = () => {
      clearTimeout(this.#unread);
      this.#unread = undefined;
      if (!this.#isOver) exchange.resume();
    };
    // Whoever left holds nothing up where the stream is read to its end all the same.
    res.on('drain', resume).on('close', resume);
    earlyEnd.onCancel(() => {
      this.flush();
      if (this.#isOver) return;
      if (earlyEnd.reason === 'drained' && res.headersSent) this.#over(drained());
      else if (earlyEnd.reason !== 'drained' && this.#isAnswered) this.#over('left');
      else this.#fail(new CallCancelled());
    });
  }

  onSuccess(latencyMs: number): void {
    this.#latencyMs = latencyMs;
    this.#isAnswered = true;
  }

  /** Many events may come in one read: they are metered and written as one, at the end of this very turn. */
  onData(chunk: Buffer): void {
    if (this.#isOver) {
      this.#throwAway(chunk);
      return;
    }
    if (this.#pieces.push(chunk) === 1) process.nextTick(flush, this);
  }

  onEnd(): void {
    this.flush();
    clearTimeout(this.#late);
    if (this.#isOver) return;
    this.#deliver(() => this.#stream.end());
    this.#over(endOf(this.#stream, this.#settings));
  }

  onFailure(error: CallerFault | RouteFault | ChatUnreachable): void {
    this.flush();
    clearTimeout(this.#late);
    if (this.#isOver) return;
    if (this.#ctx.headerSent || this.#ctx.res.destroyed) this.#over({ broke: brokeOf(error) });
    else this.#fail(error);
  }

  flush(): void {
    const [first] = this.#pieces;
    if (this.#isOver || first === undefined) return;
    const bytes = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (!this.#deliver(() => this.#stream.push(bytes))) return;
    this.#onProgress();
    if (this.#stream.state !== 'open') this.#over(endOf(this.#stream, this.#settings));
  }

  /** Answers whether the stream can go on. */
  #deliver(read: () => Buffer | undefined): boolean {
    const { res } = this.#ctx;
    let bytes: Buffer | undefined;
    try {
      bytes = read();
    } catch (error) {
      const { refusal } = this.#room;
      const text = 'The model sent an event that is too large.';
      if (refusal) this.#over({ broke: refusal, byUs: true });
      else this.#over({ broke: new GatewayError('upstream_error', text, { cause: error }) });
      return false;
    }
    if (bytes === undefined || res.destroyed) return true;
    if (this.#stream.state === 'done' && this.#stream.meter.isComplete) this.#last = bytes;
    else if (!this.#events.write(bytes)) {
      this.#exchange?.pause();
      this.#unread ??= setTimeout(() => res.destroy(), unreadMsMax).unref();
    }
    return true;
  }

  #over(end: End): void {
    if (this.#isOver) return;
    // Nothing was delivered yet: the next route may do better.
    if (typeof end === 'object' && !this.#ctx.headerSent && !this.#ctx.res.destroyed) {
      this.#fail(end.byUs === true ? end.broke : new RouteFault('fault', end.broke.message));
      return;
    }
    this.#isOver = true;
    if (end === 'complete') this.#letEnd();
    else this.#exchange?.abort();
    this.#resolve({ end, latencyMs: this.#latencyMs, last: this.#last });
  }

  /** The answer is whole. An upstream that ends soon keeps its connection, to be used again. */
  #letEnd(): void {
    this.#exchange?.resume();
    this.#late = setTimeout(() => this.#exchange?.abort(), lateMsMax).unref();
  }

  #throwAway(late: Buffer): void {
    this.#lateBytes += late.length;
    if (this.#lateBytes > lateBytesMax) this.#exchange?.abort();
  }

  #fail(error: Error): void {
    this.#isOver = true;
    this.#exchange?.abort();
    this.#reject(error);
  }
}

const flush = (relay: Relay): void => relay.flush();

function endOf({ state, meter }: MeteredStream, settings: Settings): End {
  if (state === 'failed') {
    const { message } = toldError(meter.errorData ?? Buffer.alloc(0), 'application/json', settings);
    return { broke: new GatewayError('upstream_error', message) };
  }
  return meter.isComplete
    ? 'complete'
    : { broke: new GatewayError('upstream_error', "The model's response was interrupted.") };
}

function finish(ctx: ApiContext, events: EventStream, meter: StreamMeter, end: End, last: Buffer | undefined): void {
  const { res } = ctx;
  if (end === 'left' || res.destroyed) {
    ctx.respond = false;
    res.destroy();
    return;
  }
  if (end === 'complete') events.end(joined(last, meter.terminator));
  else events.breakOff(Buffer.from(errorEvent(meter, end.broke)));
}

const joined = (last: Buffer | undefined, farewell: Buffer | undefined): Buffer | undefined =>
  last && farewell ? Buffer.concat([last, farewell]) : (last ?? farewell);

/** How a stream tells that it broke: no `[DONE]` on chat, a numbered `error` event on responses. */
function errorEvent(meter: StreamMeter, error: GatewayError): string {
  const { code, message, param } = error;
  if (!(meter instanceof ResponsesStreamMeter)) return `data: ${JSON.stringify({ error: errorBody(error) })}\n\n`;
  const event = { type: 'error', code, message, param, sequence_number: meter.lastSequenceNumber() + 1 };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

/** What was produced is charged: the caller has it. */
function drained(): End {
  const text = 'This gateway shut down before the response was complete.';
  return { broke: new GatewayError('not_ready', text), byUs: true };
}

function brokeOf(error: Error): GatewayError {
  return error instanceof ChatUnreachable && error.kind === 'timeout'
    ? new GatewayError('upstream_timeout', 'The model stopped sending in the middle of its response.', { cause: error })
    : new GatewayError('upstream_error', "The model's response was interrupted.", { cause: error });
}
