/** The playground's operations in the console's document: the public ones, for a session instead of a key. */
import type { Deployment } from '../../domain/catalogue.ts';
import { accountOperations } from '../openapi/account.ts';
import { avatarTalkOperations } from '../openapi/avatar-talk.ts';
import { chatOperations } from '../openapi/chat.ts';
import { requestHeaders } from '../openapi/headers.ts';
import { imageOperations } from '../openapi/images.ts';
import type { Facts, Group, JsonSchema, Method, Operation } from '../openapi/operation.ts';
import { quoteOperations } from '../openapi/quotes.ts';
import { responseOperations } from '../openapi/responses.ts';
import { namedSchemas } from '../openapi/schemas.ts';
import { videoOperations } from '../openapi/videos.ts';

const MiB = 1024 * 1024;
// The console's document is the same everywhere; what a gateway is set to is told by its public one.
const usual: Facts = {
  limits: { jsonBytes: 20 * MiB, audioBytes: 50 * MiB, videoBytes: 500 * MiB, audioSeconds: 600, waitingTasks: 10_000 },
  model: (kind) => `your-${kind}-model`,
};
const deployment: Deployment = { root: '/v1', health: '', imageWaitSeconds: 300, videoWaitSeconds: 300 };

const groups: readonly Group[] = [
  chatOperations,
  responseOperations,
  imageOperations,
  videoOperations,
  avatarTalkOperations,
  quoteOperations,
  (facts, of) => accountOperations(facts, of).filter(({ path }) => path === '/account/ledger'),
];

/** Each operation with its whole path. */
export const playgroundOperations = (): { path: string; method: Method; operation: JsonSchema }[] =>
  groups
    .flatMap((group) => group(usual, deployment))
    .map((operation) => ({
      path: `/console/api/accounts/{account}/v1${operation.path}`,
      method: operation.method,
      operation: operationOf(operation),
    }));

/** What they refer to. */
export const playgroundParts = () => ({ schemas: namedSchemas(), parameters: requestHeaders });

const account: JsonSchema = { name: 'account', in: 'path', required: true, schema: { type: 'string' } };

function operationOf({ id, summary, parameters = [], body, answers }: Operation): JsonSchema {
  const written = Object.entries(answers).map(([status, { description, content }]) => [
    status,
    { description, ...(content && { content }) },
  ]);
  return {
    operationId: `playground${id[0]?.toUpperCase() ?? ''}${id.slice(1)}`,
    summary,
    description: 'For owners of the account: as the public operation of the same path.',
    security: [{ session: [] }],
    parameters: [account, ...parameters],
    ...(body && { requestBody: { required: true, content: body.content } }),
    responses: {
      ...Object.fromEntries(written),
      default: {
        description: 'A refusal, in the form of all of them.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}
