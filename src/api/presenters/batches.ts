/** Batches as the OpenAI API shows them, and what is ours of them in `_local`. */
import * as z from 'zod';
import { batchObject, type ShownBatch } from '../../domain/batches/batch-object.ts';
import { batchPauses, batchStates } from '../../domain/batches/batch-states.ts';
import { batchEndpoints } from '../../domain/batches/endpoints.ts';
import { answer } from '../openapi/schemas.ts';

const seconds = z.int().min(0);
const count = z.int().min(0);

const mistake = z.strictObject({
  code: z.string(),
  line: z.int().nullable().describe('From 1; null: of the file as a whole.'),
  message: z.string(),
  param: z.string().nullable(),
});

export const batchRecord = answer(
  'Batch',
  z.strictObject({
    id: z.string(),
    object: z.literal('batch'),
    endpoint: z.enum(batchEndpoints),
    errors: z
      .strictObject({ object: z.literal('list'), data: z.array(mistake) })
      .nullable()
      .describe('What was found wrong with the lines, up to 100 mistakes.'),
    input_file_id: z.string(),
    completion_window: z.string(),
    status: z.enum(batchStates),
    output_file_id: z.string().nullable(),
    error_file_id: z.string().nullable(),
    created_at: seconds,
    in_progress_at: seconds.nullable(),
    expires_at: seconds,
    finalizing_at: seconds.nullable(),
    completed_at: seconds.nullable(),
    failed_at: seconds.nullable(),
    expired_at: seconds.nullable(),
    cancelling_at: seconds.nullable(),
    cancelled_at: seconds.nullable(),
    request_counts: z.strictObject({ total: count, completed: count, failed: count }),
    usage: z.strictObject({
      input_tokens: count,
      input_tokens_details: z.strictObject({ cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: z.strictObject({ reasoning_tokens: count }),
      total_tokens: count,
    }),
    metadata: z.record(z.string(), z.string()).nullable(),
    _local: z.strictObject({
      cost: z.number().describe('Charged for its lines so far.'),
      held: z.number().describe('Held for the lines that are under way.'),
      balance: z.number().describe("The account's available balance."),
      paused: z.enum(batchPauses).nullable().describe('Why nothing is sent at the moment.'),
    }),
  }),
);

export const batchRecordOf = (batch: ShownBatch): z.input<typeof batchRecord> => batchObject(batch);
