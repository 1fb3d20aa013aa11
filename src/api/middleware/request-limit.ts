/** How many requests there may be at once. What operators look at is always answered, and costs next to nothing. */
import type { ApiMiddleware } from '../context.ts';
import type { ConcurrencyLimits } from '../concurrency-limits.ts';

const always: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Counts a request until its answer is over, and with it what its body takes of the memory. */
export const crowd =
  ({ requests }: ConcurrencyLimits): ApiMiddleware =>
  (ctx, next) => {
    if (always.has(ctx.path)) return next();
    requests.acquire();
    if (ctx.res.closed) requests.release();
    else {
      ctx.res.on('close', () => {
        requests.release();
        ctx.state.bodyRoom?.close();
      });
    }
    return next();
  };
