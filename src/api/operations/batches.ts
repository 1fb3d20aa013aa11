/** Batches, in the form of the OpenAI API. */
import * as z from 'zod';
import { cancelBatch, requireBatch } from '../../batches/cancel-batch.ts';
import { createBatch } from '../../batches/create-batch.ts';
import { listBatches } from '../../batches/stored-batches.ts';
import { batchBody, parseBatchRequest } from '../../domain/requests/batch-request.ts';
import { checkWebhookUrl } from '../../tasks/create/caller-addresses.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { keyOf } from '../context.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { limitUpTo } from '../lists/list-query.ts';
import { batchExample } from '../openapi/batch-example.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { one } from '../openapi/examples.ts';
import { requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { pathParameter } from '../openapi/parameters.ts';
import { queryParameters } from '../openapi/queries.ts';
import { openAiList } from '../presenters/openai-list.ts';
import { batchRecord, batchRecordOf } from '../presenters/batches.ts';
import { operation } from '../public-operation.ts';
import { refuseLate } from '../server/draining.ts';

/** As with the OpenAI API. */
const pageBatchesMax = 100;
const pageBatchesDefault = 20;

const batchIdForm = '^batch_[0-9a-f]{32}$';
const ofBatch = {
  tag: 'Batches',
  parameters: [pathParameter('id', "The batch's id.", exampleIds.batch, batchIdForm)],
} as const;

const words = {
  input_file_id: 'A file of purpose `batch`, one request a line: `{"custom_id", "method": "POST", "url", "body"}`.',
  endpoint: 'What all lines ask for, as their `url` says it; under any root with a leading `/v1`.',
  completion_window: 'How long it may take: `1h` to `168h`. What was not sent by then is not run.',
  metadata: 'Up to 16 pairs of texts, handed back with the batch.',
  output_expires_after: 'How long the output files are kept, from when they are made; 30 days without it.',
  webhook_url: 'Receives a signed POST with the batch when it has ended.',
};

export const createBatchOperation = operation({
  method: 'post',
  path: '/batches',
  id: 'createBatch',
  tag: 'Batches',
  level: 'standard',
  summary: 'Create a batch',
  description:
    'Answers at once. First every line is checked, then the lines are sent as the models have room for them, each held and charged by itself. The price of a line is that of the moment of creation.',
  parameters: [requestHeader('Idempotency-Key')],
  before: ({ ctx }) => {
    refuseLate(ctx);
    return Promise.resolve();
  },
  body: {
    content: jsonContent('BatchCreateRequest', batchBody, {
      words,
      shown: () => ({
        examples: {
          chat: {
            summary: 'Chat completions',
            value: { input_file_id: exampleIds.file, endpoint: '/v1/chat/completions', completion_window: '24h' },
          },
        },
      }),
    }),
  },
  answer: batchRecord,
  responses: {
    200: {
      description: 'Accepted.',
      examples: () => one('Accepted', batchExample('validating')),
      next: ['retrieveBatch', 'cancelBatch'],
    },
  },
  errors: ['invalid_json', 'invalid_parameter', 'missing_parameter', 'idempotency_key_reused'],
  handle: async ({ ctx, deps }) => {
    const { value } = await requestJson(deps, ctx, { names: namesOf(batchBody) });
    const request = parseBatchRequest(value);
    await checkWebhookUrl(deps, request);
    const { requestId } = ctx.state;
    const order = { key: keyOf(ctx), requestId, request, idempotencyKey: idempotencyKeyOf(ctx) };
    return batchRecordOf(await createBatch(deps, order));
  },
});

const listQuery = z.object({
  limit: limitUpTo(pageBatchesMax),
  after: z.string().regex(new RegExp(batchIdForm), "must be a batch's id").optional(),
});

const listBatchesOperation = operation({
  method: 'get',
  path: '/batches',
  id: 'listBatches',
  tag: 'Batches',
  level: 'standard',
  summary: "The account's batches, newest first",
  query: listQuery,
  parameters: queryParameters(
    listQuery,
    { after: 'The `last_id` of the previous page.' },
    { max: pageBatchesMax, default: pageBatchesDefault },
  ),
  answer: openAiList('BatchList', batchRecord),
  responses: {
    200: {
      description: 'A page.',
      examples: () =>
        one('A page', {
          ...{ object: 'list', data: [batchExample('completed')] },
          ...{ first_id: exampleIds.batch, last_id: exampleIds.batch, has_more: false },
        }),
    },
  },
  errors: ['invalid_parameter'],
  handle: async ({ ctx, deps, query: { limit = pageBatchesDefault, after } }) => {
    const found = await listBatches(deps.database, keyOf(ctx).accountId, { limit: limit + 1, after });
    const data = found.slice(0, limit).map(batchRecordOf);
    return {
      ...{ object: 'list' as const, data, has_more: found.length > limit },
      ...{ first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null },
    };
  },
});

const retrieveBatch = operation({
  ...ofBatch,
  method: 'get',
  path: '/batches/{id}',
  id: 'retrieveBatch',
  level: 'standard',
  summary: 'Query a batch',
  answer: batchRecord,
  responses: {
    200: {
      description: 'The batch, also when it failed.',
      examples: () => ({
        completed: { summary: 'Done', value: batchExample('completed') },
        in_progress: { summary: 'In progress', value: batchExample('in_progress') },
        failed: { summary: 'Lines have mistakes', value: batchExample('failed') },
      }),
    },
  },
  errors: ['batch_not_found'],
  handle: async ({ ctx, deps, params: { id = '' } }) =>
    batchRecordOf(await requireBatch(deps, keyOf(ctx).accountId, id)),
});

const cancelBatchOperation = operation({
  ...ofBatch,
  method: 'post',
  path: '/batches/{id}/cancel',
  id: 'cancelBatch',
  level: 'standard',
  summary: 'Cancel a batch',
  description:
    'Lines under way are finished and charged, the others are not run. Once they have ended, the batch is `cancelled`, with the files of what was done.',
  answer: batchRecord,
  responses: {
    200: { description: 'It is being cancelled.', examples: () => one('Cancelling', batchExample('cancelling')) },
  },
  errors: ['batch_not_found', 'batch_not_cancellable'],
  handle: async ({ ctx, deps, params: { id = '' } }) =>
    batchRecordOf(await cancelBatch(deps, keyOf(ctx).accountId, id)),
});

export const batchOperations = [createBatchOperation, listBatchesOperation, retrieveBatch, cancelBatchOperation];
