/**
 * A model's routes in their order. What is the route's fault falls over to the next one, as long as nothing has reached
 * the caller; what is the caller's fault goes back to the caller.
 */
import { GatewayError } from '../../domain/errors.ts';
import type { ChatAnswer, ChatProvider } from '../../providers/chat-contract.ts';
import { ChatUnreachable } from '../../domain/chat/unreachable.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Call } from './call.ts';
import { toldError } from './told-error.ts';

/** Told to the caller as it is, cleaned: they are about what the caller sent. */
const callersFault: ReadonlySet<number> = new Set([400, 413, 422]);
const error_bytes_max = 64 * 1024;

/** A route's failure before the first byte; the next route may do better. */
export class RouteFault extends Error {
  override readonly name = 'RouteFault';
  readonly kind: 'limited' | 'timeout' | 'fault';
  readonly retryAfterSeconds: number | undefined;
  /** Of the upstream's answer, if it gave one. */
  readonly status: number | undefined;
  constructor(
    kind: RouteFault['kind'],
    message: string,
    details: { retryAfterSeconds?: number | undefined; status?: number } = {},
  ) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.status = details.status;
  }
}

/** An answer that the upstream gave for the caller's own mistake, with its own status. */
export class CallerFault extends Error {
  override readonly name = 'CallerFault';
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  constructor(
    status: number,
    { message, param, code }: { message: string; param: string | null; code: string | null },
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}

/**
 * Tries the routes until one has answered the caller. `attempt` sends to one provider and throws `RouteFault` as long as
 * nothing was delivered. When all have failed, refuses with what the contract has for that.
 */
export async function overRoutes<T>(
  deps: ApiDependencies,
  call: Call,
  only: string | undefined,
  attempt: (provider: ChatProvider, model: string, providerName: string) => Promise<T>,
): Promise<T> {
  const faults: RouteFault[] = [];
  for (const route of call.model.routes) {
    const provider = deps.chatProviders.get(route.provider);
    if (!provider?.endpoints.includes(call.endpoint)) continue;
    if (only !== undefined && route.provider !== only) continue;
    const startedAt = performance.now();
    try {
      return await attempt(provider, route.model, route.provider);
    } catch (error) {
      const fault = asFault(error);
      if (!fault) throw error;
      faults.push(fault);
      const latencyMs = Math.round(performance.now() - startedAt);
      deps.health.record(call.model.id, { errorCode: 'upstream_error', latencyMs });
      deps.log.warn({ model: call.model.id, provider: route.provider, fault: fault.message }, 'a route failed');
    }
  }
  throw refusalOf(faults, call);
}

/** Throws what a head that is no success means; resolves for one that is. */
export async function requireSuccess({ configuration }: ApiDependencies, answer: ChatAnswer): Promise<void> {
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  if (callersFault.has(status)) {
    throw new CallerFault(status, toldError(await textOf(answer), answer.contentType, configuration));
  }
  answer.body.destroy();
  const kind = status === 429 ? 'limited' : status === 408 ? 'timeout' : 'fault';
  throw new RouteFault(kind, `it answered ${status}`, { retryAfterSeconds: answer.retryAfterSeconds, status });
}

/** The start of an error's body; the rest is of no use to anybody. */
async function textOf({ body }: ChatAnswer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= error_bytes_max) break;
  }
  return Buffer.concat(pieces).subarray(0, error_bytes_max);
}

function asFault(error: unknown): RouteFault | undefined {
  if (error instanceof RouteFault) return error;
  if (error instanceof ChatUnreachable)
    return new RouteFault(error.kind === 'timeout' ? 'timeout' : 'fault', error.message);
  return undefined;
}

function refusalOf(faults: readonly RouteFault[], { model, endpoint }: Call): GatewayError {
  if (faults.length === 0) {
    return new GatewayError('invalid_parameter', `The model '${model.id}' has no ${endpoint} endpoint.`, {
      param: 'model',
    });
  }
  if (faults.every(({ kind }) => kind === 'limited')) {
    const soonest = Math.min(...faults.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 5));
    return new GatewayError('upstream_rate_limited', `Every route of '${model.id}' is limited just now.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(soonest)),
    });
  }
  if (faults.every(({ kind }) => kind === 'timeout')) {
    return new GatewayError('upstream_timeout', `'${model.id}' did not answer in time.`);
  }
  return new GatewayError('upstream_error', `'${model.id}' could not be reached just now.`);
}
