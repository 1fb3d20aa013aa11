/** A call from its body to its settlement: read, hold, send, relay, settle. */
import { GatewayError } from '../domain/errors.ts';
import { type CallEndpoint, repeatableEndpoints } from '../domain/call-endpoints.ts';
import { endLeft } from '../api/server/caller-left.ts';
import { type ApiContext, idsOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { type BoundedCall, readCall } from './call.ts';
import { CallCancelled } from './call-cancellation.ts';
import { isLost, outcomeOfFault, refusalOf, type Route, routeFaultOf } from './call-routes.ts';
import { type HeldCall, holdCall } from './hold-call.ts';
import { replayAnswer } from './idempotent-answer.ts';
import { inputPrice, releaseSoon, settleSoon } from './receipt.ts';
import { relayAnswer } from './relay-answer.ts';
import { relayAudio } from './relay-audio.ts';
import { relayStream } from './relay-stream.ts';
import { CallerFault, type RouteFault } from './route-faults.ts';
import { sendCall } from './send-call.ts';
import { answerUpstreamError } from './upstream-error-answer.ts';

/**
 * Serves a call. Nothing is delivered before its hold is durable; what fails before the first byte gives the hold back
 * before the caller gets the error.
 */
export async function serveCall(deps: ApiDependencies, ctx: ApiContext, endpoint: CallEndpoint): Promise<void> {
  const { calls } = deps.concurrencyLimits;
  calls.require(); // before the body is read; but a slot is taken only once the body is there
  await serveRead(deps, ctx, await readCall(deps, ctx, endpoint));
}

/** Serves a call that was read: see `serveCall`. */
export async function serveRead(deps: ApiDependencies, ctx: ApiContext, read: BoundedCall): Promise<void> {
  const { calls } = deps.concurrencyLimits;
  calls.acquire();
  try {
    const held = await holdCall(deps, ctx, read); // may have started upstream
    if ('answeredBefore' in held) await replayAnswer(deps, ctx, read, held.answeredBefore);
    else await serveHeld(deps, ctx, held);
  } finally {
    calls.release();
  }
}

async function serveHeld(deps: ApiDependencies, ctx: ApiContext, held: HeldCall): Promise<void> {
  const stopListening = listenForCancellation(deps, ctx, held);
  try {
    await relayFirstAnswer(deps, ctx, held); // the relay settles
  } catch (error) {
    await endUnanswered(deps, ctx, held, error);
  } finally {
    stopListening();
    held.early?.abortUnread();
  }
}

/**
 * Tries the routes in their order until one has answered the caller. What is the route's fault falls over to the next
 * one, as long as nothing was delivered; a call that may be repeated asks a route once more that lost its answer. When all have failed, refuses with one error for all of them.
 */
async function relayFirstAnswer(deps: ApiDependencies, ctx: ApiContext, held: HeldCall): Promise<void> {
  const { call, routes, cancellation, clock } = held;
  const relay = call.stream ? relayStream : call.speech ? relayAudio : relayAnswer;
  const faults: RouteFault[] = [];
  const waiting = [...routes];
  const repeated = new Set<Route>();
  for (let route = waiting.shift(); route !== undefined; route = waiting.shift()) {
    if (cancellation.reason !== undefined) throw new CallCancelled();
    const early = route === routes[0] && !repeated.has(route) ? held.early : undefined;
    const counted = deps.meters.providers.of(route.name, 'chat');
    try {
      const sent = early ?? sendCall(deps, ctx, call, route, clock);
      const { isGood, latencyMs } = await relay(deps, ctx, held, route, sent);
      counted.count(isGood ? 'ok' : 'broke_off', latencyMs);
      clock.count(ctx, deps.meters.chat.of(call.model.id), call.stream);
      deps.health.record(call.model.id, isGood ? { latencyMs } : { latencyMs, errorCode: 'upstream_error' });
      return;
    } catch (error) {
      const failedMs = clock.failed();
      counted.count(outcomeOfFault(error), failedMs);
      const fault = routeFaultOf(error);
      if (!fault) throw error;
      faults.push(fault);
      if (isLost(error) && repeatableEndpoints.has(call.endpoint) && !repeated.has(route)) {
        repeated.add(route);
        waiting.unshift(route);
      }
      deps.health.record(call.model.id, { errorCode: 'upstream_error', latencyMs: Math.round(failedMs) });
      deps.log.warn(
        { ...idsOf(ctx), model: call.model.id, provider: route.name, fault: fault.message },
        'a route failed',
      );
    }
  }
  throw refusalOf(faults, call);
}

/** Cancels a call when its caller disconnects or this process has to end it. Returns how to stop listening. */
function listenForCancellation(
  { owner }: ApiDependencies,
  ctx: ApiContext,
  { call, hold, cancellation }: HeldCall,
): () => void {
  // The answer under an Idempotency-Key is kept for a repetition; a model may be set to be read to its end.
  const endsWithItsCaller = !(hold.isKeyed && !call.stream) && call.model.onDisconnect === 'abort';
  const onClose = () => {
    if (!ctx.res.writableFinished && endsWithItsCaller) cancellation.cancel('client_disconnected');
  };
  // The caller may have disconnected while the hold was being made.
  if (ctx.res.closed) onClose();
  else ctx.res.on('close', onClose);
  return owner.whenCallsEnd((reason) => cancellation.cancel(reason));
}

/** Nothing was delivered: gives the hold back, and answers with the error if the caller is still there. */
async function endUnanswered(deps: ApiDependencies, ctx: ApiContext, held: HeldCall, error: unknown): Promise<void> {
  const { call, hold, cancellation } = held;
  const isDisconnected = cancellation.reason === 'client_disconnected';
  // What the caller sent was read, and that is charged. A caller that disconnects just as every route has refused pays
  // nothing.
  if (isDisconnected && error instanceof CallCancelled) {
    await settleSoon(deps, hold, () => inputPrice(call, hold));
  } else {
    await releaseSoon(deps, hold, error instanceof GatewayError ? error.code : 'upstream_error');
  }
  if (isDisconnected) {
    endLeft(ctx);
    return;
  }
  if (cancellation.reason !== undefined) {
    throw new GatewayError('not_ready', 'This gateway could not continue the call. Try again.', {
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  if (!(error instanceof CallerFault)) throw error;
  answerUpstreamError(ctx, error);
}
