/** The models that a key may use, and how they are. */
import * as z from 'zod';
import { capabilityLabels, type Deployment, type Model } from '../../domain/catalogue.ts';
import { GatewayError } from '../../domain/errors.ts';
import { keyOf } from '../context.ts';
import { listed } from '../model-catalogue.ts';
import { exampleCreated, one } from '../openapi/examples.ts';
import { pathParameter } from '../openapi/parameters.ts';
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
const chatModel = ({ model }: GatewayFacts) => ({
  object: 'model',
  id: model('chat'),
  created: exampleCreated,
  owned_by: 'tollgate',
});

const listModels = operation({
  method: 'get',
  path: '/models',
  id: 'listModels',
  tag: 'Models',
  level: 'read',
  summary: 'Available models',
  description: "Published, not in maintenance, and on the key's allow-list. Always whole.",
  answer: answer('ModelList', z.strictObject({ object: z.literal('list'), data: z.array(modelRecord) })),
  responses: {
    200: {
      description: 'The models.',
      examples: (facts) => one('The models', { object: 'list', data: [chatModel(facts)] }),
    },
  },
  handle: ({ ctx, deps }) => ({
    object: 'list',
    data: listed(keyOf(ctx), deps.configuration).map(modelObject),
  }),
});

const getModel = operation({
  method: 'get',
  path: '/models/{*id}',
  id: 'getModel',
  tag: 'Models',
  level: 'read',
  summary: 'One model',
  parameters: ({ model }) => [pathParameter('id', 'Model id; slashes in it may stand as they are.', model('chat'))],
  answer: modelRecord,
  responses: { 200: { description: 'The model.', examples: (facts) => one('The model', chatModel(facts)) } },
  errors: ['model_not_found'],
  handle: ({ ctx, deps, params }) => {
    const model = listed(keyOf(ctx), deps.configuration).find(({ id }) => id === (params['id'] ?? ''));
    if (model) return modelObject(model);
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
      const published = [...deps.configuration.models.values()].filter((model) => model.published);
      return {
        health: await deps.health.report(),
        capabilities: Object.fromEntries(published.map(({ id, capabilities }) => [id, [...capabilities]])),
        labels: capabilityLabels,
      };
    },
  });

const healthOf = (model: string) => ({
  health: { [model]: { available: true, latencyMs: 412, lastChecked: exampleCreated * 1000 } },
  capabilities: { [model]: ['chat'] },
  labels: capabilityLabels,
});
