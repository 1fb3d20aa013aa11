/** An answer that is not streamed: read whole, metered, handed on as it came. */
import { Readable } from 'node:stream';
import { chatAnswerText, responsesAnswerText } from '../../domain/chat/produced-text.ts';
import { isObject, jsonObjectOf, type JsonObject, usageOfAnswer } from '../../domain/chat/usage.ts';
import type { ChatAnswer } from '../../providers/chat-contract.ts';
import type { CallPrice } from '../../storage/ledger/calls.ts';
import { newBlobKey } from '../../storage/new-ids.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { bookInBackground, estimatedPrice, upstreamPrice } from './receipt.ts';
import { RouteFault } from './routes-of-call.ts';
import type { CallUnderWay } from './serve-call.ts';
import { keepResponse } from './stored-responses.ts';

const answer_bytes_max = 64 * 1024 * 1024;

/** Delivers the answer and books its price. Throws `RouteFault` for what is no answer: the next route may do better. */
export async function relayAnswer(
  deps: ApiDependencies,
  ctx: ApiContext,
  underWay: CallUnderWay,
  answer: ChatAnswer,
  provider: string,
): Promise<void> {
  const { call, hold } = underWay;
  const bytes = await wholeBody(answer.body);
  const body = jsonObjectOf(bytes);
  if (!body) throw new RouteFault('fault', 'its answer is not a JSON object');
  // Some relays answer 200 and say in the body that they failed.
  if (call.endpoint === 'chat/completions' && isObject(body['error']) && !Array.isArray(body['choices'])) {
    throw new RouteFault('fault', 'its answer is an error');
  }
  const { id } = body;
  if (call.endpoint === 'responses' && typeof id === 'string') await keepResponse(deps, ctx, id, call, provider);
  if (hold.isKeyed) await settleKeyed(deps, underWay, bytes, body);
  else bookInBackground(deps, hold, () => priceOf(underWay, body));
  ctx.status = 200;
  ctx.set('Content-Type', 'application/json');
  ctx.body = bytes;
}

/** Under an Idempotency-Key the answer is stored first, so that whoever asks again gets just this one. */
async function settleKeyed(
  deps: ApiDependencies,
  underWay: CallUnderWay,
  bytes: Buffer,
  body: JsonObject,
): Promise<void> {
  const key = newBlobKey('answers');
  await deps.blobs.write(key, Readable.from([bytes]), { bytesMax: answer_bytes_max });
  await deps.calls.settle(underWay.hold, { ...(await priceOf(underWay, body)), answer: key });
}

function priceOf({ call, hold }: CallUnderWay, body: JsonObject): CallPrice | Promise<CallPrice> {
  const usage = usageOfAnswer(call.endpoint, body);
  if (usage) return upstreamPrice(call, usage);
  return estimatedPrice(call, hold, call.endpoint === 'responses' ? responsesAnswerText(body) : chatAnswerText(body));
}

function wholeBody(body: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    body.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > answer_bytes_max) body.destroy(new RouteFault('fault', 'its answer is too large'));
    });
    body.on('error', reject);
    body.on('end', () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, bytes)));
  });
}
