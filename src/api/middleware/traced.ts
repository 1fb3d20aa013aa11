/** A span for each request, below the caller's own if it names one; used only where there are traces. */
import { attributeNames as names } from '../../observability/tracing/span-names.ts';
import type { Tracing } from '../../observability/tracing/tracing.ts';
import { wasSentWhole } from '../server/caller-left.ts';
import { type ApiMiddleware, routeOf } from '../context.ts';

/** Asked every few seconds by machines, and of no interest. */
const untraced: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export const traced =
  (tracing: Tracing): ApiMiddleware =>
  (ctx, next) => {
    if (untraced.has(ctx.path)) return next();
    const traceparent = ctx.get('traceparent');
    const span = tracing.begin(ctx.method, 'server', {}, traceparent === '' ? {} : { traceparent });
    ctx.state.traceId = span.traceId;
    ctx.res.once('close', () => {
      const { requestId, taskId, key, model } = ctx.state;
      const route = routeOf(ctx);
      span.name(route === undefined ? ctx.method : `${ctx.method} ${route}`);
      span.set({
        [names.method]: ctx.method,
        [names.route]: route,
        [names.status]: ctx.status,
        [names.request]: requestId,
        [names.task]: taskId,
        [names.account]: key?.accountId,
        [names.model]: model,
      });
      if (!wasSentWhole(ctx)) span.fail('aborted');
      else if (ctx.status >= 500) span.fail(String(ctx.status));
      span.end();
    });
    return tracing.within(span, next);
  };
