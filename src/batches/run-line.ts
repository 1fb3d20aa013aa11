/**
 * A line that is a call: read, held, sent over its routes, and ended with its settlement in one transaction. There is no
 * HTTP request: what a route answers is stored instead of delivered.
 */
import { Readable } from 'node:stream';
import { batchTier } from '../domain/billing/token-card.ts';
import { outputTokens, promptTokens, type TokenCounts } from '../domain/billing/token-counts.ts';
import { holdOfCall } from '../domain/billing/token-hold.ts';
import { audioEndpoints, type CallEndpoint } from '../domain/call-endpoints.ts';
import { splicedNames } from '../domain/chat/splice.ts';
import { GatewayError } from '../domain/errors.ts';
import type { ApiKey } from '../accounts/api-keys.ts';
import { parseJsonBody } from '../api/body/json-body.ts';
import { AnswerMemory } from '../chat/answer-memory.ts';
import { type BoundedCall, callOf, continuedCall, modelOfCall, namesOfCall } from '../chat/call.ts';
import { CallCancellation, CallCancelled } from '../chat/call-cancellation.ts';
import { CallClock } from '../chat/call-clock.ts';
import { refusalOf, type Route, routeFaultOf, routesOf } from '../chat/call-routes.ts';
import { CallTranslation } from '../chat/call-translation.ts';
import { refuseLongInput } from '../chat/embeddings-length.ts';
import type { HeldCall } from '../chat/hold-call.ts';
import { countTokensIn, priceOfAnswer } from '../chat/receipt.ts';
import type { Outcome } from '../chat/relay-stream.ts';
import { CallerFault } from '../chat/route-faults.ts';
import type { CallSender, SentCall } from '../chat/send-call.ts';
import { keepResponse, previousResponse } from '../chat/stored-responses.ts';
import { tryRoutes } from '../chat/try-routes.ts';
import { takeAnswer, type WholeAnswer } from '../chat/whole-answer.ts';
import type { CallHold } from '../ledger/call-ledger.ts';
import type { LineId, LineOutcome, LineToSend, LineTokens } from '../ledger/commit/line-rows.ts';
import { newBlobKey, newRequestId } from '../postgres/new-ids.ts';
import { failedGuard } from '../postgres/database.ts';
import { answerOfCallerFault, answerOfRefusal, isBusy, kindOfRefusal, waitOf } from './line-errors.ts';
import type { SliceDependencies } from './slice-dependencies.ts';

/** A line with what it is sent under. */
export interface LineOrder {
  line: LineToSend & { sends: number };
  key: ApiKey;
  /** Without a root in front. */
  endpoint: CallEndpoint;
  body: Buffer;
  /** Called when no provider works on it any more; what is left is to write down what became of it. */
  whenAnswered?: () => void;
}

/**
 * What a line came to. `refused`: nothing was held, it is pending as before, and what to do with it and those behind it is
 * the slice's to decide. `gone`: another slice has it.
 */
export type LineEnd =
  | { became: 'completed' | 'failed' | 'resent' | 'unknown' | 'gone' }
  | { became: 'postponed'; waitMs: number }
  | { became: 'refused'; refusal: GatewayError; requestId: string };

/** Answers of more than this are blobs of their own. */
const answerBytesInRow = 64 * 1024;
const answersFolder = 'batch-answers';

/** Runs a line to its end. Rejects where even that could not be written: its hold is then swept, and the line taken back. */
export async function runLine(deps: SliceDependencies, order: LineOrder): Promise<LineEnd> {
  const sender = new LineSender(newRequestId());
  const { requestId } = sender.state;
  let held: HeldCall;
  try {
    held = await holdLine(deps, order, requestId);
  } catch (error) {
    if (failedGuard(error) === 'line_claimed') return { became: 'gone' };
    if (!(error instanceof GatewayError)) throw error;
    return { became: 'refused', refusal: error, requestId };
  }
  const stopListening = deps.owner.whenCallsEnd((reason) => held.cancellation.cancel(reason));
  try {
    const faults = await tryRoutes(deps, sender, held, takeLine);
    order.whenAnswered?.();
    if (!sender.taken) throw refusalOrWait(faults ?? [], held);
    try {
      return await complete(deps, order, held, sender.taken);
    } finally {
      sender.taken.room.close();
    }
  } catch (error) {
    return await endWithoutAnswer(deps, order, held, error);
  } finally {
    stopListening();
  }
}

