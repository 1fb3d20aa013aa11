/** Responses that upstreams keep: read, cancelled and deleted where they were made, by the account that made them. */
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { GatewayError } from '../domain/errors.ts';
import { isUnreadable } from '../domain/json/json-bounds.ts';
import type { ChatCall, ChatHead, ChatProvider } from '../providers/chat-contract.ts';
import { deleteResponse } from './response-rows.ts';
import { endLeft } from '../api/server/caller-left.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { answerBytesMax } from '../api/concurrency-limits.ts';
import { AnswerMemory } from './answer-memory.ts';
import { CallCancellation, CallCancelled } from './call-cancellation.ts';
import { CallerFault, RouteFault } from './route-faults.ts';
import { type AnswerReader, SentCall } from './send-call.ts';
import { ownResponse } from './stored-responses.ts';
import { answerUpstreamError, cleanedResponse } from './upstream-error-answer.ts';

const answerMsMax = 60_000;
/** Of a response that is still being made and is read as a stream. */
const streamMsMax = 3_600_000;

export interface StoredOperation {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the response's own path. */
  below: '' | '/cancel' | '/input_items';
}

/** Forwards an operation to the provider that made the response, and its answer to the caller. */
export async function serveStored(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string,
  operation: StoredOperation,
): Promise<void> {
  const { calls } = deps.concurrencyLimits;
  calls.acquire();
  try {
    await forward(deps, ctx, id, operation);
  } finally {
    calls.release();
  }
}

async function forward(deps: ApiDependencies, ctx: ApiContext, id: string, operation: StoredOperation): Promise<void> {
  const { provider: name } = await ownResponse(deps.database, keyOf(ctx).accountId, id);
  const provider = deps.chatProviders.get(name);
  if (!provider) throw new GatewayError('upstream_error', 'The provider of this response is no longer configured.');
  const cancellation = new CallCancellation();
  // Reading ends with its caller. What changes something is completed, so that our own row follows it.
  if (operation.method === 'GET') {
    if (ctx.res.closed) cancellation.cancel('client_disconnected');
    else ctx.res.once('close', () => cancellation.cancel('client_disconnected'));
  }
  const call = callOf(ctx, id, operation);
  const room = new AnswerMemory(deps.concurrencyLimits.answerBytes, name);
  const timer = setTimeout(() => cancellation.cancel('lost'), call.stream ? streamMsMax : answerMsMax);
  try {
    const json = await new Promise<Buffer | undefined>((resolve, reject) => {
      const sent = new SentCall(provider, call, deps.configuration);
      new StoredRelay(ctx, room, sent, resolve, reject).begin(cancellation);
    });
    if (operation.method === 'DELETE') await deleteResponse(deps.database, id, keyOf(ctx).accountId);
    if (json === undefined) return;
    const body = cleanedResponse(json, deps.configuration);
    ctx.status = 200;
    ctx.set('Content-Type', 'application/json');
    ctx.body = body;
  } catch (error) {
    if (cancellation.reason === 'client_disconnected') {
      endLeft(ctx);
      return;
    }
    if (error instanceof CallerFault) {
      answerUpstreamError(ctx, error);
      return;
    }
    const refusal = gatewayErrorOf(error);
    if (refusal.code === 'response_not_found' && operation.below === '/input_items') {
      const isThere = await isKept(deps, provider, { ...call, path: `responses/${encodeURIComponent(id)}` });
      if (isThere) throw new GatewayError('route_not_found', 'The provider of this response lists no input items.');
    }
    if (refusal.code === 'response_not_found' && operation.method === 'DELETE')
      await deleteResponse(deps.database, id, keyOf(ctx).accountId);
    throw refusal;
  } finally {
    clearTimeout(timer);
    room.closeWhenTaken(ctx, deps.downloadPace);
  }
}

/** Whether a provider still has the response that a call asks for. */
function isKept({ configuration }: ApiDependencies, provider: ChatProvider, call: ChatCall): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = new SentCall(provider, { ...call, stream: false }, configuration);
    const end = (isThere: boolean) => {
      sent.abort();
      resolve(isThere);
    };
    sent.readBy({
      onSuccess: () => end(true),
      onData: () => undefined,
      onEnd: () => undefined,
      onFailure: () => end(false),
    });
  });
}

function callOf(ctx: ApiContext, id: string, { method, below }: StoredOperation): ChatCall {
  // As it was written: `include[]`, and other parameters that the upstream may have.
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
  readonly #sent: SentCall;
  readonly #resolve: (json: Buffer | undefined) => void;
  readonly #reject: (error: Error) => void;
  readonly #pieces: Buffer[] = [];
  #isJson = true;
  #bytes = 0;

  constructor(
    ctx: ApiContext,
    room: AnswerMemory,
    sent: SentCall,
    resolve: (json: Buffer | undefined) => void,
    reject: (error: Error) => void,
  ) {
    this.#ctx = ctx;
    this.#room = room;
    this.#sent = sent;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(cancellation: CallCancellation): void {
    const cancel = () => {
      this.#sent.abort();
      this.onFailure(new CallCancelled());
    };
    this.#ctx.res.on('drain', () => this.#sent.resume());
    cancellation.onCancel(cancel);
    this.#sent.readBy(this);
    if (cancellation.reason !== undefined) cancel();
  }

  /** From our origin nothing goes out that a browser would show: JSON and event streams, under our own types. */
  onSuccess(_latencyMs: number, { contentType }: ChatHead): void {
    this.#isJson = contentType === '' || jsonType.test(contentType);
    if (this.#isJson || eventStreamType.test(contentType)) return;
    this.#sent.abort();
    const text = 'The provider of this response returned neither JSON nor an event stream.';
    this.onFailure(new GatewayError('upstream_error', text));
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > answerBytesMax) {
      this.#sent.abort();
      this.onFailure(new GatewayError('upstream_error', 'The stored response is too large.'));
    } else if (this.#isJson) {
      this.#keep(chunk);
    } else {
      this.#sendHead();
      if (!this.#ctx.res.write(chunk)) this.#sent.pause();
    }
  }

  #keep(chunk: Buffer): void {
    const refusal = this.#room.tryTake(chunk.length);
    if (refusal) {
      this.#sent.abort();
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

  /** An answer that has begun can't become an error any more: it is cut off. */
  onFailure(error: Error): void {
    if (!this.#ctx.headerSent) this.#reject(error);
    else {
      this.#ctx.res.destroy();
      this.#resolve(undefined);
    }
  }

  /** With the first bytes, so that a failure before them is still an error answer. */
  #sendHead(): void {
    if (this.#ctx.headerSent) return;
    this.#ctx.respond = false;
    this.#ctx.status = 200;
    this.#ctx.set('Content-Type', 'text/event-stream; charset=utf-8');
    this.#ctx.set('Cache-Control', 'no-cache, no-transform');
    this.#ctx.set('X-Accel-Buffering', 'no');
  }
}

function gatewayErrorOf(error: unknown): GatewayError {
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
