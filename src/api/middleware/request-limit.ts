/** How many requests there may be at once. What operators look at is always answered, and costs next to nothing. */
import type { ApiMiddleware } from '../context.ts';
import type { Gates } from '../concurrency-limits.ts';

const always: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Counts a request until its answer is over, and with it what its body takes of the memory. */
export const crowd =
  ({ requests }: Gates): ApiMiddleware =>
  (ctx, next) => {
    if (always.has(ctx.path)) return next();
    requests.enter();
    if (ctx.res.closed) requests.leave();
    else {
      ctx.res.on('close', () => {
        requests.leave();
        ctx.state.bodyRoom?.close();
      });
    }
    return next();
  };