/** What a line is to the parts of a call that ask for a request: it has an id, and no headers. */
class LineSender implements CallSender {
  readonly state: { requestId: string };
  taken: (WholeAnswer & { route: Route; room: AnswerMemory }) | undefined;

  constructor(requestId: string) {
    this.state = { requestId };
  }

  get(): string {
    return '';
  }
}

/** Reads a line and holds the most that it can cost; from then on it is `sent`. Throws the refusal. */
export async function holdLine(deps: SliceDependencies, order: LineOrder, requestId: string): Promise<HeldCall> {
  const { key, endpoint, line } = order;
  const body = await parseJsonBody(order.body, { names: namesOfCall[endpoint], places: splicedNames });
  const model = modelOfCall(deps, key, endpoint, body.value);
  const read = atBatchPrice(callOf(deps, model, endpoint, body));
  if (read.stream)
    throw new GatewayError('invalid_parameter', 'A line of a batch is not streamed.', { param: 'stream' });
  if (endpoint === 'embeddings') await refuseLongInput(body);
  const previous = await previousResponse(deps, { account: key.accountId, model: model.id }, read);
  const call = previous ? continuedCall(read, previous.contextTokens) : read;
  const routes = routesOf(deps, call, previous?.provider);
  if (routes.length === 0) throw refusalOf([], call);
  if (routes.some((route) => route.endpoint !== endpoint)) call.translation = new CallTranslation(call);
  if (!deps.owner.mayAdmit)
    throw new GatewayError('not_ready', 'This process is not accepting calls.', { retryAfterSeconds: 2 });
  const admitted = await deps.calls.admit({
    account: key.accountId,
    key: key.id,
    requestId,
    model: model.id,
    request: {
      needs: audioEndpoints.has(endpoint) ? 'standard' : 'chat',
      model: model.id,
      maintenance: model.maintenance,
      hold: call.bound.total,
      currency: deps.configuration.currency,
      isTask: false,
    },
    lines: call.bound.lines,
    priceVersion: call.priceVersion,
    overrunFactor: call.readsUnknown ? undefined : model.overrunFactor,
    owner: deps.owner.id,
    line: { batchId: line.batchId, n: line.n, claim: line.claim },
    isPatient: routes.some(({ name }) => deps.paces.of(name).isShared),
  });
  if (admitted.admitted === 'no') throw admitted.refusal;
  if (admitted.admitted === 'before') throw new TypeError('a line has no idempotency key');
  const { hold } = admitted;
  return { call, hold, routes, early: undefined, cancellation: new CallCancellation(), clock: new CallClock() };
}

/** A call under the price of batches, where its model has one; else under the normal one. */
export function atBatchPrice(call: BoundedCall): BoundedCall {
  if (!call.price.batch) return call;
  const bounds = { ...call.bounds, tiers: [batchTier] };
  return { ...call, bounds, tier: batchTier, bound: holdOfCall(call.price, bounds) };
}

/** Takes an answer whole, and lets the pace know how the provider is. */
async function takeLine(
  deps: SliceDependencies,
  sender: LineSender,
  held: HeldCall,
  route: Route,
  sent: SentCall,
): Promise<Outcome> {
  const room = new AnswerMemory(deps.concurrencyLimits.answerBytes, route.name);
  try {
    const answer = await takeAnswer(deps, held, route, sent, room);
    deps.paces.of(route.name).answered();
    sender.taken = { ...answer, route, room };
    return { isGood: true, latencyMs: answer.latencyMs };
  } catch (error) {
    room.close();
    const fault = routeFaultOf(error);
    if (fault && isBusy(fault)) {
      const { retryAfterSeconds } = fault;
      deps.paces.of(route.name).busy(retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000);
    }
    throw error;
  }
}

/** All routes are busy: the line is sent again later. */
class AllBusy extends Error {
  override readonly name = 'AllBusy';
  readonly waitMs: number;
  constructor(waitMs: number) {
    super('every route is busy');
    this.waitMs = waitMs;
  }
}

