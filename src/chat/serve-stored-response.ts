/** What upstreams keep of responses: asked for, cancelled and deleted where it was made, by the account that made it. */
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { GatewayError } from '../domain/errors.ts';
import { isUnreadable } from '../domain/json/json-bounds.ts';
import type { ChatCall, ChatExchange, ChatHead } from '../providers/chat-contract.ts';
import { deleteResponse } from './response-rows.ts';
import { endLeft } from '../api/server/caller-left.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { answerBytesMax } from '../api/concurrency-limits.ts';
import { AnswerMemory } from './answer-memory.ts';
import { CallCancellation, CallCancelled } from './call-cancellation.ts';
import { CallerFault, RouteFault } from './route-faults.ts';
import { type AnswerReader, sendCall } from './send-call.ts';
import { ownResponse } from './stored-responses.ts';
import { answerUpstreamError, cleanedResponse } from './upstream-error-answer.ts';

const answerMsMax = 60_000;
/** Of a response that is still made and read as a stream. */
const streamMsMax = 3_600_000;

export interface StoredOperation {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the response's own path: '' or `/cancel`. */
  below: string;
}

/** Passes an operation on to the provider that made the response, and its answer back. */
export async function serveStored(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string,
  operation: StoredOperation,
): Promise<void> {
  const { calls } = deps.gates;
  calls.acquire();
  try {
    await passOn(deps, ctx, id, operation);
  } finally {
    calls.release();
  }
}

async function passOn(deps: ApiDependencies, ctx: ApiContext, id: string, operation: StoredOperation): Promise<void> {
  const { provider: name } = await ownResponse(deps, ctx, id, undefined);
  const provider = deps.chatProviders.get(name);
  if (!provider) throw new GatewayError('upstream_error', 'The provider of this response is no longer configured.');
  const earlyEnd = new CallCancellation();
  // Reading ends with its caller. What changes something is brought to its end, so that our own row follows it.
  if (operation.method === 'GET') {
    if (ctx.res.closed) earlyEnd.cancel('left');
    else ctx.res.once('close', () => earlyEnd.cancel('left'));
  }
  const call = callOf(ctx, id, operation);
  const room = new AnswerMemory(deps.gates.answerBytes, name);
  const timer = setTimeout(() => earlyEnd.cancel('lost'), call.stream ? streamMsMax : answerMsMax);
  try {
    const json = await new Promise<Buffer | undefined>((resolve, reject) => {
      const relay = new StoredRelay(ctx, room, resolve, reject);
      relay.begin(
        sendCall(deps, (listener) => provider.start(call, listener), relay),
        earlyEnd,
      );
    });
    if (operation.method === 'DELETE') await deleteResponse(deps.database, id, keyOf(ctx).accountId);
    if (json === undefined) return;
    const body = cleanedResponse(json, deps.configuration);
    ctx.status = 200;
    ctx.set('Content-Type', 'application/json');
    ctx.body = body;
  } catch (error) {
    if (earlyEnd.reason === 'left') {
      endLeft(ctx);
      return;
    }
    if (error instanceof CallerFault) {
      answerUpstreamError(ctx, error);
      return;
    }
    const told = toldOf(error);
    if (told.code === 'response_not_found' && operation.method === 'DELETE')
      await deleteResponse(deps.database, id, keyOf(ctx).accountId);
    throw told;
  } finally {
    clearTimeout(timer);
    room.closeWhenTaken(ctx, deps.downloadPace);
  }
}

function callOf(ctx: ApiContext, id: string, { method, below }: StoredOperation): ChatCall {
  // As it was written: `include[]` and whatever else the upstream may know.
  const query = method === 'GET' && ctx.querystring !== '' ? `?${ctx.querystring}` : '';
  const path = `responses/${encodeURIComponent(id)}${below}${query}`;
  const stream = method === 'GET' && new URLSearchParams(ctx.querystring).get('stream') === 'true';
  return { method, path, body: [], stream, requestId: ctx.state.requestId };
}

const jsonType = /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const eventStreamType = /^\s*text\/event-stream\s*(?:;|$)/i;

