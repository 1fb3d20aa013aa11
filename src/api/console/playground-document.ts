/** The playground's operations in the console's document: the public ones, for a session instead of a key. */
import { currencyDefault } from '../../domain/currency.ts';
import { documented } from '../openapi/documented-operation.ts';
import { requestHeaders } from '../openapi/headers.ts';
import { type JsonSchema, namedSchemas } from '../openapi/schemas.ts';
import { playgroundOperations } from '../operations/all-operations.ts';
import type { GatewayFacts, Operation } from '../public-operation.ts';

const MiB = 1024 * 1024;
// The console's document is the same everywhere; its public one has what a gateway is set to.
const usual: GatewayFacts = {
  limits: {
    jsonBytes: 20 * MiB,
    audioBytes: 50 * MiB,
    videoBytes: 500 * MiB,
    audioSeconds: 600,
    imageBytes: 47 * MiB,
    fileBytes: 200 * MiB,
    batchLines: 50_000,
    waitingTasks: 10_000,
  },
  currency: currencyDefault,
  model: (kind) => `your-${kind}-model`,
  publicUrl: '',
  imageWaitSeconds: 300,
  videoWaitSeconds: 300,
};
/** Each operation by its whole path and method. */
export const playgroundPaths = (): { path: string; method: string; operation: JsonSchema }[] =>
  playgroundOperations.map((operation) => ({
    path: `/console/api/accounts/{account}/v1${operation.path}`,
    method: operation.method,
    operation: operationOf(operation),
  }));

/** What they refer to. */
export const playgroundParts = () => ({ schemas: namedSchemas(), parameters: requestHeaders });

const account: JsonSchema = { name: 'account', in: 'path', required: true, schema: { type: 'string' } };

function operationOf(operation: Operation): JsonSchema {
  const { id, summary, parameters, body, responses } = documented(withoutExamples(operation), usual);
  const written = Object.entries(responses).map(([status, { description, content }]) => [
    status,
    { description, ...(content && { content }) },
  ]);
  return {
    operationId: `playground${id[0]?.toUpperCase() ?? ''}${id.slice(1)}`,
    summary,
    description: 'For owners of the account: as the public operation of the same path.',
    security: [{ session: [] }],
    parameters: [account, ...parameters],
    ...(body && { requestBody: { required: true, content: body } }),
    responses: {
      ...Object.fromEntries(written),
      default: {
        description: 'A refusal, in the form of all of them.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

/** The types of the client need no example of an answer. */
const withoutExamples = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, { description, content }]) => [
      status,
      { description, ...(content && { content }) },
    ]),
  ),
});
