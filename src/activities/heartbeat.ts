/** Heartbeats of activities that take long, so that another worker goes on soon after this one died. */
import { Context } from '@temporalio/activity';

/** The first comes soon, since its answer reports a cancellation. */
const firstMs = 2_000;
/**
 * The SDK sends one in four fifths of the timeout and drops the rest. With 1,500 activities that beat every two seconds
 * and poll every 30, some 30 % of the worker's JavaScript time went into beats (one profile).
 */
const beatsATimeout = 3;

/**
 * Runs something under heartbeats; the signal aborts when the activity is cancelled or its worker stops. Each beat repeats
 * what an attempt before has noted (`failed-tries.ts`), which would be gone otherwise.
 */
export async function withHeartbeats<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const intervalMs = Math.max(firstMs, (context.info.heartbeatTimeoutMs ?? 0) / beatsATimeout);
  const beat = () => {
    context.heartbeat(context.info.heartbeatDetails);
    timer = setTimeout(beat, intervalMs);
  };
  let timer = setTimeout(beat, firstMs);
  try {
    return await run(context.cancellationSignal);
  } finally {
    clearTimeout(timer);
  }
}
