/** An answer that is not streamed: read whole, metered, handed on as it came. */
import { Readable } from 'node:stream';
import { chatAnswerText, responsesAnswerText } from '../../domain/chat/produced-text.ts';
import { isObject, jsonObjectOf, type JsonObject, usageOfAnswer } from '../../domain/chat/usage.ts';
import type { CallPrice } from '../../storage/ledger/calls.ts';
import { newBlobKey } from '../../storage/new-ids.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { bookInBackground, bookSoon, estimatedPrice, upstreamPrice } from './receipt.ts';
import { RouteFault } from './faults.ts';
import type { Route } from './routes-of-call.ts';
import { type Start, wholeAnswer } from './send-call.ts';
import type { CallUnderWay, Outcome } from './serve-call.ts';
import { keepResponse } from './stored-responses.ts';
import { cleanedResponse } from './told-error.ts';

/** Delivers the answer and books its price. Throws `RouteFault` for what is no answer: the next route may do better. */
export async function relayAnswer(
  deps: ApiDependencies,
  ctx: ApiContext,
  underWay: CallUnderWay,
  route: Route,
  start: Start,
): Promise<Outcome> {
  const { call, hold } = underWay;
  const { bytes: whole, latencyMs } = await wholeAnswer(deps, start, underWay.earlyEnd, underWay.clock);
  const body = jsonObjectOf(whole);
  if (!body) throw new RouteFault('fault', 'its answer is not a JSON object');
  // Some relays answer 200 and say in the body that they failed.
  const made = call.endpoint === 'responses' ? 'output' : 'choices';
  if (isObject(body['error']) && !Array.isArray(body[made])) throw new RouteFault('fault', 'its answer is an error');
  // A response that failed is an answer, with the reason in it.
  const bytes = isObject(body['error']) ? cleanedResponse(whole, deps.configuration) : whole;
  const { id } = body;
  if (call.endpoint === 'responses' && typeof id === 'string')
    await keepResponse(deps, ctx, { id, call, provider: route.name, usage: usageOfAnswer(call.endpoint, body) });
  if (hold.isKeyed) await settleKeyed(deps, underWay, bytes, body);
  else bookInBackground(deps, hold, () => priceOf(underWay, body));
  sendJson(ctx, bytes);
  return { isGood: true, latencyMs };
}

/** Under an Idempotency-Key the answer is stored first, so that whoever asks again gets just this one. */
async function settleKeyed(
  deps: ApiDependencies,
  underWay: CallUnderWay,
  bytes: Buffer,
  body: JsonObject,
): Promise<void> {
  const key = newBlobKey('answers');
  await deps.blobs.write(key, Readable.from([bytes]), { bytesMax: bytes.length });
  await bookSoon(deps, underWay.hold, async () => ({ ...(await priceOf(underWay, body)), answer: key }));
}

function priceOf({ call, hold }: CallUnderWay, body: JsonObject): CallPrice | Promise<CallPrice> {
  const usage = usageOfAnswer(call.endpoint, body);
  if (usage) return upstreamPrice(call, usage);
  return estimatedPrice(call, hold, call.endpoint === 'responses' ? responsesAnswerText(body) : chatAnswerText(body));
}

/** As a text of one byte a character, a body of this size and its head go out in one write, without a copy more. */
const one_write_bytes_max = 16 * 1024;

/** Past Koa's `respond`, which would set each header by itself. */
function sendJson(ctx: ApiContext, bytes: Buffer): void {
  const { res } = ctx;
  ctx.respond = false;
  if (res.destroyed) return; // the caller left; whoever asks again under the same key gets the stored answer
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
  if (bytes.length <= one_write_bytes_max) res.end(bytes.toString('latin1'), 'latin1');
  else res.end(bytes);
}
