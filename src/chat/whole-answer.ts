/** A whole answer: read into memory, understood, and in the form of its caller. */
import type { TokenCounts } from '../domain/billing/token-counts.ts';
import { answerFacts, plainAnswerFacts } from '../domain/chat/answer-facts.ts';
import { GatewayError } from '../domain/errors.ts';
import { isUnreadable } from '../domain/json/json-bounds.ts';
import { plainTranscripts } from '../domain/requests/transcription-request.ts';
import { answerBytesMax } from '../api/concurrency-limits.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { AnswerMemory } from './answer-memory.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import { type CallCancellation, CallCancelled } from './call-cancellation.ts';
import type { Route } from './call-routes.ts';
import type { CallTranslation } from './call-translation.ts';
import type { HeldCall } from './hold-call.ts';
import { countForCaller, type EndedAnswer } from './receipt.ts';
import { RouteFault } from './route-faults.ts';
import type { SentCall } from './send-call.ts';
import { cleanedResponse } from './upstream-error-answer.ts';

export interface WholeAnswer {
  /** For the caller, in the form of its endpoint. */
  bytes: Buffer;
  /** What it is priced by. */
  ended: EndedAnswer;
  latencyMs: number;
}

/**
 * Reads the answer of a call that was sent; what it takes of the memory is taken from `room`. Throws `RouteFault` and
 * `ChatUnreachable` for what is no answer: the next route may do better; `CallerFault` for the caller's own mistake,
 * `CallCancelled`, or the refusal of `room`.
 */
export async function takeAnswer(
  { configuration }: Pick<ApiDependencies, 'configuration'>,
  held: Pick<HeldCall, 'call' | 'cancellation'>,
  route: Route,
  sent: SentCall,
  room: AnswerMemory,
): Promise<WholeAnswer> {
  const { bytes: whole, latencyMs } = await readWhole(sent, held.cancellation, room);
  return { ...(await understood({ configuration }, held, route, whole)), latencyMs };
}

/** An answer that is there: what it says, and its form for its caller. Throws `RouteFault` for what is no answer. */
export async function understood(
  { configuration }: Pick<ApiDependencies, 'configuration'>,
  held: Pick<HeldCall, 'call'>,
  route: Route,
  whole: Buffer,
): Promise<Omit<WholeAnswer, 'latencyMs'>> {
  const { call } = held;
  const facts = factsOf(call, route, whole);
  // A response that failed is an answer, with the reason in it.
  const came = facts.hasError ? cleaned(whole, configuration) : whole;
  const { stated, produced } = facts;
  const ended: EndedAnswer = { stated, isWhole: true, produced: () => ({ text: produced, scale: 1 }) };
  const counting = countForCaller(held, route, ended);
  if (counting) ended.counted = await counting;
  return { bytes: call.translation ? translated(call.translation, came, ended.counted) : came, ended };
}

function factsOf({ upload, countsTools }: HeldCall['call'], { endpoint }: Route, whole: Buffer) {
  try {
    const isPlain = upload !== undefined && plainTranscripts.has(upload.format);
    const facts = isPlain ? plainAnswerFacts(whole) : answerFacts(endpoint, whole, { countsTools });
    if (!facts) throw new RouteFault('fault', 'its answer is not a JSON object');
    // Some relays answer 200 and say in the body that they failed.
    if (facts.hasError && !facts.hasOutput) throw new RouteFault('fault', 'its answer is an error');
    return facts;
  } catch (error) {
    throw unreadable(error);
  }
}

function cleaned(whole: Buffer, configuration: ApiDependencies['configuration']): Buffer {
  try {
    return cleanedResponse(whole, configuration);
  } catch (error) {
    throw unreadable(error);
  }
}

const unreadable = (error: unknown): unknown =>
  isUnreadable(error)
    ? new RouteFault('fault', 'its answer has more values than are read, or is broken where it is read')
    : error;

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
