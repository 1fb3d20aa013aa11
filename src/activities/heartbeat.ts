/** Heartbeats of activities that take long, so that another worker goes on soon after this one died. */
import { Context } from '@temporalio/activity';

const interval_ms = 2_000;

/** Runs something under heartbeats; the signal aborts when the activity is cancelled or its worker stops. */
export async function withHeartbeats<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), interval_ms);
  try {
    return await run(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
