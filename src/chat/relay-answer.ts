/** An answer that is not streamed: read whole, metered, forwarded as it came. */
import { Readable } from 'node:stream';
import type { CallPrice } from '../ledger/call-ledger.ts';
import { newBlobKey } from '../postgres/new-ids.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { AnswerMemory } from './answer-memory.ts';
import { mediaTypeOfAnswer } from './call.ts';
import type { HeldCall } from './hold-call.ts';
import { priceOfAnswer, settleInBackground, settleSoon } from './receipt.ts';
import type { Outcome } from './relay-stream.ts';
import type { Route } from './call-routes.ts';
import type { SentCall } from './send-call.ts';
import { keepResponse } from './stored-responses.ts';
import { takeAnswer } from './whole-answer.ts';

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
    const { bytes, ended, latencyMs } = await takeAnswer(deps, held, route, sent, room);
    const { id, usage } = ended.stated;
    if (route.endpoint === 'responses' && id !== undefined)
      await keepResponse(deps.database, keyOf(ctx).accountId, { id, call, provider: route.name, usage });
    const price = () => priceOfAnswer(deps, held, route, ended);
    if (hold.isKeyed) await settleKeyed(deps, held, bytes, price);
    else settleInBackground(deps, held, price);
    send(ctx, bytes, mediaTypeOfAnswer(call));
    room.closeWhenTaken(ctx, deps.downloadPace);
    return { isGood: true, latencyMs };
  } catch (error) {
    room.close();
    throw error;
  }
}

/** Under an Idempotency-Key the answer is stored first, so that a repetition gets just this one. */
async function settleKeyed(
  deps: ApiDependencies,
  held: HeldCall,
  bytes: Buffer,
  price: () => CallPrice | Promise<CallPrice>,
): Promise<void> {
  const key = newBlobKey('answers');
  await deps.blobs.write(key, Readable.from([bytes]), { bytesMax: bytes.length });
  await settleSoon(deps, held, async () => ({ ...(await price()), answer: key }));
}

/** As a text of one byte a character, a body of this size and its head go out in one write, without a copy more. */
const oneWriteBytesMax = 16 * 1024;

/** Past Koa's `respond`, which would set each header by itself. */
function send(ctx: ApiContext, bytes: Buffer, mediaType: string): void {
  const { res } = ctx;
  ctx.respond = false;
  if (mediaType.startsWith('audio/')) ctx.state.bodies?.takeFile(mediaType, bytes.length);
  else ctx.state.bodies?.takeAnswer(bytes);
  if (res.destroyed) return; // the caller disconnected; a repetition under the same key gets the stored answer
  res.writeHead(200, { 'Content-Type': mediaType, 'Content-Length': bytes.length });
  if (bytes.length <= oneWriteBytesMax) res.end(bytes.toString('latin1'), 'latin1');
  else res.end(bytes);
}
