/** Records of requests as callers see them, in JSON and CSV. */
import * as z from 'zod';
import { toAmount } from '../../domain/money.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import type { ListedRequest } from '../../request-records/read-requests.ts';
import { answer } from '../openapi/schemas.ts';

export const requestFields = {
  id: z.string().describe("The request's id, as its answer had it in `X-Request-Id`."),
  object: z.literal('request'),
  created: z.int().describe('Unix seconds.'),
  method: z.string(),
  path: z.string(),
  model: z.string().nullable().describe('As the request named it.'),
  key_id: z.string(),
  status: z.int().describe('499: the caller disconnected before the answer began.'),
  code: z
    .string()
    .nullable()
    .describe('Of its error. Of an answer that broke off after it began: `upstream_error` or `client_disconnected`.'),
  latency_ms: z.int().describe('From the head of the request to the end of its answer.'),
  first_token_ms: z.int().nullable().describe('Of a stream: until the first piece of its answer.'),
  stream: z.boolean(),
  input_tokens: z.int().nullable().describe('Of the whole prompt.'),
  cached_input_tokens: z.int().nullable().describe('The part of them that a cache had.'),
  output_tokens: z.int().nullable(),
  cost: z.number().nullable().describe('Of a task: null until it has ended.'),
  task_id: z.string().nullable(),
  user: z.string().nullable().describe('`user` of the request, or `metadata.user_id`.'),
  tag: z.string().nullable().describe('`X-Tollgate-Tag` of the request.'),
};
export const requestRecord = answer('Request', z.strictObject(requestFields));
export type RequestObject = z.input<typeof requestRecord>;

/** The names of a record's fields, in their order. */
export const requestColumns: readonly string[] = Object.keys(requestFields);

export const requestObject = (request: ListedRequest): RequestObject => ({
  id: request.requestId,
  object: 'request',
  created: unixSeconds(request.createdAt),
  method: request.method,
  path: request.path,
  model: request.model,
  key_id: request.keyId,
  status: request.status,
  code: request.code,
  latency_ms: request.latencyMs,
  first_token_ms: request.firstTokenMs,
  stream: request.isStream,
  input_tokens: request.inputTokens,
  cached_input_tokens: request.cachedInputTokens,
  output_tokens: request.outputTokens,
  cost: request.cost === null ? null : toAmount(request.cost),
  task_id: request.taskId,
  user: request.endUser,
  tag: request.tag,
});
