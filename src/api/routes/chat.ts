/** Chat and responses: straight through, held before and charged after (specification 2.1 to 2.3, endpoints 1 and 8). */
import type Router from '@koa/router';
import { GatewayError } from '../../domain/errors.ts';
import type { ChatAnswer } from '../../providers/chat-contract.ts';
import { CallerFault, requireSuccess, RouteFault } from '../chat/routes-of-call.ts';
import { serveCall } from '../chat/serve-call.ts';
import { ownResponse } from '../chat/stored-responses.ts';
import type { ApiContext, RequestState } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';

export function chatRoutes(router: Router<RequestState>, deps: ApiDependencies): void {
  router.post('/chat/completions', authenticated(deps.keys, 'chat'), (ctx) => serveCall(deps, ctx, 'chat/completions'));
  router.post('/responses', authenticated(deps.keys, 'chat'), (ctx) => serveCall(deps, ctx, 'responses'));

  // What an upstream has kept is asked for where it was made, and only for the account that made it.
  router.get('/responses/:id', authenticated(deps.keys, 'read'), (ctx) => storedResponse(deps, ctx, 'GET', ''));
  router.delete('/responses/:id', authenticated(deps.keys, 'chat'), (ctx) => storedResponse(deps, ctx, 'DELETE', ''));
  router.post('/responses/:id/cancel', authenticated(deps.keys, 'chat'), (ctx) =>
    storedResponse(deps, ctx, 'POST', '/cancel'),
  );
}

async function storedResponse(
  deps: ApiDependencies,
  ctx: ApiContext & { params: Record<string, string> },
  method: 'GET' | 'POST' | 'DELETE',
  below: string,
): Promise<void> {
  const id = ctx.params['id'] ?? '';
  const provider = deps.chatProviders.get(await ownResponse(deps, ctx, id, undefined));
  if (!provider) throw new GatewayError('upstream_error', 'The provider of this response is not configured any more.');
  const path = `responses/${encodeURIComponent(id)}${below}`;
  const { requestId } = ctx.state;
  let answer: ChatAnswer;
  try {
    answer = await provider.send({ method, path, body: [], stream: false, requestId }, AbortSignal.timeout(60_000));
    await requireSuccess(deps, answer);
  } catch (error) {
    throw told(error);
  }
  ctx.status = 200;
  ctx.body = answer.body;
  ctx.type = 'application/json';
}

function told(error: unknown): unknown {
  if (error instanceof CallerFault) return new GatewayError('invalid_parameter', error.message);
  if (!(error instanceof RouteFault))
    return new GatewayError('upstream_error', 'The model could not be reached just now.', { cause: error });
  return error.status === 404
    ? new GatewayError('response_not_found', 'There is no such response any more.')
    : new GatewayError('upstream_error', 'The model could not be reached just now.');
}
