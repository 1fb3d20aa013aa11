/**
 * A streamed answer: bytes go to the caller as they come, chunk by chunk, no faster than either side takes them. What
 * the stream said of tokens is booked when it is over, however it ended.
 */
import { ChatStream, chatStreamDone } from '../../domain/chat/chat-stream.ts';
import { ResponsesStream } from '../../domain/chat/responses-stream.ts';
import { errorBody, GatewayError } from '../../domain/errors.ts';
import type { ChatAnswer } from '../../providers/chat-contract.ts';
import { ChatUnreachable } from '../../domain/chat/unreachable.ts';
import { streamed_answer } from '../../storage/ledger/calls.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { bookInBackground, estimatedPrice, releaseInBackground, upstreamPrice } from './receipt.ts';
import { RouteFault } from './routes-of-call.ts';
import { toldError } from './told-error.ts';
import type { CallUnderWay } from './serve-call.ts';
import { keepResponse } from './stored-responses.ts';

type Stream = ChatStream | ResponsesStream;
type Settings = ApiDependencies['configuration'];
/** `left`: the caller went away, or this process had to let go. */
type End = 'complete' | 'left' | { broke: GatewayError };

/** Relays the stream to its end. Throws `RouteFault` only as long as the caller has seen nothing. */
export async function relayStream(
  deps: ApiDependencies,
  ctx: ApiContext,
  underWay: CallUnderWay,
  answer: ChatAnswer,
  provider: string,
): Promise<{ isGood: boolean }> {
  const { call, hold, signal } = underWay;
  const stream: Stream =
    call.endpoint === 'responses'
      ? new ResponsesStream()
      : new ChatStream({ choices: call.choices, showsUsage: call.includeUsage });
  // Noted as soon as its id is known, so that whoever goes on from the response finds it there.
  let kept: Promise<void> | undefined;
  const noteResponse = () => {
    if (kept || !(stream instanceof ResponsesStream) || stream.meter.responseId === undefined) return;
    kept = keepResponse(deps, ctx, stream.meter.responseId, call, provider).catch((error: unknown) => {
      deps.log.error({ err: error, requestId: ctx.state.requestId }, 'a response could not be noted');
    });
  };
  const end = await new Relay(ctx, answer, stream, signal, deps.configuration, noteResponse).run();
  await kept;
  const { usage } = stream.meter;
  if (typeof end === 'object' && usage === undefined) releaseInBackground(deps, hold, 'upstream_error');
  else {
    // What was begun and is charged can't be given again, so its Idempotency-Key stays bound.
    const bound = hold.isKeyed && (end !== 'left' || ctx.headerSent) ? { answer: streamed_answer } : {};
    bookInBackground(deps, hold, async () => {
      if (usage) return { ...upstreamPrice(call, usage), ...bound };
      const { meter } = stream;
      return { ...(await estimatedPrice(call, hold, meter.producedText(), meter.producedScale())), ...bound };
    });
  }
  finish(ctx, stream, end);
  return { isGood: typeof end !== 'object' };
}

/** One stream between two sockets. */
class Relay {
  readonly #ctx: ApiContext;
  readonly #answer: ChatAnswer;
  readonly #stream: Stream;
  readonly #signal: AbortSignal;
  readonly #settings: Settings;
  readonly #onProgress: () => void;

  constructor(
    ctx: ApiContext,
    answer: ChatAnswer,
    stream: Stream,
    signal: AbortSignal,
    settings: Settings,
    onProgress: () => void,
  ) {
    this.#ctx = ctx;
    this.#answer = answer;
    this.#stream = stream;
    this.#signal = signal;
    this.#settings = settings;
    this.#onProgress = onProgress;
  }

