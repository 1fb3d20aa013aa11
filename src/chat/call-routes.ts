/** A model's routes, and the error that a call is refused with when all of them have failed. */
import { GatewayError } from '../domain/errors.ts';
import type { ChatProvider } from '../providers/chat-contract.ts';
import { ChatUnreachable } from '../domain/chat/unreachable.ts';
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

/** Returns the outcome that is counted of a call that a provider did not answer with success. */
export function outcomeOfFault(error: unknown): string {
  if (error instanceof CallerFault) return 'refused';
  if (error instanceof CallCancelled) return 'left';
  return routeFaultOf(error)?.kind ?? 'error';
}

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
  if (faults.every(({ kind }) => kind === 'limited')) {
    const soonest = Math.min(...faults.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 5));
    return new GatewayError('upstream_rate_limited', `Every route of '${model.id}' is rate limited. Retry later.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(soonest)),
    });
  }
  if (faults.every(({ kind }) => kind === 'timeout')) {
    return new GatewayError('upstream_timeout', `'${model.id}' did not respond in time.`);
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

/** What went wrong, without a word about where the route leads. */
function wordsOf({ status, isReached }: RouteFault): string {
  if (status === 503) return 'is overloaded. Retry in a few seconds';
  if (status !== undefined && status >= 500) return 'failed at its provider. Try again';
  if (status !== undefined) return "was refused by its provider. The gateway's operator has to fix this";
  return isReached ? 'returned an unusable response. Try again' : 'could not be reached';
}
