/** A streamed answer: relayed as it comes. What it said of tokens is settled when it is over, however it ended. */
import { ChatStreamMeter } from '../domain/chat/chat-meter.ts';
import { MeteredStream } from '../domain/chat/metered-stream.ts';
import { ResponsesStreamMeter } from '../domain/chat/responses-meter.ts';
import { streamedAnswer } from '../ledger/call-ledger.ts';
import type { ApiContext } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { AnswerMemory } from './answer-memory.ts';
import type { Route } from './call-routes.ts';
import type { HeldCall } from './hold-call.ts';
import { estimatedPrice, releaseInBackground, settleInBackground, upstreamPrice } from './receipt.ts';
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
    const meter =
      call.endpoint === 'responses'
        ? new ResponsesStreamMeter(room)
        : new ChatStreamMeter({ choices: call.choices, showsUsage: call.includeUsage }, room);
    const note =
      meter instanceof ResponsesStreamMeter ? new ResponseNote(deps, ctx, call, route.name, meter) : undefined;
    const stream = new MeteredStream(meter, (data) => cleanedResponse(data, deps.configuration), room);
    const onProgress = note && (() => note.keepId());
    const relay = new StreamRelay({ ctx, settings: deps.configuration, stream, room, sent, onProgress });
    const { end, latencyMs } = await relay.run(cancellation);
    if (note) await note.idIsKept();
    note?.keepLength();

    const { usage } = meter;
    const isUpstreamsFault = typeof end === 'object' && end.byUs !== true;
    if (isUpstreamsFault && usage === undefined) {
      releaseInBackground(deps, hold, 'upstream_error');
    } else {
      // What was begun and is charged can't be given again, so its Idempotency-Key stays bound.
      const bound = hold.isKeyed && (end !== 'disconnected' || ctx.headerSent) ? { answer: streamedAnswer } : {};
      settleInBackground(deps, hold, async () => {
        if (usage) return { ...upstreamPrice(call, usage), ...bound };
        return { ...(await estimatedPrice(call, hold, meter.producedText(), meter.producedScale())), ...bound };
      });
    }
    relay.finish(end);
    return { isGood: !isUpstreamsFault, latencyMs };
  } finally {
    room.close();
  }
}
