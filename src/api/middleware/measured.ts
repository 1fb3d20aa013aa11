/** Counts requests for `/metrics`: by the pattern of their route, never by their path. */
import type { RequestMeter } from '../../observability/metrics/meters.ts';
import { type ApiContext, type ApiMiddleware, routeOf } from '../context.ts';
import { TimedResponse } from '../server/timed-response.ts';

/** Counted when the answer is over, however it ended. */
export const measured =
  (requests: RequestMeter): ApiMiddleware =>
  (ctx, next) => {
    const { res } = ctx;
    if (res.closed) count(requests, ctx);
    else res.on('close', () => count(requests, ctx));
    return next();
  };

function count(requests: RequestMeter, ctx: ApiContext): void {
  const { res } = ctx;
  if (!(res instanceof TimedResponse)) return;
  const { arrivedAtMs, headAtMs } = res;
  const isAnswered = headAtMs !== 0;
  requests.count(
    countedRoute(ctx),
    ctx.method,
    isAnswered ? res.statusCode : 0,
    performance.now() - arrivedAtMs,
    isAnswered ? headAtMs - arrivedAtMs : undefined,
  );
}

/** The router has set it, if one of its routes was meant. Patterns that are no text are pages: the console's, and `/docs`. */
const countedRoute = (ctx: ApiContext): string =>
  routeOf(ctx) ?? (ctx['_matchedRoute'] instanceof RegExp ? 'pages' : 'none');
