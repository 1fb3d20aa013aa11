/** The models that a key may use, and how they are. */
import * as z from 'zod';
import { capabilityLabels, type Deployment, type Model, type ModelKind } from '../../domain/catalogue.ts';
import { GatewayError } from '../../domain/errors.ts';
import { maintenanceAt } from '../../domain/maintenance.ts';
import { endpointKinds } from '../../domain/requests/parse.ts';
import { routesOf } from '../../chat/call-routes.ts';
import { type ApiContext, keyOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { speaksMessages } from '../messages-form.ts';
import { listed } from '../model-catalogue.ts';
import { exampleCreated, one } from '../openapi/examples.ts';
import { pathParameter } from '../openapi/parameters.ts';
import type { Health } from '../health/health-rules.ts';
import { answer } from '../openapi/schemas.ts';
import { type GatewayFacts, operation, type Operation } from '../public-operation.ts';

const modelRecord = answer(
  'Model',
  z.strictObject({
    id: z.string().describe('Model id.'),
    object: z.literal('model'),
    created: z.int().describe('Unix seconds.'),
    owned_by: z.string().describe('Vendor identifier of the model.'),
  }),
);
const modelObject = ({ id, created, ownedBy }: Model): z.input<typeof modelRecord> => ({
  id,
  object: 'model',
  created,
  owned_by: ownedBy,
});
/** As Anthropic's API has it. */
const messagesModel = answer(
  'MessagesModel',
  z.strictObject({
    type: z.literal('model'),
    id: z.string().describe('Model id.'),
    display_name: z.string(),
    created_at: z.iso.datetime(),
  }),
);
const messagesModelObject = ({ id, created }: Model): z.input<typeof messagesModel> => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString(),
});

const takesMessages: ReadonlySet<ModelKind> = new Set(endpointKinds.messages);

/** Those that its callers can send messages to. */
const listedForMessages = (ctx: ApiContext, deps: ApiDependencies): Model[] =>
  listed(keyOf(ctx), deps.configuration).filter(
    (model) => takesMessages.has(model.kind) && routesOf(deps, { model, endpoint: 'messages' }).length > 0,
  );

const chatModel = ({ model }: GatewayFacts) => ({
  object: 'model',
  id: model('chat'),
  created: exampleCreated,
  owned_by: 'tollgate',
});

const exampleOfMessages = ({ model }: GatewayFacts) => ({
  type: 'model',
  id: model('chat'),
  display_name: model('chat'),
  created_at: '2026-01-01T00:00:00.000Z',
});

const modelList = answer('ModelList', z.strictObject({ object: z.literal('list'), data: z.array(modelRecord) }));
const messagesModelList = answer(
  'MessagesModelList',
  z.strictObject({
    data: z.array(messagesModel),
    has_more: z.literal(false),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  }),
);

