/** Cancelling a batch for its owner. */
import type { ApiDependencies } from '../api/dependencies.ts';
import { isFinalBatch } from '../domain/batches/batch-states.ts';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Administrator } from '../ledger/audit-log.ts';
import { findOwnBatch, markCancelling, markCancellingAs, type ShownRow } from './stored-batches.ts';

type Tools = Pick<ApiDependencies, 'database' | 'batchStarter' | 'log'>;

/** The account's batch of this id. Refuses with `batch_not_found`. */
export async function requireBatch(
  { database }: Pick<Tools, 'database'>,
  account: AccountId,
  batchId: string,
): Promise<ShownRow> {
  const batch = await findOwnBatch(database, account, batchId);
  if (!batch) throw new GatewayError('batch_not_found', 'Batch not found.');
  return batch;
}

/**
 * Has no more lines of a batch sent; its workflow brings it to its end. Doing so again changes nothing. What is done in the
 * name of a person is logged. Refuses with `batch_not_found`, and with `batch_not_cancellable` once all lines have ended.
 */
export async function cancelBatch(
  tools: Tools,
  account: AccountId,
  batchId: string,
  by?: Administrator,
): Promise<ShownRow> {
  const { id } = await requireBatch(tools, account, batchId);
  const state = by ? await markCancellingAs(by, id) : await markCancelling(tools.database, id);
  if (state === undefined || isFinalBatch(state) || state === 'finalizing') {
    throw new GatewayError(
      'batch_not_cancellable',
      `This batch can no longer be cancelled: its status is '${String(state)}'.`,
    );
  }
  // It may sleep. Without Temporal it finds out by itself, within a minute.
  await tools.batchStarter.cancel(id).catch((error: unknown) => {
    tools.log.warn({ err: error, batchId: id }, 'the workflow of a cancelled batch could not be woken');
  });
  return requireBatch(tools, account, id);
}
