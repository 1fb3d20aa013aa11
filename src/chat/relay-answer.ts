/** An answer that is not streamed: read whole, metered, forwarded as it came. */
import { Readable } from 'node:stream';
import type { TokenCounts } from '../domain/billing/token-counts.ts';
import { type AnswerFacts, answerFacts, plainAnswerFacts } from '../domain/chat/answer-facts.ts';
import { isUnreadable } from '../domain/json/json-bounds.ts';
import { plainTranscripts } from '../domain/requests/transcription-request.ts';
import { GatewayError } from '../domain/errors.ts';
import type { CallPrice } from '../ledger/call-ledger.ts';
import { newBlobKey } from '../postgres/new-ids.ts';
import type { ApiContext } from '../api/context.ts';
import { answerBytesMax } from '../api/concurrency-limits.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { AnswerMemory } from './answer-memory.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import { mediaTypeOfAnswer } from './call.ts';
import type { CallTranslation } from './call-translation.ts';
import { type CallCancellation, CallCancelled } from './call-cancellation.ts';
import type { HeldCall } from './hold-call.ts';
import { countForCaller, type EndedAnswer, priceOfAnswer, settleInBackground, settleSoon } from './receipt.ts';
import type { Outcome } from './relay-stream.ts';
import { RouteFault } from './route-faults.ts';
import type { Route } from './call-routes.ts';
import type { SentCall } from './send-call.ts';
import { keepResponse } from './stored-responses.ts';
import { cleanedResponse } from './upstream-error-answer.ts';

/** Delivers the answer and settles its price. Throws `RouteFault` for what is no answer: the next route may do better. */
export async function relayAnswer(
  deps: ApiDependencies,
  ctx: ApiContext,
  held: HeldCall,
  route: Route,
  sent: SentCall,
): Promise<Outcome> {
  const room = new AnswerMemory(deps.concurrencyLimits.answerBytes, route.name);
  try {
    const { call, hold } = held;
    const { bytes: came, facts, latencyMs } = await readAnswer(deps, held, route, sent, room);
    const { id, usage } = facts.stated;
    const ended = endedAnswerOf(facts);
    const counting = countForCaller(held, route, ended);
    const counted = counting && (await counting);
    const bytes = call.translation ? translated(call.translation, came, counted) : came;
    if (route.endpoint === 'responses' && id !== undefined)
      await keepResponse(deps, ctx, { id, call, provider: route.name, usage });
    const price = () => priceOfAnswer(deps, held, route, { ...ended, counted });
    if (hold.isKeyed) await settleKeyed(deps, held, bytes, price);
    else settleInBackground(deps, hold, price);
    send(ctx, bytes, mediaTypeOfAnswer(call));
    room.closeWhenTaken(ctx, deps.downloadPace);
    return { isGood: true, latencyMs };
  } catch (error) {
    room.close();
    throw error;
  }
}

/** Throws `RouteFault` for an answer that has no form of the caller's. */
function translated(translation: CallTranslation, bytes: Buffer, counted: TokenCounts | undefined): Buffer {
  try {
    return translation.answer(bytes, counted);
  } catch (error) {
    if (error instanceof GatewayError) throw new RouteFault('fault', error.message);
    if (!isUnreadable(error)) throw error;
    throw new RouteFault('fault', 'its answer has more values than are read');
  }
}

interface ReadAnswer {
  /** For the caller. */
  bytes: Buffer;
  facts: AnswerFacts;
  latencyMs: number;
}

async function readAnswer(
  deps: ApiDependencies,
  { call, cancellation }: HeldCall,
  { endpoint }: Route,
  sent: SentCall,
  room: AnswerMemory,
): Promise<ReadAnswer> {
  const { bytes: whole, latencyMs } = await readWhole(sent, cancellation, room);
  try {
    const isPlain = call.upload !== undefined && plainTranscripts.has(call.upload.format);
    const facts = isPlain ? plainAnswerFacts(whole) : answerFacts(endpoint, whole, { countsTools: call.countsTools });
    if (!facts) throw new RouteFault('fault', 'its answer is not a JSON object');
    // Some relays answer 200 and say in the body that they failed.
    if (facts.hasError && !facts.hasOutput) throw new RouteFault('fault', 'its answer is an error');
    // A response that failed is an answer, with the reason in it.
    return { bytes: facts.hasError ? cleanedResponse(whole, deps.configuration) : whole, facts, latencyMs };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    throw new RouteFault('fault', 'its answer has more values than are read, or is broken where it is read');
  }
}

/** Gathers the answer. Rejects as `AnswerReader.onFailure` has it, with `CallCancelled`, or with the refusal of `room`. */
function readWhole(
  sent: SentCall,
  cancellation: CallCancellation,
  room: AnswerMemory,
): Promise<{ bytes: Buffer; latencyMs: number }> {
  return new Promise((resolve, reject) => {
    const body = new BoundedBuffer(answerBytesMax);
    let latencyMs = 0;
    cancellation.onCancel(() => {
      sent.abort();
      reject(new CallCancelled());
    });
    sent.readBy({
      onSuccess: (ms) => {
        latencyMs = ms;
      },
      onData: (chunk) => {
        const refusal = room.tryTake(chunk.length);
        if (!refusal && body.add(chunk)) return;
        sent.abort();
        reject(refusal ?? new RouteFault('fault', 'its answer is too large'));
      },
      onEnd: () => resolve({ bytes: body.joined(), latencyMs }),
      onFailure: reject,
    });
  });
}

/** Under an Idempotency-Key the answer is stored first, so that a repetition gets just this one. */
async function settleKeyed(
  deps: ApiDependencies,
  { hold }: HeldCall,
  bytes: Buffer,
  price: () => CallPrice | Promise<CallPrice>,
): Promise<void> {
  const key = newBlobKey('answers');
  await deps.blobs.write(key, Readable.from([bytes]), { bytesMax: bytes.length });
  await settleSoon(deps, hold, async () => ({ ...(await price()), answer: key }));
}

const endedAnswerOf = ({ stated, produced }: AnswerFacts): EndedAnswer => ({
  stated,
  isWhole: true,
  produced: () => ({ text: produced, scale: 1 }),
});

/** As a text of one byte a character, a body of this size and its head go out in one write, without a copy more. */
const oneWriteBytesMax = 16 * 1024;

/** Past Koa's `respond`, which would set each header by itself. */
function send(ctx: ApiContext, bytes: Buffer, mediaType: string): void {
  const { res } = ctx;
  ctx.respond = false;
  if (res.destroyed) return; // the caller disconnected; a repetition under the same key gets the stored answer
  res.writeHead(200, { 'Content-Type': mediaType, 'Content-Length': bytes.length });
  if (bytes.length <= oneWriteBytesMax) res.end(bytes.toString('latin1'), 'latin1');
  else res.end(bytes);
}
