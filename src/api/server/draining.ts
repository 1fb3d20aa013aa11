/** Requests that came, on connections that were kept, when this process had begun to drain: no work is begun for them. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';
import type { ApiContext } from '../context.ts';

const late = new WeakSet<IncomingMessage>();

/** To be called for every request that arrives while the process drains. */
export function cameLate(request: IncomingMessage): void {
  late.add(request);
}

/** Refuses with `not_ready` new work that came late. What came in time runs to its end, however long its body took. */
export function refuseLate({ req }: Pick<ApiContext, 'req'>): void {
  if (late.has(req))
    throw new GatewayError('not_ready', 'This gateway is shutting down. Retry in a few seconds.', {
      retryAfterSeconds: 2,
    });
}
