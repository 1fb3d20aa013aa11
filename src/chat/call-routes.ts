/**
 * A model's routes in their order. What is the route's fault falls over to the next one, as long as nothing has reached
 * the caller; what is the caller's fault goes back to the caller.
 */
import { GatewayError } from '../domain/errors.ts';
import type { ChatProvider } from '../providers/chat-contract.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { type ApiContext, idsOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { Call } from './call.ts';
import { CallCancelled } from './call-cancellation.ts';
import { CallerFault, RouteFault } from './route-faults.ts';

/** A provider that has the call's endpoint, and what the model is called there. */
export interface Route {
  provider: ChatProvider;
  /** The provider's, in the settings. */
  name: string;
  model: string;
}

/** The routes that a call may take, in their order; `only` names the provider that it has to go to. */
export function routesOf({ chatProviders }: ApiDependencies, call: Call, only: string | undefined): Route[] {
  return call.model.routes.flatMap(({ provider: name, model }) => {
    const provider = chatProviders.get(name);
    if (!provider?.endpoints.includes(call.endpoint) || (only !== undefined && name !== only)) return [];
    return [{ provider, name, model }];
  });
}

/**
 * Tries the routes until one has answered the caller. `attempt` sends to one provider and throws `RouteFault` as long as
 * nothing was delivered. When all have failed, refuses with one error for all of them.
 */
export async function overRoutes<T>(
  deps: ApiDependencies,
  ctx: ApiContext,
  call: Call,
  routes: readonly Route[],
  attempt: (route: Route) => Promise<T>,
): Promise<T> {
  const faults: RouteFault[] = [];
  for (const route of routes) {
    const startedAt = performance.now();
    try {
      return await attempt(route);
    } catch (error) {
      const fault = asFault(error);
      if (!fault) throw error;
      faults.push(fault);
      const latencyMs = Math.round(performance.now() - startedAt);
      deps.health.record(call.model.id, { errorCode: 'upstream_error', latencyMs });
      deps.log.warn(
        { ...idsOf(ctx), model: call.model.id, provider: route.name, fault: fault.message },
        'a route failed',
      );
    }
  }
  throw refusalOf(faults, call);
}

/** What is counted of a call that a provider did not answer with success. */
export function outcomeOfFault(error: unknown): string {
  if (error instanceof CallerFault) return 'refused';
  if (error instanceof CallCancelled) return 'left';
  return asFault(error)?.kind ?? 'error';
}

function asFault(error: unknown): RouteFault | undefined {
  if (error instanceof RouteFault) return error;
  if (error instanceof ChatUnreachable)
    return new RouteFault(error.kind === 'timeout' ? 'timeout' : 'fault', error.message, {
      isReached: error.kind !== 'connect',
    });
  return undefined;
}

function refusalOf(faults: readonly RouteFault[], { model, endpoint }: Call): GatewayError {
  if (faults.length === 0) {
    return new GatewayError('invalid_parameter', `The model '${model.id}' does not support the ${endpoint} endpoint.`, {
      param: 'model',
    });
  }
  if (faults.every(({ kind }) => kind === 'limited')) {
    const soonest = Math.min(...faults.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 5));
    return new GatewayError('upstream_rate_limited', `Every route of '${model.id}' is rate limited. Retry later.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(soonest)),
    });
  }
  if (faults.every(({ kind }) => kind === 'timeout')) {
    return new GatewayError('upstream_timeout', `'${model.id}' did not respond in time.`);
  }
  // Busy for the moment: who says when it won't be is believed.
  const waits = faults.map(({ status, retryAfterSeconds }) => (status === 503 ? retryAfterSeconds : undefined));
  const isBusy = waits.every((seconds) => seconds !== undefined);
  const [words, ...others] = new Set(faults.map(wordsOf));
  const text = words === undefined || others.length > 0 ? 'failed on all of its routes' : words;
  return new GatewayError('upstream_error', `'${model.id}' ${text}.`, {
    ...(isBusy && { retryAfterSeconds: Math.max(1, Math.ceil(Math.min(...waits))) }),
  });
}

/** What went wrong, without a word about where the route leads. */
function wordsOf({ status, isReached }: RouteFault): string {
  if (status === 503) return 'is overloaded. Retry in a few seconds';
  if (status !== undefined && status >= 500) return 'failed at its provider. Try again';
  if (status !== undefined) return "was refused by its provider. The gateway's operator has to fix this";
  return isReached ? 'returned an unusable response. Try again' : 'could not be reached';
}
