/** A model's routes, and the error that a call is refused with when all of them have failed. */
import { GatewayError } from '../domain/errors.ts';
import type { RouteCost } from '../domain/catalogue.ts';
import { type CallEndpoint, providerEndpointOf, translatedEndpoints } from '../domain/call-endpoints.ts';
import type { ChatProvider } from '../providers/chat-contract.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { Call } from './call.ts';
import { CallCancelled } from './call-cancellation.ts';
import { CallerFault, RouteFault } from './route-faults.ts';

/** A provider that has the call's endpoint, and what the model is called there. */
export interface Route {
  provider: ChatProvider;
  /** The form that it is asked in. */
  endpoint: CallEndpoint;
  /** The provider's, in the settings. */
  name: string;
  model: string;
  /** What it charges the operator, as far as that is known. */
  cost: RouteCost | undefined;
}

/**
 * The routes that a call may take, in their order; `only` names the provider that it has to go to. Where none has the form
 * of the call, a model that translates is asked in the form of chat completions.
 */
export function routesOf(
  deps: Pick<ApiDependencies, 'chatProviders'>,
  { model, endpoint }: Pick<Call, 'model' | 'endpoint'>,
  only?: string,
): Route[] {
  const own = routesWith(deps, model, endpoint, only);
  return own.length > 0 || !model.translate || !translatedEndpoints.has(endpoint)
    ? own
    : routesWith(deps, model, 'chat/completions', only);
}

function routesWith(
  { chatProviders }: Pick<ApiDependencies, 'chatProviders'>,
  { routes }: Call['model'],
  endpoint: CallEndpoint,
  only: string | undefined,
): Route[] {
  return routes.flatMap(({ provider: name, model, cost }) => {
    const provider = chatProviders.get(name);
    if (!provider?.endpoints.includes(providerEndpointOf(endpoint)) || (only !== undefined && name !== only)) return [];
    return [{ provider, endpoint, name, model, cost }];
  });
}

/** Returns the outcome that is counted of a call that a provider did not answer with success. */
export function outcomeOfFault(error: unknown): string {
  if (error instanceof CallerFault) return 'refused';
  if (error instanceof CallCancelled) return 'left';
  return routeFaultOf(error)?.kind ?? 'error';
}

/** Returns whether an answer was lost on its way: the route took the call, and no word of its own came back. */
export const isLost = (error: unknown): boolean => error instanceof ChatUnreachable && error.kind === 'broken';

/** Returns the route's fault that an error is, if it is one: then the next route may do better. */
export function routeFaultOf(error: unknown): RouteFault | undefined {
  if (error instanceof RouteFault) return error;
  if (error instanceof ChatUnreachable)
    return new RouteFault(error.kind === 'timeout' ? 'timeout' : 'fault', error.message, {
      isReached: error.kind !== 'connect',
    });
  return undefined;
}

/** Returns one error for all faults. Without any, no route has the endpoint. */
export function refusalOf(faults: readonly RouteFault[], { model, endpoint }: Call): GatewayError {
  if (faults.length === 0) {
    return new GatewayError('invalid_parameter', `The model '${model.id}' does not support the ${endpoint} endpoint.`, {
      param: 'model',
    });
  }
  if (endpoint === 'responses/compact' && faults.every(({ status }) => status === 404)) return noSuchEndpoint(model.id);
  if (faults.every(({ kind }) => kind === 'limited')) {
    const soonest = Math.min(...faults.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 5));
    return new GatewayError('upstream_rate_limited', `Every route of '${model.id}' is rate limited. Retry later.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(soonest)),
    });
  }
  if (faults.every(({ kind }) => kind === 'timeout')) {
    return new GatewayError('upstream_timeout', `'${model.id}' did not respond in time.`);
  }
  // Anthropic's own way to say so, which its clients know and wait for.
  if (endpoint === 'messages' && faults.every(({ status }) => status === 529)) {
    const wait = Math.min(...faults.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 2));
    return new GatewayError('overloaded', `'${model.id}' is overloaded. Retry in a few seconds.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(wait)),
    });
  }
  // Overloaded for the moment: a provider that says when to retry is believed.
  const waits = faults.map(({ status, retryAfterSeconds }) => (status === 503 ? retryAfterSeconds : undefined));
  const isBusy = waits.every((seconds) => seconds !== undefined);
  const [words, ...others] = new Set(faults.map(wordsOf));
  const text = words === undefined || others.length > 0 ? 'failed on all of its routes' : words;
  return new GatewayError('upstream_error', `'${model.id}' ${text}.`, {
    ...(isBusy && { retryAfterSeconds: Math.max(1, Math.ceil(Math.min(...waits))) }),
  });
}

/** For endpoints that only some providers of responses have. */
export const noSuchEndpoint = (model: string): GatewayError =>
  new GatewayError('route_not_found', `No provider of '${model}' has this endpoint.`);

/** What went wrong, without a word about where the route leads. */
function wordsOf({ status, isReached }: RouteFault): string {
  if (status === 503 || status === 529) return 'is overloaded. Retry in a few seconds';
  if (status !== undefined && status >= 500) return 'failed at its provider. Try again';
  if (status !== undefined) return "was refused by its provider. The gateway's operator has to fix this";
  return isReached ? 'returned an unusable response. Try again' : 'could not be reached';
}
