/** The answer of a call under an Idempotency-Key that was made before: stored, or still to come from another request. */
import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../domain/errors.ts';
import { findBoundAnswer } from '../tasks/rows/idempotency-keys.ts';
import { endLeft } from '../api/server/caller-left.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import { idempotencyKeyOf } from '../api/idempotency-key.ts';
import { type Call, mediaTypeOfAnswer } from './call.ts';

/** The first pause; each is longer than the one before. */
const pollMsMin = 100;
const pollMsMax = 1_000;
const waitMsMax = 600_000;

/** Answers a repetition with the first call's answer; waits for it while the first call runs. A stream can't be given twice. */
export async function replayAnswer(
  deps: ApiDependencies,
  ctx: ApiContext,
  call: Call,
  stored: string | null,
): Promise<void> {
  if (call.stream) {
    throw new GatewayError(
      'idempotency_key_used',
      "This Idempotency-Key was used for a stream, which can't be replayed. Use a new key.",
    );
  }
  const answer = stored ?? (await awaitAnswer(deps, ctx));
  if (answer === undefined) {
    endLeft(ctx);
    return;
  }
  ctx.status = 200;
  ctx.set('Content-Type', mediaTypeOfAnswer(call));
  ctx.set('Idempotency-Replayed', 'true');
  ctx.body = await deps.blobs.read(answer);
}

async function awaitAnswer(deps: ApiDependencies, ctx: ApiContext): Promise<string | undefined> {
  const { followers } = deps.concurrencyLimits;
  followers.acquire();
  try {
    return await pollAnswer(deps, ctx);
  } finally {
    followers.release();
  }
}

/** Returns undefined when the caller has disconnected. */
async function pollAnswer({ database, draining }: ApiDependencies, ctx: ApiContext): Promise<string | undefined> {
  const key = idempotencyKeyOf(ctx) ?? '';
  let pauseMs = pollMsMin;
  for (let waitedMs = 0; waitedMs < waitMsMax && !draining.aborted && !ctx.res.closed; waitedMs += pauseMs) {
    const bound = await findBoundAnswer(database, keyOf(ctx).accountId, key);
    if (bound === 'none')
      throw new GatewayError('upstream_error', 'The original request with this Idempotency-Key failed. Send it again.');
    if (bound !== 'running') return bound.answer;
    await pause(pauseMs);
    pauseMs = Math.min(pollMsMax, pauseMs * 1.2);
  }
  if (ctx.res.closed) return undefined;
  throw new GatewayError('not_ready', 'The original request with this Idempotency-Key is still running.', {
    retryAfterSeconds: 2,
  });
}
