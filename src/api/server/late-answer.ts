/**
 * Answers of calls that wait for minutes, by the thousand. The chain of steps that a request runs through keeps some 8 KB
 * of promises and closures for as long as it runs; so it comes to its end at once, and the answer is written past Koa when
 * there is one.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isLeave } from './caller-left.ts';
import type { ApiContext } from '../context.ts';
import { answerError } from '../middleware/error-answers.ts';

/**
 * To be returned from at once. `show` sets status and body as a route does, a stream with its length; where it or the outcome
 * fails, that is answered.
 */
export function answerLater<T>(ctx: ApiContext, outcome: Promise<T>, show: Show<T>): void {
  ctx.status = 202; // so the log has it if the caller leaves before
  ctx.respond = false;
  ctx.req.rawHeaders = []; // read into `headers` long ago
  void answered(ctx, outcome, show).catch((error: unknown) => ctx.onerror(toError(error)));
}

type Show<T> = (outcome: T) => void | Promise<void>;

async function answered<T>(ctx: ApiContext, outcome: Promise<T>, show: Show<T>): Promise<void> {
  try {
    await show(await outcome);
  } catch (error) {
    answerError(ctx, error);
  }
  const { res } = ctx;
  if (res.destroyed) return;
  if (ctx.body instanceof Readable) {
    ctx.state.headAt = performance.now();
    await pipeline(ctx.body, res).catch((error: unknown) => {
      if (!isLeave(error)) throw error;
    });
    return;
  }
  const text = JSON.stringify(ctx.body);
  ctx.length = Buffer.byteLength(text);
  ctx.state.headAt = performance.now();
  res.end(text);
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
