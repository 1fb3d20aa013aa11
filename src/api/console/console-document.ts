/** The console's API as an OpenAPI document, of which the types of its client are made. */
import * as z from 'zod';
import type { Call } from './console-call.ts';
import { calls } from './all-calls.ts';
import { playgroundPaths, playgroundParts } from './playground-document.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

let kept: JsonSchema | undefined;

/** The document; made once, since nothing in it depends on the configuration. */
export const consoleDocument = (): JsonSchema => (kept ??= documentOf(calls));

function documentOf(all: readonly Call[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const call of all) (paths[`/console/api${call.path}`] ??= {})[call.method] = operationOf(call);
  for (const { path, method, operation } of playgroundPaths()) (paths[path] ??= {})[method] = operation;
  const { schemas, parameters } = playgroundParts();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tollgate: the API of the account console',
      version: '1',
      description:
        'What the pages below /console/ talk to, by the cookie of a session. It changes with them; programs take the public API, /openapi.json.',
    },
    paths,
    components: {
      schemas: { ...schemas, Error: errorSchema },
      parameters,
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'tollgate_session' } },
    },
  };
}

function operationOf({ id, summary, needs, path, query, body, answer, media }: Call): JsonSchema {
  return {
    operationId: id,
    summary,
    description: whoMay[needs],
    security: needs === 'none' ? [] : [{ session: [] }],
    parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: {
      ...successOf(answer, media),
      default: {
        description: 'A refusal, in the form of all of them.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

const whoMay = {
  none: 'Needs no session.',
  person: 'For any person who is signed in.',
  member: 'For people of the account, and operators.',
  owner: 'For owners of the account, and operators.',
  operator: 'For operators.',
} as const satisfies Record<Call['needs'], string>;

function successOf(answer: z.ZodType, media: string | undefined): JsonSchema {
  if (media !== undefined)
    return { 200: { description: 'The file.', content: { [media]: { schema: { type: 'string' } } } } };
  if (answer instanceof z.ZodVoid) return { 204: { description: 'Done.' } };
  const schema = schemaOf(answer, 'output');
  return { 200: { description: 'The answer.', content: { 'application/json': { schema } } } };
}

const pathParameters = (path: string): JsonSchema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

/** Texts in an address, but numbers to its author. */
const queryParameters = (query: z.ZodObject): JsonSchema[] =>
  shapeOf(query).map(([name, field]) => ({
    name,
    in: 'query',
    required: !z.safeParse(field, undefined).success,
    schema: name === 'limit' ? { type: 'integer' } : schemaOf(field, 'input'),
  }));

const shapeOf = (query: z.ZodObject<z.ZodRawShape>): [string, z.core.$ZodType][] => Object.entries(query.shape);

function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const made = Object.entries(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  return Object.fromEntries(made.filter(([keyword]) => keyword !== '$schema'));
}

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'] },
        code: { type: ['string', 'null'] },
      },
    },
  },
};
