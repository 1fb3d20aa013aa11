/** A batch as callers see it, in the form of the OpenAI API; `_local` is ours. */
import { type Money, toAmount } from '../money.ts';
import { unixSeconds } from '../unix-seconds.ts';
import type { BatchPause, BatchState } from './batch-states.ts';
import type { BatchEndpoint } from './endpoints.ts';
import type { LineMistake } from './input-line.ts';

export interface BatchUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

/** What of a batch is shown. */
export interface ShownBatch {
  id: string;
  endpoint: BatchEndpoint;
  inputFileId: string;
  windowSeconds: number;
  metadata: Readonly<Record<string, string>> | null;
  state: BatchState;
  errors: readonly LineMistake[] | null;
  total: number;
  completed: number;
  failed: number;
  cost: Money;
  usage: BatchUsage | null;
  paused: BatchPause | null;
  outputFileId: string | null;
  errorFileId: string | null;
  createdAt: Date;
  expiresAt: Date;
  inProgressAt: Date | null;
  finalizingAt: Date | null;
  completedAt: Date | null;
  failedAt: Date | null;
  expiredAt: Date | null;
  cancellingAt: Date | null;
  cancelledAt: Date | null;
  /** Of its lines that are under way. */
  held: Money;
  /** Of its account, what can be spent. */
  balance: Money;
}

const noUsage: BatchUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

export const batchObject = (batch: ShownBatch) => ({
  id: batch.id,
  object: 'batch' as const,
  endpoint: batch.endpoint,
  errors: batch.errors && { object: 'list' as const, data: [...batch.errors] },
  input_file_id: batch.inputFileId,
  completion_window: `${batch.windowSeconds / 3600}h`,
  status: batch.state,
  output_file_id: batch.outputFileId,
  error_file_id: batch.errorFileId,
  created_at: unixSeconds(batch.createdAt),
  in_progress_at: secondsOrNull(batch.inProgressAt),
  expires_at: unixSeconds(batch.expiresAt),
  finalizing_at: secondsOrNull(batch.finalizingAt),
  completed_at: secondsOrNull(batch.completedAt),
  failed_at: secondsOrNull(batch.failedAt),
  expired_at: secondsOrNull(batch.expiredAt),
  cancelling_at: secondsOrNull(batch.cancellingAt),
  cancelled_at: secondsOrNull(batch.cancelledAt),
  request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
  usage: batch.usage ?? noUsage,
  metadata: batch.metadata && { ...batch.metadata },
  _local: {
    cost: toAmount(batch.cost),
    held: toAmount(batch.held),
    balance: toAmount(batch.balance),
    paused: batch.paused,
  },
});

const secondsOrNull = (time: Date | null): number | null => time && unixSeconds(time);
