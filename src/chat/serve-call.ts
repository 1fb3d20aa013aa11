/** A call from its body to its settlement: read, hold, send, relay, settle. */
import { GatewayError } from '../domain/errors.ts';
import type { CallEndpoint } from '../domain/call-endpoints.ts';
import { endLeft } from '../api/server/caller-left.ts';
import type { ApiContext } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { type BoundedCall, readCall } from './call.ts';
import { CallCancelled } from './call-cancellation.ts';
import { refusalOf } from './call-routes.ts';
import { type HeldCall, holdCall } from './hold-call.ts';
import { replayAnswer } from './idempotent-answer.ts';
import { inputPrice, releaseSoon, settleSoon } from './receipt.ts';
import { relayAnswer } from './relay-answer.ts';
import { relayAudio } from './relay-audio.ts';
import { relayStream } from './relay-stream.ts';
import { CallerFault } from './route-faults.ts';
import { tryRoutes } from './try-routes.ts';
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
    const { call, clock } = held;
    const relay = call.stream ? relayStream : call.speech ? relayAudio : relayAnswer;
    const faults = await tryRoutes(deps, ctx, held, relay); // the relay settles
    if (faults) throw refusalOf(faults, call);
    clock.count(ctx, deps.meters.chat.of(call.model.id), call.stream);
  } catch (error) {
    await endUnanswered(deps, ctx, held, error);
  } finally {
    stopListening();
    held.early?.abortUnread();
  }
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
    await settleSoon(deps, held, () => inputPrice(call, hold));
  } else {
    await releaseSoon(deps, held, error instanceof GatewayError ? error.code : 'upstream_error');
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
