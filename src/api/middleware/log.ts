/** One line a request. The path only: queries may hold signatures. */
import type { Logger } from 'pino';
import type { ApiMiddleware } from '../context.ts';

export const requestLog =
  (log: Logger): ApiMiddleware =>
  async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { requestId, key, personId, taskId, model, error } = ctx.state;
      const isFault = ctx.status >= 500 && error !== undefined;
      if (isFault || log.isLevelEnabled('info')) {
        const facts = {
          requestId,
          method: ctx.method,
          path: ctx.path,
          status: ctx.status,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          keyId: key?.id,
          personId,
          taskId,
          model,
        };
        if (isFault) log.error({ ...facts, err: error }, 'request');
        else log.info(facts, 'request');
      }
    }
  };
