/** One line a request, written when its answer is over. The path only: queries may hold signatures. */
import type { Logger } from 'pino';
import { wasSentWhole } from '../server/caller-left.ts';
import { type ApiMiddleware, routeOf } from '../context.ts';

export const requestLog =
  (log: Logger): ApiMiddleware =>
  async (ctx, next) => {
    const startedAt = performance.now();
    const { socket } = ctx.req; // gone from the request when it has ended
    const bytesBefore = socket.bytesWritten;
    let handledAt = startedAt;
    const write = () => {
      const { requestId, taskId, traceId, key, personId, model, error } = ctx.state;
      const isFault = ctx.status >= 500 && error !== undefined;
      if (!isFault && !log.isLevelEnabled('info')) return;
      const facts = {
        requestId,
        taskId,
        traceId,
        method: ctx.method,
        route: routeOf(ctx),
        path: ctx.path,
        status: ctx.status,
        ms: tenths(performance.now() - startedAt),
        headMs: ctx.headerSent ? tenths((ctx.state.headAt ?? handledAt) - startedAt) : undefined,
        bytes: socket.bytesWritten - bytesBefore,
        aborted: wasSentWhole(ctx) ? undefined : true,
        accountId: key?.accountId,
        keyId: key?.id,
        personId,
        model,
      };
      if (isFault) log.error({ ...facts, err: error }, 'request');
      else log.info(facts, 'request');
    };
    try {
      await next();
    } finally {
      // What goes by Koa goes out now; what was written past it says when its head went.
      handledAt = performance.now();
      if (ctx.res.closed) write();
      else ctx.res.on('close', write);
    }
  };

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
