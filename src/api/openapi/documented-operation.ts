/** An operation as the document of one gateway has it: with the models, limits and addresses of that gateway. */
import * as z from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import type { KeyLevel } from '../../domain/accounts/key-rules.ts';
import type { GatewayFacts, Operation, Response, tags } from '../public-operation.ts';
import { type JsonSchema, nameOf, refOf } from './schemas.ts';

export interface DocumentedOperation {
  method: string;
  path: string;
  id: string;
  tag: keyof typeof tags;
  summary: string;
  description: string | undefined;
  level: KeyLevel | undefined;
  parameters: readonly JsonSchema[];
  /** By media type. */
  body: Readonly<Record<string, JsonSchema>> | undefined;
  responses: Readonly<Record<number, DocumentedResponse>>;
  errors: readonly ErrorCode[];
  /** That examples of errors name. */
  currency: string;
  failedRecord: { name: string; schema: JsonSchema; exampleWith: (error: unknown) => JsonSchema } | undefined;
  upstreamRefusals: readonly number[];
  errorForm: 'messages' | undefined;
}

export interface DocumentedResponse {
  /** Under which it stands among the document's components, if it is not written out. */
  name?: string;
  description: string;
  headers?: Readonly<Record<string, JsonSchema>> | undefined;
  /** By media type; none for an answer without a body. */
  content?: Readonly<Record<string, JsonSchema>> | undefined;
  next?: readonly string[] | undefined;
}

export function documented(operation: Operation, facts: GatewayFacts): DocumentedOperation {
  const { method, id, tag, summary, description, level, parameters = [], body, answer, failedRecord } = operation;
  return {
    method,
    path: operation.path.replace('{*', '{'),
    id,
    tag,
    summary,
    description: typeof description === 'function' ? description(facts) : description,
    level,
    parameters: typeof parameters === 'function' ? parameters(facts) : parameters,
    body: body?.content(facts),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, responseOf(answer, response, facts)]),
    ),
    errors: operation.errors ?? [],
    currency: facts.currency,
    failedRecord: failedRecord && {
      name: nameOf(answer),
      schema: refOf(answer),
      exampleWith: (error) => failedRecord(facts, error),
    },
    upstreamRefusals: operation.upstreamRefusals ?? [],
    errorForm: operation.errorForm,
  };
}

function responseOf(answer: z.ZodType, response: Response, facts: GatewayFacts): DocumentedResponse {
  const { description, headers, examples, next } = response;
  const content: Record<string, JsonSchema> = {
    ...(!(answer instanceof z.ZodVoid) && { 'application/json': { schema: refOf(answer) } }),
    ...response.content,
  };
  const { 'application/json': json } = content;
  if (json && examples) content['application/json'] = { ...json, examples: examples(facts) };
  return { description, headers, ...(Object.keys(content).length > 0 && { content }), next };
}
