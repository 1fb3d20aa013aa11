/** One line a request, written when its answer is over. The path only: queries may hold signatures. */
import type { Logger } from 'pino';
import { wasSentWhole } from '../server/caller-left.ts';
import { routeOf } from '../context.ts';
import type { Watcher } from './when-over.ts';

export const requestLog =
  (log: Logger): Watcher =>
  (ctx) => {
    const startedAt = performance.now();
    const { socket } = ctx.req; // gone from the request when it has ended
    const bytesBefore = socket.bytesWritten;
    return (handledAt) => {
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
        // What goes by Koa went out then; what was written past it says when its head went.
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
  };

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
