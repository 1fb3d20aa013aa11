/** Models and their health in the document. */
import * as z from 'zod';
import { capabilityLabels } from '../../domain/catalogue.ts';
import type { Deployment } from '../../domain/catalogue.ts';
import type { Group, Operation } from './operation.ts';
import { answer, refOf } from './schemas.ts';

const model = answer(
  'Model',
  z.strictObject({
    id: z.string().describe('Model id.'),
    object: z.literal('model'),
    created: z.int().describe('Unix seconds.'),
    owned_by: z.string().describe('Vendor identifier of the model.'),
  }),
);
const modelList = answer('ModelList', z.strictObject({ object: z.literal('list'), data: z.array(model) }));

const tags = Object.keys(capabilityLabels);
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
    capabilities: z.record(z.string(), z.array(z.enum(tags))).describe('Capability tags by model id.'),
    labels: z.record(z.string(), z.string()).describe('Display names of the capability tags.'),
  }),
);

export const modelOperations: Group = ({ model: modelOf }) => [
  {
    method: 'get',
    path: '/models',
    id: 'listModels',
    tag: 'Models',
    level: 'read',
    summary: 'Available models',
    description: "Published, not in maintenance, and on the key's allow-list. Always whole.",
    answers: { 200: { description: 'The models.', content: { 'application/json': { schema: refOf(modelList) } } } },
  },
  {
    method: 'get',
    path: '/models/{id}',
    id: 'getModel',
    tag: 'Models',
    level: 'read',
    summary: 'One model',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'Model id; slashes in it may stand as they are.',
        schema: { type: 'string' },
        example: modelOf('chat'),
      },
    ],
    answers: { 200: { description: 'The model.', content: { 'application/json': { schema: refOf(model) } } } },
    errors: ['model_not_found'],
  },
];

/** The health report, whose address is a matter of the deployment. */
export const healthOperation = ({ health }: Deployment): Operation => ({
  method: 'get',
  path: health,
  id: 'getModelHealth',
  tag: 'Models',
  summary: 'Health of the models',
  description: 'Built from real traffic; idle models are probed. No key is needed.',
  answers: { 200: { description: 'The report.', content: { 'application/json': { schema: refOf(healthReport) } } } },
});
