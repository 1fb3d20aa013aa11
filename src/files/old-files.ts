/** Files go when they were deleted or their time is up: first for their account, then the bytes, then the row. */
import * as z from 'zod';
import { type BlobStore, removeBlobs } from '../blobs/blob-store.ts';
import type { Database } from '../postgres/database.ts';

const batchFiles = 200;

export interface OldFilesTools {
  database: Pick<Database, 'pool'>;
  blobs: Pick<BlobStore, 'remove'>;
  /** Ends it between two batches. */
  signal?: AbortSignal;
}

/**
 * Deletes files that were deleted or whose time is up, by the database's clock, but for those that a batch under way reads.
 * Several processes may do so at once, and one that died is gone on for. Returns how many it deleted.
 */
export async function deleteOldFiles(tools: OldFilesTools): Promise<number> {
  await markExpired(tools);
  for (let deleted = 0; ;) {
    const due = await dueFiles(
      tools,
      `deleted_at is not null order by least(deleted_at, expires_at) limit ${batchFiles}`,
    );
    await remove(tools, due);
    deleted += due.length;
    if (due.length < batchFiles || tools.signal?.aborted) return deleted;
  }
}

/** Removes a file that was marked as deleted, unless a batch under way reads it: then it goes when that has ended. */
export async function removeDeletedFile(tools: OldFilesTools, id: string): Promise<void> {
  await remove(tools, await dueFiles(tools, 'deleted_at is not null and id = $1', [id]));
}

/**
 * From then on no batch can be made of them. Those that a batch is being made of are locked, and left to the next round; so
 * all batches that read a marked file can be seen.
 */
async function markExpired({ database, signal }: OldFilesTools): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      `update files set deleted_at = clock_timestamp() where id in (
         select id from files where least(deleted_at, expires_at) < now() and deleted_at is null
         order by least(deleted_at, expires_at) limit ${batchFiles} for no key update skip locked)`,
    );
    if ((rowCount ?? 0) < batchFiles || signal?.aborted) return;
  }
}

interface DueFile {
  id: string;
  blob: string;
}

async function dueFiles(
  { database }: OldFilesTools,
  where: string,
  values: readonly string[] = [],
): Promise<DueFile[]> {
  const { rows } = await database.pool.query(
    `select id, blob from files f where least(deleted_at, expires_at) < now() and not exists (
       select from batches b where b.input_file_id = f.id
         and b.state in ('validating', 'in_progress', 'finalizing', 'cancelling')) and ${where}`,
    [...values],
  );
  return z.array(dueFile).parse(rows);
}

/** Bytes first: a row that is left by a crash has them removed again, and is then deleted. */
async function remove({ database, blobs }: OldFilesTools, files: readonly DueFile[]): Promise<void> {
  if (files.length === 0) return;
  await removeBlobs(
    blobs,
    files.map(({ blob }) => blob),
  );
  await database.pool.query('delete from files where id = any($1::text[])', [files.map(({ id }) => id)]);
}

const dueFile = z.object({ id: z.string(), blob: z.string() });
