/** `/openapi.json`: every operation below every deployment's root, made from the code (OpenAPI 3.1). */
import { createHash } from 'node:crypto';
import type { Deployment, ModelKind } from '../../domain/catalogue.ts';
import { version } from '../../version.ts';
import type { Configuration } from '../../config/configuration.ts';
import { firstOfKind } from '../model-catalogue.ts';
import { accountOperations } from './account.ts';
import { avatarTalkOperations } from './avatar-talk.ts';
import { chatOperations } from './chat.ts';
import { refusals } from './errors.ts';
import { answerExamples, eventExamples, type Examples } from './answer-examples.ts';
import { answerHeaders, headers, requestHeader, requestHeaders } from './headers.ts';
import { imageOperations } from './images.ts';
import { keyOperations } from './keys.ts';
import { healthOperation, modelOperations } from './models.ts';
import { type Answer, type Facts, type JsonSchema, type Operation, tags } from './operation.ts';
import { quoteOperations } from './quotes.ts';
import { responseOperations } from './responses.ts';
import { namedSchemas } from './schemas.ts';
import { serviceOperations } from './service.ts';
import { taskOperations } from './tasks.ts';
import { videoOperations } from './videos.ts';
import { webhooks } from './webhooks.ts';

const groups = [
  chatOperations,
  responseOperations,
  modelOperations,
  imageOperations,
  videoOperations,
  avatarTalkOperations,
  taskOperations,
  quoteOperations,
  accountOperations,
  keyOperations,
];

/** The document as it is served. */
export interface ServedDocument {
  bytes: Buffer;
  /** Names the bytes. */
  etag: string;
}

/** The document of a configuration, for callers at that address. */
export function openApiDocument(configuration: Configuration, publicUrl: string): ServedDocument {
  const bytes = Buffer.from(JSON.stringify(documentOf(configuration, publicUrl)));
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
}

function documentOf(configuration: Configuration, publicUrl: string): JsonSchema {
  const facts: Facts = {
    limits: configuration.limits,
    model: (kind: ModelKind) => firstOfKind(configuration, kind) ?? `your-${kind}-model`,
  };
  const { paths, responses } = pathsOf(configuration.deployments, facts, answerExamples(facts, publicUrl));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tollgate',
      version,
      summary: 'Language, image, video and code-generation models behind one API.',
      description: description(configuration.deployments),
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, told]) => ({ name, description: told })),
    security: [{ bearer: [] }],
    paths,
    webhooks: webhooks(eventExamples(facts, publicUrl)),
    components: {
      schemas: namedSchemas(),
      responses,
      headers: answerHeaders,
      parameters: requestHeaders,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `sk-tg-…`: `Authorization: Bearer <key>`.',
        },
      },
    },
  };
}

const description = (deployments: readonly Deployment[]): string =>
  [
    `The same operations are served below ${deployments.map(({ root }) => `\`${root}\``).join(' and ')}.`,
    'All endpoints except those under Service and the health report need `Authorization: Bearer <API_KEY>`.',
    'Errors have the form `{"error":{"message","type","param","code"}}`; a failed task is returned as its record.',
    'Paths that accept GET also accept HEAD.',
  ].join(' ');

type Named = Record<string, JsonSchema>;

/** All paths, with the answers that many of them share. */
function pathsOf(
  deployments: readonly Deployment[],
  facts: Facts,
  examples: Readonly<Record<string, Readonly<Record<number, Examples>>>>,
): { paths: JsonSchema; responses: JsonSchema } {
  const paths: Record<string, Named> = {};
  const responses: Named = {};
  const add = (root: string, suffix: string, operations: readonly Operation[]) => {
    for (const operation of operations) {
      const path = (paths[`${root}${operation.path}`] ??= {});
      const told = { ...operation, answers: withExamples(operation.answers, examples[operation.id] ?? {}) };
      path[operation.method] = operationObject(told, suffix, responses);
    }
  };
  for (const deployment of deployments) {
    const suffix = suffixOf(deployment, deployments);
    for (const group of groups) add(deployment.root, suffix, group(facts, deployment));
    add('', suffix, [healthOperation(deployment)]);
  }
  add('', '', serviceOperations);
  return { paths, responses };
}

function withExamples(
  answers: Operation['answers'],
  examples: Readonly<Record<number, Examples>>,
): Record<number, Answer> {
  const told = Object.entries(answers).map(([status, answer]): [string, Answer] => {
    const [own, body] = [examples[Number(status)], answer.content?.['application/json']];
    if (!own || !body) return [status, answer];
    return [status, { ...answer, content: { ...answer.content, 'application/json': { ...body, examples: own } } }];
  });
  return Object.fromEntries(told);
}

/** Names of operations are told apart by the root, but for the first deployment's: `createImage`, `createImage_ai_v1`. */
const suffixOf = ({ root }: Deployment, [first]: readonly Deployment[]): string =>
  root === first?.root ? '' : root.replace(/[^A-Za-z0-9]+/g, '_');

function operationObject(operation: Operation, suffix: string, shared: Named): JsonSchema {
  const { id, tag, summary, description: told, level, parameters = [], body, answers } = operation;
  const sentences = [told, level && `Requires a key of level \`${level}\`.`].filter(
    (sentence) => sentence !== undefined,
  );
  const isKeyed = level !== undefined;
  const responses = Object.entries({ ...answers, ...refusals(operation) }).map(([status, answer]) => {
    const written = responseObject(answer, isKeyed, suffix);
    if (answer.name === undefined) return [status, written];
    const name = isKeyed ? answer.name : `${answer.name}.public`;
    shared[name] = written;
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return {
    operationId: `${id}${suffix}`,
    tags: [tag],
    summary,
    ...(sentences.length > 0 && { description: sentences.join(' ') }),
    ...(!isKeyed && { security: [] }),
    parameters: [...parameters, requestHeader('X-Request-Id')],
    ...(body && { requestBody: { required: true, content: body.content } }),
    responses: Object.fromEntries(responses) as JsonSchema,
  };
}

function responseObject(
  { description: told, headers: own, content, next }: Answer,
  isKeyed: boolean,
  suffix: string,
): JsonSchema {
  const rate = isKeyed ? headers('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset') : {};
  return {
    description: told,
    headers: { ...headers('X-Request-Id'), ...rate, ...own },
    ...(content && { content }),
    ...(next && { links: Object.fromEntries(next.map((id) => [id, linkTo(`${id}${suffix}`)])) }),
  };
}

const linkTo = (operationId: string): JsonSchema => ({ operationId, parameters: { id: '$response.body#/id' } });
