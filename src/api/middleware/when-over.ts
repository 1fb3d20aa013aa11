/** What is done with a request once both are over: its answer, however it ended, and its handler. */
import type { ApiContext, ApiMiddleware } from '../context.ts';

/**
 * Called when a request comes; what it returns is called once when the request is over, with when its handler ended, by
 * `performance.now()`.
 */
export type Watcher = (ctx: ApiContext) => (handledAtMs: number) => void;

/** One layer for all of them: each by itself cost a chat call a promise and a listener. */
export const whenOver =
  (...watchers: readonly Watcher[]): ApiMiddleware =>
  async (ctx, next) => {
    const ends = watchers.map((watch) => watch(ctx));
    try {
      await next();
    } finally {
      const handledAtMs = performance.now();
      const end = () => {
        for (const each of ends) each(handledAtMs);
      };
      if (ctx.res.closed) end();
      else ctx.res.on('close', end);
    }
  };
