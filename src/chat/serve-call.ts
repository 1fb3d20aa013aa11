/** A chat or responses call from its body to its settlement. */
import { spliceChatBody } from '../domain/chat/splice.ts';
import { GatewayError } from '../domain/errors.ts';
import type { ChatCall, ChatEndpoint } from '../providers/chat-contract.ts';
import type { CallHold } from '../ledger/call-ledger.ts';
import { endLeft } from '../api/server/caller-left.ts';
import { type ApiContext, idsOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { answerBefore } from './idempotent-answer.ts';
import { admissionOf, admitCall, type BoundedCall, type Call, goingOn, readCall } from './call.ts';
import { EarlyCall } from './early-call.ts';
import { CallCancellation, CallCancelled } from './call-cancellation.ts';
import { CallClock } from './call-clock.ts';
import type { AdmittedCall } from './admitted-call.ts';
import { CallerFault } from './route-faults.ts';
import { bookSoon, estimatedPrice, releaseSoon } from './receipt.ts';
import { relayAnswer } from './relay-answer.ts';
import { relayStream } from './relay-stream.ts';
import { outcomeOfFault, overRoutes, type Route, routesOf } from './call-routes.ts';
import type { Start } from './send-call.ts';
import { responseBefore } from './stored-responses.ts';
import { answerUpstreamError } from './upstream-error-answer.ts';

/**
 * Serves a call: reads, holds, sends to the first route that answers, relays, settles. What fails before the first byte
 * gives its hold back before the caller is told.
 */
export async function serveCall(deps: ApiDependencies, ctx: ApiContext, endpoint: ChatEndpoint): Promise<void> {
  const { calls } = deps.gates;
  calls.require(); // before the body is read; but a place is only for a call that is there
  const call = await readCall(deps, ctx, endpoint);
  calls.acquire();
  try {
    await serveRead(deps, ctx, call);
  } finally {
    calls.release();
  }
}

async function serveRead(deps: ApiDependencies, ctx: ApiContext, read: BoundedCall): Promise<void> {
  const before = await responseBefore(deps, ctx, read);
  const call = before ? goingOn(read, before.contextTokens) : read;
  const admission = admissionOf(deps, ctx, call);
  const routes = routesOf(deps, call, before?.provider);
  const clock = new CallClock();
  const early = deps.calls.canStartBeforeCommit(admission) ? earlyCall(ctx, call, routes[0], clock) : undefined;
  try {
    const admitted = await admitCall(deps, ctx, admission).catch((error: unknown) => {
      if (early) deps.log.warn(idsOf(ctx), 'a call was refused after it was sent upstream');
      throw error;
    });
    if ('before' in admitted) await answerBefore(deps, ctx, call, admitted.before);
    else await serveHeld(deps, ctx, { call, hold: admitted.hold, clock }, routes, early);
  } finally {
    // Refused after all, or its caller left: what the upstream did of it is the operator's cost.
    early?.discard();
  }
}

async function serveHeld(
  deps: ApiDependencies,
  ctx: ApiContext,
  { call, hold, clock }: Omit<AdmittedCall, 'cancellation'>,
  routes: readonly Route[],
  early: EarlyCall | undefined,
): Promise<void> {
  const cancellation = new CallCancellation();
  const onClose = () => {
    if (!ctx.res.writableFinished && endsWithItsCaller(call, hold)) cancellation.cancel('left');
  };
  // Who left while the hold was being made is gone already.
  if (ctx.res.closed) onClose();
  else ctx.res.on('close', onClose);
  const stopListening = deps.owner.whenCallsEnd((reason) => cancellation.cancel(reason));
  try {
    await overRoutes(deps, ctx, call, routes, (route) =>
      attempt(deps, ctx, { call, hold, cancellation, clock }, route, route === routes[0] ? early : undefined),
    );
  } catch (error) {
    // Who leaves just as every route has refused pays nothing.
    if (cancellation.reason === 'left' && error instanceof CallCancelled) await chargeLeft(deps, call, hold);
    else await releaseSoon(deps, hold, error instanceof GatewayError ? error.code : 'upstream_error');
    if (cancellation.reason === 'left') {
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
  } finally {
    stopListening();
  }
}

async function attempt(
  deps: ApiDependencies,
  ctx: ApiContext,
  underWay: AdmittedCall,
  route: Route,
  early: EarlyCall | undefined,
): Promise<void> {
  const { call, cancellation, clock } = underWay;
  if (cancellation.reason !== undefined) throw new CallCancelled();
  const relay = call.stream ? relayStream : relayAnswer;
  const start: Start = early
    ? (listener) => early.handOver(listener)
    : (listener) => route.provider.start(upstreamCallOf(ctx, call, route), listener);
  if (!early) clock.sent();
  const counted = deps.meters.providers.of(route.name, 'chat');
  const { isGood, latencyMs } = await relay(deps, ctx, underWay, route, start).catch((error: unknown) => {
    counted.count(outcomeOfFault(error), clock.failed());
    throw error;
  });
  counted.count(isGood ? 'ok' : 'broke_off', latencyMs);
  clock.count(ctx, deps.meters.chat.of(call.model.id), call.stream);
  deps.health.record(call.model.id, isGood ? { latencyMs } : { latencyMs, errorCode: 'upstream_error' });
}

/** The first route is asked at once, while the hold is being committed. */
const earlyCall = (ctx: ApiContext, call: Call, route: Route | undefined, clock: CallClock): EarlyCall | undefined =>
  route && new EarlyCall(route.provider, upstreamCallOf(ctx, call, route), clock);

function upstreamCallOf(ctx: ApiContext, { bytes, members, stream, endpoint: path }: Call, { model }: Route): ChatCall {
  const includeUsage = stream && path === 'chat/completions';
  const body = spliceChatBody(bytes, { model, includeUsage }, members);
  return { method: 'POST', path, body, stream, requestId: ctx.state.requestId };
}

/** An answer under an Idempotency-Key is kept for whoever asks again; a model may be set to be read to its end. */
const endsWithItsCaller = (call: Call, hold: CallHold): boolean =>
  !(hold.isKeyed && !call.stream) && call.model.onDisconnect === 'abort';

/** The caller left before anything was answered: what it sent was read, and that is charged. */
async function chargeLeft(deps: ApiDependencies, call: Call, hold: CallHold): Promise<void> {
  await bookSoon(deps, hold, () => estimatedPrice(call, hold, ''));
}
