/** The models as callers see them. */
import type { Model, ModelKind } from '../domain/catalogue.ts';
import { GatewayError } from '../domain/errors.ts';
import { maintenanceAt } from '../domain/maintenance.ts';
import type { Configuration } from '../config/configuration.ts';
import type { ApiKey } from '../accounts/api-keys.ts';

/**
 * The model that a request names: published (404 `model_not_found`) and on the key's allow-list (403
 * `model_not_allowed`).
 */
export function modelFor(key: ApiKey, { models }: Configuration, id: string): Model {
  const model = models.get(id);
  if (!model?.published) {
    throw new GatewayError(
      'model_not_found',
      `Model '${shortened(id)}' not found. GET /models lists the available models.`,
      { param: 'model' },
    );
  }
  if (key.models && !key.models.includes(id)) {
    throw new GatewayError('model_not_allowed', `This API key may not use the model '${id}'.`, { param: 'model' });
  }
  return model;
}

/** The first published model of a kind, which is taken where a request may leave the model out. */
export function firstOfKind({ models }: Pick<Configuration, 'models'>, kind: ModelKind): string | undefined {
  for (const model of models.values()) if (model.kind === kind && model.published) return model.id;
  return undefined;
}

/** What `GET /models` lists: published, not in maintenance, and on the key's allow-list. */
export function listed(key: ApiKey, configuration: Configuration): Model[] {
  const now = new Date();
  return [...configuration.models.values()].filter(
    ({ id, published, maintenance }) =>
      published && maintenanceAt(maintenance, now) === false && (!key.models || key.models.includes(id)),
  );
}

const shortened = (id: string) => (id.length > 100 ? `${id.slice(0, 100)}…` : id);
