/** `/openapi.json`: every operation below every deployment's root, made from the code (OpenAPI 3.1). */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Deployment, ModelKind } from '../../domain/catalogue.ts';
import { version } from '../../version.ts';
import type { Configuration } from '../../config/configuration.ts';
import { firstOfKind } from '../model-catalogue.ts';
import type { GatewayFacts, Operation } from '../public-operation.ts';
import { tags } from '../public-operation.ts';
import { documented, type DocumentedOperation, type DocumentedResponse } from './documented-operation.ts';
import { refusals } from './errors.ts';
import { answerHeaders, headers, requestHeader, requestHeaders } from './headers.ts';
import { type JsonSchema, namedSchemas } from './schemas.ts';
import { webhooks } from './webhooks.ts';

/** What the document is made of. */
export interface AllOperations {
  /** Below each deployment's root. */
  ofRoots: readonly Operation[];
  /** Whose address is a matter of the deployment. */
  health: (deployment: Deployment) => Operation;
  /** Of no deployment. */
  ofHost: readonly Operation[];
}

/** The document as it is served. */
export interface ServedDocument {
  bytes: Buffer;
  /** The same, compressed when it is first asked for so: a tenth of them. */
  packed: (encoding: PackedEncoding) => Promise<Buffer>;
  /** Names the bytes. */
  etag: string;
}

/** In the order of preference, as the `Content-Encoding` names them. */
export const packedEncodings = ['br', 'gzip'] as const;
export type PackedEncoding = (typeof packedEncodings)[number];

/** Brotli's best takes a second; this takes a twentieth of that and is a tenth smaller than gzip. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const pack: Readonly<Record<PackedEncoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, brotliOptions),
  gzip: (bytes) => promisify(gzip)(bytes),
};

const served = new WeakMap<Configuration, { publicUrl: string; document: ServedDocument }>();

/** The document of the configuration in force, built when it is first asked for and kept until a reload. */
export function servedDocument(all: AllOperations, configuration: Configuration, publicUrl: string): ServedDocument {
  const kept = served.get(configuration);
  if (kept?.publicUrl === publicUrl) return kept.document;
  const document = openApiDocument(all, configuration, publicUrl);
  served.set(configuration, { publicUrl, document });
  return document;
}

/** The document of a configuration, for callers at that address. */
export function openApiDocument(all: AllOperations, configuration: Configuration, publicUrl: string): ServedDocument {
  const bytes = Buffer.from(JSON.stringify(documentOf(all, configuration, publicUrl)));
  const etag = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  const known: Partial<Record<PackedEncoding, Promise<Buffer>>> = {};
  return { bytes, packed: (encoding) => (known[encoding] ??= pack[encoding](bytes)), etag };
}

function documentOf(all: AllOperations, configuration: Configuration, publicUrl: string): JsonSchema {
  const facts: GatewayFacts = {
    limits: configuration.limits,
    currency: configuration.currency,
    model: (kind: ModelKind) => firstOfKind(configuration, kind) ?? `your-${kind}-model`,
    publicUrl,
    imageWaitSeconds: 0,
    videoWaitSeconds: 0,
  };
  const { paths, responses } = pathsOf(all, configuration.deployments, facts);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tollgate',
      version,
      summary: 'Language, image, video and code-generation models behind one API.',
      description: description(configuration),
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    security: [{ bearer: [] }],
    paths,
    webhooks: webhooks(facts),
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

const description = ({ currency, deployments }: Configuration): string =>
  [
    `The same operations are served below ${deployments.map(({ root }) => `\`${root}\``).join(' and ')}.`,
    'All endpoints except those under Service and the health report need `Authorization: Bearer <API_KEY>`.',
    'Errors have the form `{"error":{"message","type","param","code"}}`; a failed task is returned as its record.',
    'Paths that accept GET also accept HEAD.',
    `All amounts are in ${currency}, with at most six decimals.`,
  ].join(' ');

type Named = Record<string, JsonSchema>;

/** All paths, with the answers that many of them share. */
function pathsOf(
  all: AllOperations,
  deployments: readonly Deployment[],
  shared: GatewayFacts,
): { paths: JsonSchema; responses: JsonSchema } {
  const paths: Record<string, Named> = {};
  const responses: Named = {};
  const add = (root: string, suffix: string, facts: GatewayFacts, operations: readonly Operation[]) => {
    for (const operation of operations.map((one) => documented(one, facts)))
      (paths[`${root}${operation.path}`] ??= {})[operation.method] = operationObject(operation, suffix, responses);
  };
  for (const deployment of deployments) {
    const suffix = suffixOf(deployment, deployments);
    add(deployment.root, suffix, { ...shared, ...deployment }, all.ofRoots);
    add('', suffix, shared, [all.health(deployment)]);
  }
  add('', '', shared, all.ofHost);
  return { paths, responses };
}

/** Names of operations differ by the root, but for the first deployment's: `createImage`, `createImage_ai_v1`. */
const suffixOf = ({ root }: Deployment, [first]: readonly Deployment[]): string =>
  root === first?.root ? '' : root.replace(/[^A-Za-z0-9]+/g, '_');

function operationObject(operation: DocumentedOperation, suffix: string, shared: Named): JsonSchema {
  const { id, tag, summary, level, parameters, body } = operation;
  const sentences = [operation.description, level && `Requires a key of level \`${level}\`.`].filter(
    (sentence) => sentence !== undefined,
  );
  const isKeyed = level !== undefined;
  const responses = Object.entries({ ...operation.responses, ...refusals(operation) }).map(([status, response]) => {
    const written = responseObject(response, isKeyed, suffix);
    if (response.name === undefined) return [status, written];
    const name = isKeyed ? response.name : `${response.name}.public`;
    shared[name] = written;
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return {
    operationId: `${id}${suffix}`,
    tags: [tag],
    summary,
    ...(sentences.length > 0 && { description: sentences.join(' ') }),
    ...(!isKeyed && { security: [] }),
    parameters: [...parameters, requestHeader('X-Request-Id'), ...(isKeyed ? [requestHeader('X-Tollgate-Tag')] : [])],
    ...(body && { requestBody: { required: true, content: body } }),
    responses: Object.fromEntries(responses) as JsonSchema,
  };
}

function responseObject(
  { description: text, headers: own, content, next }: DocumentedResponse,
  isKeyed: boolean,
  suffix: string,
): JsonSchema {
  const rate = isKeyed ? headers('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset') : {};
  return {
    description: text,
    headers: { ...headers('X-Request-Id'), ...rate, ...own },
    ...(content && { content }),
    ...(next && { links: Object.fromEntries(next.map((id) => [id, linkTo(`${id}${suffix}`)])) }),
  };
}

const linkTo = (operationId: string): JsonSchema => ({ operationId, parameters: { id: '$response.body#/id' } });
