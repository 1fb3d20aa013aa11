/** The end of a batch: its state, its files and the event that is owed for it are written in one transaction, once. */
import type pg from 'pg';
import { batchObject } from '../domain/batches/batch-object.ts';
import { type FinalBatchState, isFinalBatch } from '../domain/batches/batch-states.ts';
import type { LineMistake } from '../domain/batches/input-line.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { newEventId } from '../postgres/new-ids.ts';
import { oweEvent } from '../webhooks/events.ts';
import type { BatchTools } from './batch-steps.ts';
import { lockBatch, shownBatch, type StoredBatch } from './stored-batches.ts';

/**
 * Brings a batch to its end, unless it has one: `write` sets its final state, within the transaction. Returns whether this
 * call was the one that ended it.
 */
export async function endBatch(
  { database }: Pick<BatchTools, 'database'>,
  batchId: string,
  write: (client: pg.ClientBase, batch: StoredBatch) => Promise<FinalBatchState>,
): Promise<boolean> {
  return inTransaction(database, async (client) => {
    const batch = await lockBatch(client, batchId);
    if (!batch) throw new TypeError(`no batch ${batchId}`);
    if (isFinalBatch(batch.state)) return false;
    const state = await write(client, batch);
    await oweBatchEvent(client, batch, state);
    return true;
  });
}

/** Ends a batch whose file has mistakes; changes nothing where it was cancelled meanwhile. */
export async function failBatch(
  tools: Pick<BatchTools, 'database'>,
  batchId: string,
  mistakes: readonly LineMistake[],
): Promise<void> {
  await endBatch(tools, batchId, async (client, { state }) => {
    if (state === 'cancelling') {
      await client.query(
        `update batches set state = 'cancelled', cancelled_at = statement_timestamp(), errors = $2, paused = null where id = $1`,
        [batchId, JSON.stringify(mistakes)],
      );
      return 'cancelled';
    }
    await client.query(
      `update batches set state = 'failed', failed_at = statement_timestamp(), errors = $2, total = 0, paused = null where id = $1`,
      [batchId, JSON.stringify(mistakes)],
    );
    return 'failed';
  });
}

/** The batch's own webhook gets it, or the account's. */
async function oweBatchEvent(client: pg.ClientBase, batch: StoredBatch, state: FinalBatchState): Promise<void> {
  const shown = await shownBatch(client, batch.id);
  if (!shown) throw new TypeError(`no batch ${batch.id}`);
  await oweEvent(client, {
    id: newEventId(),
    account: batch.accountId,
    url: batch.webhookUrl,
    type: `batch.${state}`,
    data: batchObject(shown),
  });
}
