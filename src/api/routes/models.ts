/** The model list and single records. */
import type Router from '@koa/router';
import type { Model } from '../../domain/catalogue.ts';
import { GatewayError } from '../../domain/errors.ts';
import { listed } from '../model-catalogue.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';

export function modelRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const { keys } = now();

  router.get('/models', authenticated(keys, 'read'), (ctx) => {
    ctx.body = { object: 'list', data: listed(keyOf(ctx), now().configuration).map(modelRecord) };
  });

  // A model's id may hold slashes.
  router.get('/models/*id', authenticated(keys, 'read'), (ctx) => {
    const id = ctx.params['id'] ?? '';
    const model = listed(keyOf(ctx), now().configuration).find((candidate) => candidate.id === id);
    if (!model)
      throw new GatewayError('model_not_found', 'Model not found. GET /models lists the available models.', {
        param: 'model',
      });
    ctx.body = modelRecord(model);
  });
}

const modelRecord = ({ id, created, ownedBy }: Model) => ({ id, object: 'model', created, owned_by: ownedBy });
