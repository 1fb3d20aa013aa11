/** The catalogue of an account: the published models with prices and health. */
import { withSwitches } from '../../../domain/accounts/model-switch-rules.ts';
import type { Model } from '../../../domain/catalogue.ts';
import { listModelSwitches, type ModelSwitch } from '../../../accounts/model-switches.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readTraffic } from '../../health/traffic.ts';
import { accountCall } from '../console-call.ts';
import { listed, model, modelObject, whole } from './model-fields.ts';

const listModels = accountCall({
  method: 'get',
  path: '/accounts/{account}/models',
  id: 'listModels',
  summary: 'The published models with prices and health',
  needs: 'member',
  answer: listed(model),
  handle: async ({ deps }) => {
    const models = await readModels(deps);
    return whole(
      models.filter(({ of }) => of.published).map(({ object }) => ({ object: 'model' as const, ...object })),
    );
  },
});

export const modelCalls = [listModels];

/** A model as it is in force, what shows of it, and what is switched of it. */
export interface ReadModel {
  of: Model;
  object: ReturnType<typeof modelObject>;
  own: ModelSwitch | undefined;
}

/** All models of the configuration, with switches that another process may have set a moment ago. */
export async function readModels(deps: Pick<ApiDependencies, 'database' | 'health' | 'written'>): Promise<ReadModel[]> {
  const [set, health, traffic] = await Promise.all([
    listModelSwitches(deps.database),
    deps.health.report(),
    readTraffic(deps.database, deps.written.models.keys()),
  ]);
  const now = new Date();
  const switches = new Map(set.map((one) => [one.model, one]));
  return [...withSwitches(deps.written.models, switches).values()].map((of) => ({
    of,
    object: modelObject(of, { health: health[of.id], traffic: traffic.modelTraffic(of.id), now }),
    own: switches.get(of.id),
  }));
}
