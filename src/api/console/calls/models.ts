/** The catalogue with prices and health, and what operators switch of it. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import { withSwitches } from '../../../domain/accounts/model-switch-rules.ts';
import { flag, keptText, modelId } from '../../../domain/requests/fields.ts';
import { invalid } from '../../../domain/requests/parse.ts';
import { listModelSwitches, type ModelSwitch, switchModel } from '../../../accounts/model-switches.ts';
import { readTraffic } from '../../health/traffic.ts';
import { capabilityObjects, limitsObject, priceObject, switchObject } from '../../presenters/models.ts';
import { accountCall, operatorCall } from '../console-call.ts';
import { healthObject, model, modelSwitch } from './model-fields.ts';

const listed = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.literal(false),
    next_cursor: z.null(),
  });
const whole = <T>(data: T[]) => ({ object: 'list' as const, data, has_more: false as const, next_cursor: null });

const listModels = accountCall({
  method: 'get',
  path: '/accounts/{account}/models',
  id: 'listModels',
  summary: 'The models with prices and health; for operators those that are not published too',
  needs: 'member',
  answer: listed(model),
  handle: async ({ deps, person: { isOperator } }) => {
    // Read anew: another process may have switched a moment ago.
    const [set, health, traffic] = await Promise.all([
      listModelSwitches(deps.database),
      deps.health.report(),
      readTraffic(deps.database, deps.written.models.keys()),
    ]);
    const switches = new Map(set.map((one) => [one.model, one]));
    const models = [...withSwitches(deps.written.models, switches).values()];
    return whole(
      models
        .filter(({ published }) => published || isOperator)
        .map((one) => {
          const own = switches.get(one.id);
          const file = deps.written.models.get(one.id) ?? one;
          return {
            object: 'model',
            id: one.id,
            kind: one.kind,
            owned_by: one.ownedBy,
            created: one.created,
            capabilities: capabilityObjects(one),
            price: priceObject(one.price),
            limits: limitsObject(one.limits),
            health: healthObject(health[one.id], traffic.modelTraffic(one.id), one),
            published: one.published,
            published_source: sourceOf(own?.published),
            maintenance: one.maintenance,
            maintenance_source: sourceOf(own?.maintenance),
            operation: isOperator
              ? {
                  routes: one.routes.map((route) => ({ provider: route.provider, model: route.model })),
                  file: { published: file.published, maintenance: file.maintenance },
                  switch: own ? { ...switchObject(own), is_in_file: true } : null,
                }
              : null,
          };
        }),
    );
  },
});

const listSwitches = operatorCall({
  method: 'get',
  path: '/operator/model-switches',
  id: 'listModelSwitches',
  summary: 'What is switched of models, of those too that the configuration no longer has',
  answer: listed(modelSwitch),
  handle: async ({ deps }) => {
    const switches = await listModelSwitches(deps.database);
    return whole(switches.map((one) => ({ ...switchObject(one), is_in_file: deps.written.models.has(one.model) })));
  },
});

const reasonRule = 'must be a string of at most 500 characters';
const reason = keptText.trim().max(500, reasonRule).nullish();

const change = operatorCall({
  method: 'put',
  path: '/operator/model-switches',
  id: 'switchModel',
  summary: 'Publish a model or not, or put it in maintenance; null goes back to what the configuration says',
  body: z.strictObject({
    model: modelId,
    published: flag.nullable().optional(),
    maintenance: flag.nullable().optional(),
    reason,
  }),
  answer: modelSwitch,
  handle: async ({ deps, by, body: { model: id, published, maintenance, reason: why } }) => {
    if (published === undefined && maintenance === undefined)
      throw invalid('published', "or 'maintenance' is required: true, false, or null to reset to the configuration");
    const isInFile = deps.written.models.has(id);
    const before = await findSwitch(deps, id);
    // What is left of a model that is gone can be removed, and nothing else.
    if (!isInFile && (!before || (published ?? maintenance ?? null) !== null)) throw noModel();
    await switchModel(by, {
      model: id,
      ...(published !== undefined && { published }),
      ...(maintenance !== undefined && { maintenance }),
      ...(typeof why === 'string' && why !== '' && { reason: why }),
    });
    await deps.refreshSwitches();
    const now = await findSwitch(deps, id);
    return { ...(now ? switchObject(now) : nothingSwitched(id)), is_in_file: isInFile };
  },
});

export const modelCalls = [listModels, listSwitches, change];

const findSwitch = async (
  { database }: { database: Parameters<typeof listModelSwitches>[0] },
  id: string,
): Promise<ModelSwitch | undefined> => (await listModelSwitches(database)).find(({ model: of }) => of === id);

const sourceOf = (value: boolean | null | undefined) => (value === null || value === undefined ? 'file' : 'switch');

const nothingSwitched = (id: string) => ({
  object: 'model_switch' as const,
  model: id,
  published: null,
  maintenance: null,
  set_by: null,
  set_by_email: null,
  set_at: null,
});

const noModel = (): GatewayError =>
  new GatewayError('model_not_found', 'The configuration has no such model.', { param: 'model' });
