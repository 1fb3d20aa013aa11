/** A batch as lists show it. */
import * as z from 'zod';
import { batchPauses, batchStates } from '../../../domain/batches/batch-states.ts';
import { batchEndpoints } from '../../../domain/batches/endpoints.ts';
import { toAmount } from '../../../domain/money.ts';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import type { BatchFacts } from '../../../batches/batch-reports.ts';

export const batchFields = {
  object: z.literal('batch'),
  id: z.string(),
  endpoint: z.enum(batchEndpoints),
  /** Those that its lines name, once they were checked. */
  models: z.array(z.string()),
  status: z.enum(batchStates),
  /** Why nothing is sent at the moment. */
  paused: z.enum(batchPauses).nullable(),
  counts: z.strictObject({ total: z.int(), completed: z.int(), failed: z.int() }),
  /** Charged so far, and held for the lines that are under way. */
  cost: z.number(),
  held: z.number(),
  key: z.strictObject({ id: z.string(), name: z.string() }),
  created: z.int(),
  expires: z.int(),
  /** When it came to its end; null while it runs. */
  ended: z.int().nullable(),
};

export const batchLine = z.strictObject(batchFields);

export const presentBatch = (batch: BatchFacts): z.input<typeof batchLine> => {
  const endedAt = endOf(batch);
  return {
    object: 'batch',
    id: batch.id,
    endpoint: batch.endpoint,
    models: batch.models,
    status: batch.state,
    paused: batch.paused,
    counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    cost: toAmount(batch.cost),
    held: toAmount(batch.held),
    key: { id: batch.keyId, name: batch.keyName },
    created: unixSeconds(batch.createdAt),
    expires: unixSeconds(batch.expiresAt),
    ended: endedAt && unixSeconds(endedAt),
  };
};

export const endOf = ({ completedAt, failedAt, expiredAt, cancelledAt }: BatchFacts): Date | null =>
  completedAt ?? failedAt ?? expiredAt ?? cancelledAt;