  run(): Promise<End> {
    const { body } = this.#answer;
    const { res } = this.#ctx;
    return new Promise((resolve, reject) => {
      const over = (end: End) => {
        body.off('data', onData).off('end', onEnd);
        res.off('drain', onDrain).off('close', onDrain);
        this.#signal.removeEventListener('abort', onAbort);
        if (!body.destroyed && end !== 'complete') body.destroy();
        // Nothing was delivered yet: the next route may do better.
        if (!this.#ctx.headerSent && !res.destroyed && typeof end === 'object') reject(faultOf(end.broke));
        else resolve(end);
      };
      const onDrain = () => body.resume();
      const onData = (chunk: Buffer) => {
        try {
          this.#deliver(this.#stream.push(chunk), () => body.pause());
        } catch (error) {
          over({
            broke: new GatewayError('upstream_error', 'The model sent an event that is too large.', { cause: error }),
          });
          return;
        }
        this.#onProgress();
        if (this.#stream.state !== 'open') {
          over(endOf(this.#stream, this.#settings));
          body.resume().on('error', ignore); // what comes after the end is thrown away, so that the connection can be used again
        }
      };
      const onEnd = () => {
        this.#deliver(this.#stream.end(), () => undefined);
        over(endOf(this.#stream, this.#settings));
      };
      const onError = (error: Error) => over(this.#signal.aborted ? 'left' : { broke: brokeOf(error) });
      const onAbort = () => over('left');
      if (this.#signal.aborted) {
        over('left');
        return;
      }
      // Whoever left holds nothing up where the stream is read to its end all the same.
      res.on('drain', onDrain).on('close', onDrain);
      this.#signal.addEventListener('abort', onAbort, { once: true });
      body.on('data', onData).on('end', onEnd).on('error', onError);
    });
  }

  #deliver(bytes: Buffer | undefined, pause: () => void): void {
    if (bytes === undefined) return;
    const { res } = this.#ctx;
    if (res.destroyed) return;
    if (!this.#ctx.headerSent) sendHead(this.#ctx);
    if (!res.write(bytes)) pause();
  }
}

/** Headers that stop proxies from gathering what should flow. Sent with the first bytes of the answer. */
function sendHead(ctx: ApiContext): void {
  ctx.respond = false; // the stream is ours from here on
  ctx.status = 200;
  ctx.set('Content-Type', 'text/event-stream; charset=utf-8');
  ctx.set('Cache-Control', 'no-cache, no-transform');
  ctx.set('X-Accel-Buffering', 'no');
}

function endOf(stream: Stream, settings: Settings): End {
  if (stream.state === 'failed') {
    const { message } = toldError(stream.meter.errorData ?? Buffer.alloc(0), 'application/json', settings);
    return { broke: new GatewayError('upstream_error', message) };
  }
  const isComplete = stream instanceof ChatStream ? stream.meter.isComplete : stream.meter.end !== undefined;
  return isComplete ? 'complete' : { broke: new GatewayError('upstream_error', 'The model broke off its answer.') };
}

function finish(ctx: ApiContext, stream: Stream, end: End): void {
  const { res } = ctx;
  if (end === 'left' || res.destroyed) {
    ctx.respond = false;
    res.destroy();
    return;
  }
  if (!ctx.headerSent) sendHead(ctx);
  if (end !== 'complete') res.end(errorEvent(stream, end.broke));
  else res.end(stream instanceof ChatStream ? chatStreamDone : undefined);
}

/** How a stream tells that it broke: no `[DONE]` on chat, a numbered `error` event on responses. */
function errorEvent(stream: Stream, error: GatewayError): string {
  const { code, message, param } = error;
  if (stream instanceof ChatStream) return `data: ${JSON.stringify({ error: errorBody(error) })}\n\n`;
  const event = { type: 'error', code, message, param, sequence_number: stream.meter.lastSequenceNumber() + 1 };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}

function brokeOf(error: Error): GatewayError {
  return error instanceof ChatUnreachable && error.kind === 'timeout'
    ? new GatewayError('upstream_timeout', 'The model fell silent in the middle of its answer.', { cause: error })
    : new GatewayError('upstream_error', 'The model broke off its answer.', { cause: error });
}

const faultOf = (error: GatewayError): RouteFault =>
  new RouteFault(error.code === 'upstream_timeout' ? 'timeout' : 'fault', error.message);

function ignore(): void {
  // the answer is whole already
}
