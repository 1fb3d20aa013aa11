/** A streamed answer: relayed as it comes. What it said of tokens is settled when it is over, however it ended. */
import { audioTokensPerSecond } from '../domain/audio.ts';
import { AudioEventsMeter } from '../domain/chat/audio-events-meter.ts';
import { ChatStreamMeter } from '../domain/chat/chat-meter.ts';
import { MessagesStreamMeter } from '../domain/chat/messages-meter.ts';
import { MeteredStream, type StreamMeter } from '../domain/chat/metered-stream.ts';
import { ResponsesStreamMeter } from '../domain/chat/responses-meter.ts';
import { streamedAnswer } from '../ledger/call-ledger.ts';
import { AudioLength } from '../media/audio-length/audio-length.ts';
import type { ApiContext } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { AnswerMemory } from './answer-memory.ts';
import type { Call } from './call.ts';
import type { Route } from './call-routes.ts';
import type { HeldCall } from './hold-call.ts';
import {
  countForCaller,
  type EndedAnswer,
  isPricedBySeconds,
  priceOfAnswer,
  releaseInBackground,
  settleInBackground,
} from './receipt.ts';
import type { SentCall } from './send-call.ts';
import { StreamRelay } from './stream-relay.ts';
import { ResponseNote } from './stored-responses.ts';
import { cleanedResponse } from './upstream-error-answer.ts';

/** How a call went that its caller got an answer to. */
export interface Outcome {
  /** Nothing was missing of the answer, as far as the upstream is concerned. */
  isGood: boolean;
  /** The time to the head of the answer. */
  latencyMs: number;
}

/** Relays the stream to its end and settles. Rejects only while nothing was delivered: the next route may do better. */
export async function relayStream(
  deps: ApiDependencies,
  ctx: ApiContext,
  held: HeldCall,
  route: Route,
  sent: SentCall,
): Promise<Outcome> {
  const { call, hold, cancellation } = held;
  const room = new AnswerMemory(deps.concurrencyLimits.answerBytes, route.name);
  try {
    const length = call.speech && new AudioLength(call.speech.format);
    const meter = meterOf(call, route, room, length);
    const note =
      meter instanceof ResponsesStreamMeter ? new ResponseNote(deps, ctx, call, route.name, meter) : undefined;
    const stream = new MeteredStream(meter, (data) => cleanedResponse(data, deps.configuration), room);
    const onProgress = note && (() => note.keepId());
    const { endpoint } = call;
    const translation = call.translation?.stream(room);
    const relay = new StreamRelay({
      ctx,
      endpoint,
      translation,
      settings: deps.configuration,
      stream,
      room,
      sent,
      onProgress,
    });
    const { end, latencyMs } = await relay.run(cancellation);
    if (note) await note.idIsKept();
    note?.keepLength();

    const { stated } = meter;
    const answer = { stated, isWhole: end === 'complete', ...producedBy(meter, call, length) };
    const counting = countForCaller(held, route, answer);
    const counted = counting && (await counting);
    const isUpstreamsFault = typeof end === 'object' && end.byUs !== true;
    // What the provider said of a message's prompt is what it bills, however the stream broke off.
    // What was delivered is known of audio that is charged by the second.
    const isUnknown = (stated.usage ?? stated.promptUsage) === undefined && !(length && isPricedBySeconds(call));
    if (isUpstreamsFault && isUnknown) {
      releaseInBackground(deps, held, 'upstream_error');
    } else {
      // What was begun and is charged can't be given again, so its Idempotency-Key stays bound.
      const bound = hold.isKeyed && (end !== 'disconnected' || ctx.headerSent) ? { answer: streamedAnswer } : {};
      settleInBackground(deps, held, async () => {
        return { ...(await priceOfAnswer(deps, held, route, { ...answer, counted })), ...bound };
      });
    }
    relay.finish(end, counted);
    return { isGood: !isUpstreamsFault, latencyMs };
  } finally {
    room.close();
  }
}

/** What was sent: text, or audio of a length. */
function producedBy(
  meter: StreamMeter,
  { measured }: Call,
  length: AudioLength | undefined,
): Pick<EndedAnswer, 'produced' | 'measured'> {
  if (!length) return { produced: () => ({ text: meter.producedText(), scale: meter.producedScale() }) };
  const seconds = length.wholeSeconds;
  return { measured: { ...measured, seconds }, produced: () => ({ tokens: seconds * audioTokensPerSecond }) };
}

function meterOf(
  { choices, includeUsage, countsTools, translation }: Call,
  { endpoint }: Route,
  room: AnswerMemory,
  length: AudioLength | undefined,
): StreamMeter {
  switch (endpoint) {
    case 'responses':
      return new ResponsesStreamMeter(room, { countsTools });
    case 'messages':
      return new MessagesStreamMeter(room);
    case 'audio/speech':
    case 'audio/transcriptions':
    case 'audio/translations':
      return new AudioEventsMeter('responses', (audio) => length?.push(audio));
    case 'embeddings':
    case 'moderations':
    case 'rerank':
    case 'responses/compact':
      throw new TypeError(`${endpoint} is not streamed`);
    case 'completions':
    case 'chat/completions':
      return new ChatStreamMeter({ choices, showsUsage: includeUsage || translation !== undefined }, room);
  }
}