function refusalOrWait(faults: Parameters<typeof refusalOf>[0], { call }: HeldCall): Error {
  const waitMs = waitOf(faults);
  return waitMs === undefined ? refusalOf(faults, call) : new AllBusy(waitMs);
}

/** Stores an answer and captures its price, in one transaction. */
export async function complete(
  deps: SliceDependencies,
  { line, key }: Pick<LineOrder, 'key'> & { line: LineId },
  held: HeldCall,
  { bytes, ended, route }: Omit<WholeAnswer, 'latencyMs'> & { route: Route },
): Promise<{ became: 'completed' }> {
  const { id, usage } = ended.stated;
  if (route.endpoint === 'responses' && id !== undefined)
    await keepResponse(deps.database, key.accountId, { id, call: held.call, provider: route.name, usage });
  const stored = bytes.length <= answerBytesInRow ? { answer: bytes } : { answerBlob: await storeAnswer(deps, bytes) };
  const price = await priceOfAnswer(deps, held, route, ended);
  const tokens = price.counts && tokensOf(price.counts);
  await deps.calls.settle(held.hold, price, {
    ...{ batchId: line.batchId, n: line.n, state: 'completed', statusCode: 200 },
    ...stored,
    ...(tokens && { tokens }),
  });
  countTokensIn(deps.meters.chat.of(held.hold.model), price);
  return { became: 'completed' };
}

/** What a rerun of this call costs is more than a store that is away for a moment is worth. */
const storeTries = 3;
const storeAgainMs = 2_000;

async function storeAnswer({ blobs, log }: SliceDependencies, bytes: Buffer): Promise<string> {
  for (let tries = 1; ; tries++) {
    const key = newBlobKey(answersFolder);
    try {
      await blobs.write(key, Readable.from([bytes]), { bytesMax: bytes.length });
      return key;
    } catch (error) {
      if (tries === storeTries) throw error;
      log.warn({ err: error }, 'the answer of a line could not be stored; it is tried again');
      await new Promise((resolve) => setTimeout(resolve, storeAgainMs * tries));
    }
  }
}

const tokensOf = (counts: TokenCounts): LineTokens => ({
  input: promptTokens(counts),
  cached: counts.cacheRead,
  output: outputTokens(counts),
  reasoning: counts.reasoning,
});

/** Gives the hold back, and has the line end, wait or be sent again, as its error has it. */
async function endWithoutAnswer(
  deps: SliceDependencies,
  { line, endpoint }: LineOrder,
  { hold }: HeldCall,
  error: unknown,
): Promise<LineEnd> {
  const { batchId, n } = line;
  const release = (reason: string, outcome: Omit<LineOutcome, 'batchId' | 'n'>) =>
    releaseLine(deps, hold, reason, { batchId, n, ...outcome });
  if (error instanceof AllBusy) {
    await release('upstream_rate_limited', { state: 'pending', isUnsent: true, notBefore: soon(error.waitMs) });
    return { became: 'postponed', waitMs: error.waitMs };
  }
  if (error instanceof CallerFault) {
    const answer = answerOfCallerFault(endpoint, error, hold.requestId);
    await release('upstream_error', { state: 'failed', ...answer });
    return { became: 'failed' };
  }
  if (error instanceof GatewayError && kindOfRefusal(error) !== 'later') {
    await release(error.code, { state: 'failed', ...answerOfRefusal(endpoint, error, hold.requestId) });
    return { became: 'failed' };
  }
  // It may have been carried out: this process stops, had no room for the answer, or could not store it.
  if (!(error instanceof CallCancelled))
    deps.log.warn({ err: error, requestId: hold.requestId }, 'the answer of a line was lost');
  const mayResend = line.sends < deps.configuration.batches.resend;
  await release(
    'outcome_unknown',
    mayResend ? { state: 'pending', notBefore: soon(resendMs) } : { state: 'unknown', errorCode: 'outcome_unknown' },
  );
  return { became: mayResend ? 'resent' : 'unknown' };
}

const resendMs = 2_000;
const soon = (ms: number): Date => new Date(Date.now() + ms);

/** A hold that was swept meanwhile is gone, and its line is taken back by the next slice. */
const releaseLine = ({ calls }: SliceDependencies, hold: CallHold, reason: string, line: LineOutcome): Promise<void> =>
  calls.release(hold, reason, { line });
