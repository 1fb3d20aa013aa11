/** A call from its reading to its hold: its routes, the most that it can cost, and the early start at its first route. */
import type { CallAdmission, CallHold } from '../ledger/call-ledger.ts';
import { type ApiContext, idsOf, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { GatewayError } from '../domain/errors.ts';
import { idempotencyKeyOf } from '../api/idempotency-key.ts';
import { showRate } from '../api/middleware/authenticated.ts';
import { audioEndpoints } from '../domain/call-endpoints.ts';
import { refuseLate } from '../api/server/draining.ts';
import { type BoundedCall, type Call, continuedCall } from './call.ts';
import { CallCancellation } from './call-cancellation.ts';
import { CallClock } from './call-clock.ts';
import { CallTranslation } from './call-translation.ts';
import { type Route, routesOf } from './call-routes.ts';
import { CallRecord } from '../request-records/call-record.ts';
import { type SentCall, sendCall } from './send-call.ts';
import { previousResponse } from './stored-responses.ts';

/** A call whose money is held. */
export interface HeldCall {
  call: Call;
  hold: CallHold;
  /** In their order; none where no provider of the model has the endpoint. */
  routes: readonly Route[];
  /** Sent to the first route while the hold was being committed. */
  early: SentCall | undefined;
  cancellation: CallCancellation;
  clock: CallClock;
  /** What its record will say; a line of a batch has none. */
  record?: CallRecord;
}

/** A call whose Idempotency-Key was used before, with the blob of the first call's answer; null while that one runs. */
export interface RepeatedCall {
  answeredBefore: string | null;
}

/**
 * Holds the most that a call can cost. Where a refusal is practically impossible, the first route is asked meanwhile;
 * nothing of its answer passes before the hold is durable. Throws the refusal, with a code of the error table.
 */
export async function holdCall(
  deps: ApiDependencies,
  ctx: ApiContext,
  read: BoundedCall,
): Promise<HeldCall | RepeatedCall> {
  const previous = read.previousResponseId === undefined ? undefined : await continued(deps, ctx, read);
  const call = previous ? continuedCall(read, previous.contextTokens) : read;
  const routes = routesOf(deps, call, previous?.provider);
  if (routes.some(({ endpoint }) => endpoint !== call.endpoint)) {
    call.translation = new CallTranslation(call);
    ctx.set('X-Tollgate-Translated', call.translation.name);
  }
  const admission = admissionOf(deps, ctx, call);
  const clock = new CallClock();
  const record = new CallRecord(call.stream, clock);
  ctx.state.call = record;
  const [first] = routes;
  const isEarly = first !== undefined && deps.calls.canStartBeforeCommit(admission);
  const early = isEarly ? sendCall(deps, ctx, call, first, clock) : undefined;
  try {
    const admitted = await deps.calls.admit(admission);
    if (admitted.admitted === 'before') return { answeredBefore: admitted.answer };
    showRate(ctx, admitted.rate);
    if (admitted.admitted === 'no') throw admitted.refusal;
    return { call, hold: admitted.hold, routes, early, cancellation: new CallCancellation(), clock, record };
  } catch (error) {
    // What the upstream did of it is the operator's cost.
    early?.abort();
    if (early) deps.log.warn(idsOf(ctx), 'a call was refused after it was sent upstream');
    throw error;
  }
}

const continued = (deps: ApiDependencies, ctx: ApiContext, read: Call) =>
  previousResponse(deps, { account: keyOf(ctx).accountId, model: read.model.id }, read);

/** What the ledger is asked for a call. Refuses when this process takes none. */
function admissionOf(deps: ApiDependencies, ctx: ApiContext, call: BoundedCall): CallAdmission {
  refuseLate(ctx);
  if (!deps.owner.mayAdmit) {
    throw new GatewayError('not_ready', 'This gateway is not accepting calls. Retry in a few seconds.', {
      retryAfterSeconds: 2,
    });
  }
  const key = keyOf(ctx);
  const idempotencyKey = idempotencyKeyOf(ctx);
  return {
    account: key.accountId,
    key: key.id,
    requestId: ctx.state.requestId,
    model: call.model.id,
    request: {
      needs: audioEndpoints.has(call.endpoint) ? 'standard' : 'chat',
      model: call.model.id,
      maintenance: call.model.maintenance,
      hold: call.bound.total,
      currency: deps.configuration.currency,
      isTask: false,
    },
    lines: call.bound.lines,
    priceVersion: call.priceVersion,
    // What is read on top may be any number of tokens, so none is implausible.
    overrunFactor: call.readsUnknown ? undefined : call.model.overrunFactor,
    owner: deps.owner.id,
    ...(idempotencyKey !== undefined &&
      call.bodyHash && { idempotency: { key: idempotencyKey, bodyHash: call.bodyHash } }),
  };
}