/** JSON is read whole, so that an error in it is seen; events pass as they come, no faster than it is taken. */
class StoredRelay implements AnswerReader {
  readonly #ctx: ApiContext;
  readonly #room: AnswerMemory;
  readonly #resolve: (json: Buffer | undefined) => void;
  readonly #reject: (error: Error) => void;
  readonly #pieces: Buffer[] = [];
  #exchange: ChatExchange | undefined;
  #isJson = true;
  #bytes = 0;

  constructor(
    ctx: ApiContext,
    room: AnswerMemory,
    resolve: (json: Buffer | undefined) => void,
    reject: (error: Error) => void,
  ) {
    this.#ctx = ctx;
    this.#room = room;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(exchange: ChatExchange, earlyEnd: CallCancellation): void {
    this.#exchange = exchange;
    this.#ctx.res.on('drain', () => exchange.resume());
    earlyEnd.onCancel(() => {
      exchange.abort();
      this.onFailure(new CallCancelled());
    });
    if (earlyEnd.reason !== undefined) {
      exchange.abort();
      this.#reject(new CallCancelled());
    }
  }

  /** From our origin nothing goes out that a browser would show: JSON and event streams, under our own types. */
  onSuccess(_latencyMs: number, { contentType }: ChatHead): void {
    this.#isJson = contentType === '' || jsonType.test(contentType);
    if (this.#isJson || eventStreamType.test(contentType)) return;
    this.#exchange?.abort();
    const text = 'The provider of this response returned neither JSON nor an event stream.';
    this.onFailure(new GatewayError('upstream_error', text));
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > answerBytesMax) {
      this.#exchange?.abort();
      this.onFailure(new GatewayError('upstream_error', 'The stored response is too large.'));
    } else if (this.#isJson) {
      this.#keep(chunk);
    } else {
      this.#sendHead();
      if (!this.#ctx.res.write(chunk)) this.#exchange?.pause();
    }
  }

  #keep(chunk: Buffer): void {
    const refusal = this.#room.tryTake(chunk.length);
    if (refusal) {
      this.#exchange?.abort();
      this.onFailure(refusal);
    } else this.#pieces.push(chunk);
  }

  onEnd(): void {
    if (this.#isJson) {
      this.#resolve(Buffer.concat(this.#pieces));
      return;
    }
    this.#sendHead();
    this.#ctx.res.end();
    this.#resolve(undefined);
  }

  /** What has begun can't become an error any more: it is cut off. */
  onFailure(error: Error): void {
    if (!this.#ctx.headerSent) this.#reject(error);
    else {
      this.#ctx.res.destroy();
      this.#resolve(undefined);
    }
  }

  /** With the first bytes, so that what fails before them is still told as an error. */
  #sendHead(): void {
    if (this.#ctx.headerSent) return;
    this.#ctx.respond = false;
    this.#ctx.status = 200;
    this.#ctx.set('Content-Type', 'text/event-stream; charset=utf-8');
    this.#ctx.set('Cache-Control', 'no-cache, no-transform');
    this.#ctx.set('X-Accel-Buffering', 'no');
  }
}

function toldOf(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const isTimeout =
    error instanceof CallCancelled ||
    ((error instanceof ChatUnreachable || error instanceof RouteFault) && error.kind === 'timeout');
  if (isTimeout) {
    return new GatewayError('upstream_timeout', 'The provider of this response did not respond in time.', {
      cause: error,
    });
  }
  if (error instanceof RouteFault && error.status === 404) {
    return new GatewayError('response_not_found', 'This response no longer exists.', { cause: error });
  }
  if (error instanceof RouteFault && error.kind === 'limited') {
    return new GatewayError('upstream_rate_limited', 'The provider of this response is rate limited. Retry later.', {
      retryAfterSeconds: Math.max(1, Math.ceil(error.retryAfterSeconds ?? 5)),
      cause: error,
    });
  }
  const isReached =
    isUnreadable(error) ||
    error instanceof RouteFault ||
    (error instanceof ChatUnreachable && error.kind !== 'connect');
  const text = isReached ? 'returned an unusable response' : 'could not be reached';
  return new GatewayError('upstream_error', `The provider of this response ${text}.`, { cause: error });
}
