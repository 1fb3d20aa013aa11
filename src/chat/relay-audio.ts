/** Speech as its bytes: passed on as they come, measured on the way, and settled when they are over. */
import { PassThrough } from 'node:stream';
import { audioTokensPerSecond, mediaTypeOfAudio } from '../domain/audio.ts';
import { newBlobKey } from '../postgres/new-ids.ts';
import type { ApiContext } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { AnswerMemory } from './answer-memory.ts';
import { AudioRelay } from './audio-relay.ts';
import type { SpeechCall } from './call.ts';
import type { HeldCall } from './hold-call.ts';
import { isPricedBySeconds, priceOfAnswer, releaseInBackground, settleInBackground, settleSoon } from './receipt.ts';
import type { Outcome } from './relay-stream.ts';
import type { Route } from './call-routes.ts';
import type { SentCall } from './send-call.ts';

/** An hour of raw samples; only of what is stored, which has to end. */
const storedBytesMax = 256 * 1024 * 1024;

/**
 * Relays the audio to its end and settles. Under an Idempotency-Key all of it is stored first, so that a repetition gets
 * just this one. Rejects only while nothing was delivered: the next route may do better.
 */
export async function relayAudio(
  deps: ApiDependencies,
  ctx: ApiContext,
  held: HeldCall,
  route: Route,
  sent: SentCall,
): Promise<Outcome> {
  const { call, hold } = held;
  if (call.speech === undefined) throw new TypeError('only speech is relayed as audio');
  const room = new AnswerMemory(deps.concurrencyLimits.answerBytes, route.name);
  const relay = new AudioRelay({ call, speech: call.speech, settings: deps.configuration, room, sent });
  try {
    return await (hold.isKeyed
      ? relayStored(deps, ctx, held, route, relay, call.speech)
      : relayLive(deps, ctx, held, route, relay));
  } finally {
    room.close();
  }
}

async function relayLive(
  deps: ApiDependencies,
  ctx: ApiContext,
  held: HeldCall,
  route: Route,
  relay: AudioRelay,
): Promise<Outcome> {
  const { call, cancellation } = held;
  const { end, latencyMs } = await relay.run(cancellation, {
    writable: ctx.res,
    begin: (mediaType) => {
      ctx.respond = false; // the answer is ours from here on
      ctx.state.headAt = performance.now();
      ctx.res.writeHead(200, { 'Content-Type': mediaType, 'Cache-Control': 'no-cache, no-transform' });
    },
    isBegun: () => ctx.headerSent || ctx.res.destroyed,
  });
  const isBroken = typeof end === 'object';
  // Half a speech has no price by its characters.
  if (isBroken && relay.stated.usage === undefined && !isPricedBySeconds(call)) {
    releaseInBackground(deps, held, end.byUs ? 'not_ready' : 'upstream_error');
  } else {
    settleInBackground(deps, held, () => priceOfAnswer(deps, held, route, spokenBy(relay, held, end === 'complete')));
  }
  ctx.state.bodies?.takeFile(relay.mediaType, relay.bytes);
  ctx.respond = false;
  if (end === 'complete') ctx.res.end();
  else ctx.res.destroy(); // without the last chunk, so that the audio isn't taken for whole
  return { isGood: !isBroken || end.byUs === true, latencyMs };
}

async function relayStored(
  deps: ApiDependencies,
  ctx: ApiContext,
  held: HeldCall,
  route: Route,
  relay: AudioRelay,
  { format }: SpeechCall,
): Promise<Outcome> {
  const { cancellation } = held;
  const key = newBlobKey('answers');
  const audio = new PassThrough();
  const stored = deps.blobs.write(key, audio, { bytesMax: storedBytesMax });
  stored.catch((error: unknown) => audio.destroy(error instanceof Error ? error : undefined));
  const relayed = relay.run(cancellation, { writable: audio, begin: () => undefined, isBegun: () => false });
  const { latencyMs } = await relayed.catch(async (error: unknown) => {
    audio.destroy();
    await stored.catch(() => undefined); // it fails, as its source does
    throw error;
  });
  audio.end();
  await stored;
  await settleSoon(deps, held, async () => ({
    ...(await priceOfAnswer(deps, held, route, spokenBy(relay, held, true))),
    answer: key,
  }));
  ctx.state.bodies?.takeFile(mediaTypeOfAudio[format], relay.bytes);
  ctx.status = 200;
  ctx.set('Content-Type', mediaTypeOfAudio[format]);
  if (!ctx.res.destroyed) ctx.body = await deps.blobs.read(key);
  return { isGood: true, latencyMs };
}

/** What was said, as far as it came. */
const spokenBy = ({ stated, seconds }: AudioRelay, { call }: HeldCall, isWhole: boolean) => ({
  stated,
  isWhole,
  measured: { ...call.measured, seconds },
  produced: () => ({ tokens: seconds * audioTokensPerSecond }),
});
