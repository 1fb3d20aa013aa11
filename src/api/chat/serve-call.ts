/** A chat or responses call from its body to its settlement. */
import { spliceChatBody } from '../../domain/chat/splice.ts';
import { errorTable, GatewayError } from '../../domain/errors.ts';
import type { ChatEndpoint, ChatProvider } from '../../providers/chat-contract.ts';
import type { CallHold } from '../../storage/ledger/calls.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { answerBefore } from './answer-before.ts';
import { admitCall, type Call, readCall } from './call.ts';
import { estimatedPrice } from './receipt.ts';
import { relayAnswer } from './relay-answer.ts';
import { relayStream } from './relay-stream.ts';
import { CallerFault, overRoutes, requireSuccess } from './routes-of-call.ts';
import { ownResponse } from './stored-responses.ts';

/** Everything that the relays need of a call that was admitted. */
export interface CallUnderWay {
  call: Call;
  hold: CallHold;
  /** Aborts when nobody waits for the answer any more, or this process may not go on with it. */
  signal: AbortSignal;
}

/**
 * Serves a call: reads, holds, sends to the first route that answers, relays, settles. What fails before the first byte
 * gives its hold back before the caller is told.
 */
export async function serveCall(deps: ApiDependencies, ctx: ApiContext, endpoint: ChatEndpoint): Promise<void> {
  const call = await readCall(deps, ctx, endpoint);
  const { previousResponseId } = call;
  const only =
    previousResponseId === undefined
      ? undefined
      : await ownResponse(deps, ctx, previousResponseId, 'previous_response_id');
  const admitted = await admitCall(deps, ctx, call);
  if ('before' in admitted) {
    await answerBefore(deps, ctx, call, admitted.before);
    return;
  }
  const { hold } = admitted;
  const ending = new AbortController();
  const left = new AbortController();
  const onClose = () => {
    if (ctx.res.writableFinished || !endsWithItsCaller(call, hold)) return;
    left.abort();
    ending.abort();
  };
  // Who left while the hold was being made is gone already.
  if (ctx.res.closed) onClose();
  else ctx.res.once('close', onClose);
  const { signal } = ending;
  const stopListening = deps.owner.whenLost(() => ending.abort());
  try {
    await overRoutes(deps, call, only, (provider, model, name) =>
      attempt(deps, ctx, { call, hold, signal }, provider, model, name),
    );
  } catch (error) {
    if (left.signal.aborted) await chargeLeft(deps, call, hold);
    else await deps.calls.release(hold, error instanceof GatewayError ? error.code : 'upstream_error');
    if (signal.aborted) {
      throw new GatewayError('not_ready', 'This gateway could not go on with the call. Try again.', {
        retryAfterSeconds: 2,
        cause: error,
      });
    }
    if (!(error instanceof CallerFault)) throw error;
    answerCallerFault(ctx, error);
  } finally {
    stopListening();
  }
}

async function attempt(
  deps: ApiDependencies,
  ctx: ApiContext,
  underWay: CallUnderWay,
  provider: ChatProvider,
  model: string,
  providerName: string,
): Promise<void> {
  const { call, signal } = underWay;
  const includeUsage = call.stream && call.endpoint === 'chat/completions';
  const body = spliceChatBody(call.bytes, { model, includeUsage });
  const startedAt = performance.now();
  const { requestId } = ctx.state;
  const answer = await provider.send(
    { method: 'POST', path: call.endpoint, body, stream: call.stream, requestId },
    signal,
  );
  await requireSuccess(deps, answer);
  const latencyMs = Math.round(performance.now() - startedAt);
  let isGood = true;
  if (call.stream) ({ isGood } = await relayStream(deps, ctx, underWay, answer, providerName));
  else await relayAnswer(deps, ctx, underWay, answer, providerName);
  deps.health.record(call.model.id, isGood ? { latencyMs } : { latencyMs, errorCode: 'upstream_error' });
}

/** An answer under an Idempotency-Key is kept for whoever asks again; a model may be set to be read to its end. */
const endsWithItsCaller = (call: Call, hold: CallHold): boolean =>
  !(hold.isKeyed && !call.stream) && call.model.onDisconnect === 'abort';

/** The caller left before anything was answered: what it sent was read, and that is charged. */
async function chargeLeft({ calls }: ApiDependencies, call: Call, hold: CallHold): Promise<void> {
  await calls.settle(hold, await estimatedPrice(call, hold, ''));
}

/** The upstream's own words about the caller's mistake, under its own status. */
function answerCallerFault(ctx: ApiContext, { status, message, param, code }: CallerFault): void {
  ctx.status = status;
  ctx.body = { error: { message, type: errorTable.invalid_parameter.type, param, code } };
}
