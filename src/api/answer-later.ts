/**
 * Answers of calls that wait for minutes, by the thousand. The chain of steps that a request runs through keeps some 8 KB
 * of promises and closures for as long as it runs; so it comes to its end at once, and the answer is written past Koa when
 * there is one.
 */
import type { ApiContext } from './context.ts';
import { answerError } from './middleware/errors.ts';

/** To be returned from at once. `show` sets status and body as a route does; where it or the outcome fails, that is answered. */
export function answerLater<T>(ctx: ApiContext, outcome: Promise<T>, show: (outcome: T) => void): void {
  ctx.status = 202; // so the log has it if the caller leaves before
  ctx.respond = false;
  ctx.req.rawHeaders = []; // read into `headers` long ago
  void answered(ctx, outcome, show).catch((error: unknown) => ctx.onerror(toError(error)));
}

async function answered<T>(ctx: ApiContext, outcome: Promise<T>, show: (outcome: T) => void): Promise<void> {
  try {
    show(await outcome);
  } catch (error) {
    answerError(ctx, error);
  }
  const { res } = ctx;
  if (res.destroyed) return;
  const text = JSON.stringify(ctx.body);
  ctx.length = Buffer.byteLength(text);
  ctx.state.headAt = performance.now();
  res.end(text);
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
