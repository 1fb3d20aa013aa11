/** The scans that make sure every accepted batch comes to its end, whichever process died, and that old lines go. */
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import type { BatchStarter } from './batch-starter.ts';
import { type RemovalTools, removeLines } from './line-table.ts';
import { markBatchStarted, markCancelling, takeBatchesToStart, takeSilentBatches } from './stored-batches.ts';

const batchCount = 50;

export interface BatchScanTools {
  database: Database;
  blobs: RemovalTools['blobs'];
  starter: Pick<BatchStarter, 'start' | 'status'>;
  log: Logger;
}

export class BatchScan {
  readonly #tools: BatchScanTools;

  constructor(tools: BatchScanTools) {
    this.#tools = tools;
  }

  /** Starts the workflows of batches that no start was acknowledged for; gives up for now at the first that fails. */
  async startAccepted(): Promise<void> {
    const { database, starter } = this.#tools;
    for (const batch of await takeBatchesToStart(database, batchCount)) {
      await starter.start(batch);
      await markBatchStarted(database, batch.id);
    }
  }

  /** A workflow that is gone is started again; that of a batch whose workflow was terminated only cancels it. */
  async lookAfterSilent(): Promise<void> {
    const { database, starter, log } = this.#tools;
    for (const batch of await takeSilentBatches(database, batchCount)) {
      const status = await starter.status(batch.id);
      if (status === 'RUNNING' || status === 'PAUSED') continue;
      if (status === 'TERMINATED') await markCancelling(database, batch.id);
      log.warn(
        { batchId: batch.id, status: status ?? 'not found' },
        'the workflow of a batch is gone; it is started again',
      );
      await starter.start(batch);
    }
  }

  /** Deletes the lines of batches that have ended with the files that were made of them. Several processes may do so at once. */
  async removeOldLines(signal: AbortSignal): Promise<void> {
    const { database } = this.#tools;
    for (let after = ''; !signal.aborted;) {
      const { rows } = await database.pool.query(dueText, [after, batchCount]);
      const due = z.array(dueRow).parse(rows);
      for (const { id, hasOutput, hasErrors } of due) {
        if (!hasOutput) await removeLines(this.#tools, id, true);
        if (!hasErrors) await removeLines(this.#tools, id, false);
        if (!hasOutput && !hasErrors)
          await database.pool.query('update batches set lines_removed_at = clock_timestamp() where id = $1', [id]);
      }
      const last = due.at(-1);
      if (!last || due.length < batchCount) return;
      after = last.id;
    }
  }
}

const isThere = (column: string) => `exists (select from files f where f.id = b.${column} and f.deleted_at is null
    and (f.expires_at is null or f.expires_at > clock_timestamp()))`;

const dueText = `select id, "hasOutput", "hasErrors" from (
    select id, ${isThere('output_file_id')} as "hasOutput", ${isThere('error_file_id')} as "hasErrors",
      output_file_id, error_file_id
    from batches b
    where lines_removed_at is null and state in ('failed', 'completed', 'expired', 'cancelled') and id > $1
  ) as ended
  where (output_file_id is not null and not "hasOutput") or (error_file_id is not null and not "hasErrors")
    or (not "hasOutput" and not "hasErrors")
  order by id limit $2`;

const dueRow = z.object({ id: z.string(), hasOutput: z.boolean(), hasErrors: z.boolean() });
