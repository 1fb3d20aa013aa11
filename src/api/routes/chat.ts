/** Chat and responses: straight through, held before and charged after. */
import type Router from '@koa/router';
import { serveCall } from '../../chat/serve-call.ts';
import { serveStored, type StoredOperation } from '../../chat/serve-stored-response.ts';
import type { ChatEndpoint } from '../../providers/chat-contract.ts';
import type { ApiContext, RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';

export function chatRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const { keys, during } = now();

  const call = (endpoint: ChatEndpoint) => (ctx: ApiContext) => during(() => serveCall(now(), ctx, endpoint));
  router.post('/chat/completions', authenticated(keys, 'chat'), call('chat/completions'));
  router.post('/responses', authenticated(keys, 'chat'), call('responses'));

  // What an upstream has kept is asked for where it was made, and only for the account that made it.
  const stored = (operation: StoredOperation) => (ctx: ApiContext & { params: Record<string, string> }) =>
    during(() => serveStored(now(), ctx, ctx.params['id'] ?? '', operation));
  router.get('/responses/:id', authenticated(keys, 'read'), stored({ method: 'GET', below: '' }));
  router.delete('/responses/:id', authenticated(keys, 'chat'), stored({ method: 'DELETE', below: '' }));
  router.post('/responses/:id/cancel', authenticated(keys, 'chat'), stored({ method: 'POST', below: '/cancel' }));
}
