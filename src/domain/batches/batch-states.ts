/** The states of batches: validating, then failed or in_progress, then finalizing, then completed or expired; or cancelled. */

export const batchStates = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
export type BatchState = (typeof batchStates)[number];

export type FinalBatchState = 'failed' | 'completed' | 'expired' | 'cancelled';

export const isFinalBatch = (state: BatchState): state is FinalBatchState =>
  state === 'failed' || state === 'completed' || state === 'expired' || state === 'cancelled';

/** Why nothing of a batch is sent at the moment. */
export const batchPauses = ['insufficient_balance', 'provider_busy'] as const;
export type BatchPause = (typeof batchPauses)[number];