const listModels = operation({
  method: 'get',
  path: '/models',
  id: 'listModels',
  tag: 'Models',
  level: 'read',
  summary: 'Available models',
  description:
    "Published, not in maintenance, and on the key's allow-list. Always whole. With the header `anthropic-version` in the form of Anthropic's API, and only models that take messages.",
  answer: answer('AnyModelList', z.union([modelList, messagesModelList])),
  responses: {
    200: {
      description: 'The models.',
      examples: (facts) => ({
        ...one('The models', { object: 'list', data: [chatModel(facts)] }),
        messages: {
          summary: "In Anthropic's form",
          value: {
            data: [exampleOfMessages(facts)],
            has_more: false,
            first_id: facts.model('chat'),
            last_id: facts.model('chat'),
          },
        },
      }),
    },
  },
  handle: ({ ctx, deps }) => {
    if (!speaksMessages(ctx))
      return { object: 'list' as const, data: listed(keyOf(ctx), deps.configuration).map(modelObject) };
    const data = listedForMessages(ctx, deps).map(messagesModelObject);
    return { data, has_more: false as const, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  },
});

const getModel = operation({
  method: 'get',
  path: '/models/{*id}',
  id: 'getModel',
  tag: 'Models',
  level: 'read',
  summary: 'One model',
  description: "With the header `anthropic-version` in the form of Anthropic's API.",
  parameters: ({ model }) => [pathParameter('id', 'Model id; slashes in it may stand as they are.', model('chat'))],
  answer: answer('AnyModel', z.union([modelRecord, messagesModel])),
  responses: {
    200: {
      description: 'The model.',
      examples: (facts) => ({
        ...one('The model', chatModel(facts)),
        messages: { summary: "In Anthropic's form", value: exampleOfMessages(facts) },
      }),
    },
  },
  errors: ['model_not_found'],
  handle: ({ ctx, deps, params }) => {
    const isOfMessages = speaksMessages(ctx);
    const models = isOfMessages ? listedForMessages(ctx, deps) : listed(keyOf(ctx), deps.configuration);
    const model = models.find(({ id }) => id === (params['id'] ?? ''));
    if (model) return isOfMessages ? messagesModelObject(model) : modelObject(model);
    throw new GatewayError('model_not_found', 'Model not found. GET /models lists the available models.', {
      param: 'model',
    });
  },
});

export const modelOperations = [listModels, getModel];

const healthReport = answer(
  'HealthReport',
  z.strictObject({
    health: z
      .record(
        z.string(),
        z.strictObject({
          available: z.boolean(),
          latencyMs: z.number().describe('The median of the last 20; 0 if there are none.'),
          lastChecked: z.int().describe('Milliseconds since the Unix epoch.'),
          maintenance: z
            .strictObject({
              note: z.string().nullable().describe('Why, in the words of the operator.'),
              until: z.iso.datetime().nullable().describe('When it ends by itself.'),
            })
            .optional()
            .describe('While the model is in maintenance, where a note or an end is known.'),
        }),
      )
      .describe('By model id.'),
    capabilities: z
      .record(z.string(), z.array(z.enum(Object.keys(capabilityLabels))))
      .describe('Capability tags by model id.'),
    labels: z.record(z.string(), z.string()).describe('Display names of the capability tags.'),
  }),
);

/** The health report, whose address is a matter of the deployment. */
export const healthOperation = ({ health }: Deployment): Operation =>
  operation({
    method: 'get',
    path: health,
    id: 'getModelHealth',
    tag: 'Models',
    summary: 'Health of the models',
    description: 'Built from real traffic; idle models are probed. No key is needed.',
    answer: healthReport,
    responses: {
      200: { description: 'The report.', examples: ({ model }) => one('The report', healthOf(model('chat'))) },
    },
    handle: async ({ deps }) => {
      const { models } = deps.configuration;
      const published = [...models.values()].filter((model) => model.published);
      const report = Object.entries(await deps.health.report());
      const now = new Date();
      return {
        health: Object.fromEntries(report.map(([id, health]) => [id, withMaintenance(health, models.get(id), now)])),
        capabilities: Object.fromEntries(published.map(({ id, capabilities }) => [id, [...capabilities]])),
        labels: capabilityLabels,
      };
    },
  });

/** A model's health as it is now: in maintenance it is not available, whatever its traffic says. */
function withMaintenance(health: Health, model: Model | undefined, now: Date) {
  const inForce = model ? maintenanceAt(model.maintenance, now) : false;
  if (inForce === false) return health;
  const { note = null, until } = inForce;
  if (note === null && until === undefined) return { ...health, available: false };
  return { ...health, available: false, maintenance: { note, until: until?.toISOString() ?? null } };
}

const healthOf = (model: string) => ({
  health: { [model]: { available: true, latencyMs: 412, lastChecked: exampleCreated * 1000 } },
  capabilities: { [model]: ['chat'] },
  labels: capabilityLabels,
});
