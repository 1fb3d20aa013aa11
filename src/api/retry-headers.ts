/** When a refused request may be sent again, in the headers that clients obey. */
import { errorTable, type GatewayError } from '../domain/errors.ts';
import type { ApiContext } from './context.ts';

/** Agents sleep through whatever `Retry-After` says, in silence; a wait that a person should know of isn't put there. */
const retryAfterSecondsMax = 60;

/**
 * Shows when another try makes sense: within a minute by `Retry-After`, later by `X-RateLimit-Reset` alone, and then no
 * client is to try by itself. Neither is one that would be refused again.
 */
export function showRetry(ctx: ApiContext, error: Pick<GatewayError, 'code' | 'retryAfterSeconds'>): void {
  const { code, retryAfterSeconds } = error;
  const { status } = errorTable[code];
  const isLong = retryAfterSeconds !== undefined && retryAfterSeconds > retryAfterSecondsMax;
  if (isLong) ctx.set('X-RateLimit-Reset', String(retryAfterSeconds));
  else if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
  // Calls in all that are used up never come back.
  const isForGood = code === 'call_limit_exceeded' && retryAfterSeconds === undefined;
  // The OpenAI SDKs would send these twice more, and twice more they would be refused.
  const isFinal = status === 402 || status === 409 || code === 'spend_limit_exceeded';
  const isInDoubt = code === 'outcome_unknown'; // and might be done twice
  if (isLong || isForGood || isFinal || isInDoubt) ctx.set('x-should-retry', 'false');
}
