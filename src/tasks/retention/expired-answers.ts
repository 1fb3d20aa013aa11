/** Idempotency keys are kept for 24 hours, and the answers of calls that are stored under them no longer than they. */
import * as z from 'zod';
import { type BlobStore, removeBlobs } from '../../blobs/blob-store.ts';
import type { Database } from '../../postgres/database.ts';

/** Keys are free again after 24 hours; a caller that was given an answer just before that can still read it. */
const keptSecondsDefault = 24 * 3600 + 900;
const batchKeys = 200;
/** One look-up for as many blobs: it reads the whole table of keys. */
const batchBlobs = 1_000;

export interface OldAnswersTools {
  database: Database;
  blobs: Pick<BlobStore, 'list' | 'remove'>;
  /** The age, by the database's clock, from which a key and its answer go. */
  keptSeconds?: number;
  /** Ends it between two batches. */
  signal?: AbortSignal;
}

/**
 * Deletes keys that have served their time together with their answers, then answers that no key names: those whose
 * process died before it could bind or remove them. Several processes may do so at once. Returns how much it deleted.
 */
export async function deleteOldAnswers(tools: OldAnswersTools): Promise<{ keys: number; orphans: number }> {
  return { keys: await deleteOldKeys(tools), orphans: await deleteOrphans(tools) };
}

/** Rows first: a row never names a blob that is gone, and a blob that is left by a crash is an orphan. */
async function deleteOldKeys({ database, blobs, ...limits }: OldAnswersTools): Promise<number> {
  for (let deleted = 0; ;) {
    const { rows } = await database.pool.query(
      `delete from idempotency_keys where (account_id, key) in (
         select account_id, key from idempotency_keys
         where state = 'done' and created_at < clock_timestamp() - make_interval(secs => $1)
         order by created_at limit $2 for update skip locked)
       returning answer`,
      [limits.keptSeconds ?? keptSecondsDefault, batchKeys],
    );
    // Keys of tasks have no answer, and those of streams an empty one.
    await removeBlobs(
      blobs,
      rows.map((row) => answerRow.parse(row).answer ?? '').filter((answer) => answer !== ''),
    );
    deleted += rows.length;
    if (rows.length < batchKeys || limits.signal?.aborted) return deleted;
  }
}

async function deleteOrphans({ database, blobs, ...limits }: OldAnswersTools): Promise<number> {
  const { keptSeconds = keptSecondsDefault, signal } = limits;
  const oldestMs = Date.now() - keptSeconds * 1000;
  let deleted = 0;
  let batch: string[] = [];
  const deleteBatch = async () => {
    if (batch.length === 0) return;
    const named = await namedAmong(database, batch);
    const orphans = batch.filter((blob) => !named.has(blob));
    await removeBlobs(blobs, orphans);
    deleted += orphans.length;
    batch = [];
  };
  for await (const { key, changedAtMs } of blobs.list(`${answersFolder}/`)) {
    if (signal?.aborted) return deleted;
    if (changedAtMs < oldestMs) batch.push(key);
    if (batch.length === batchBlobs) await deleteBatch();
  }
  await deleteBatch();
  return deleted;
}

async function namedAmong(database: Database, blobs: readonly string[]): Promise<Set<string | null>> {
  const { rows } = await database.pool.query('select answer from idempotency_keys where answer = any($1::text[])', [
    blobs,
  ]);
  return new Set(rows.map((row) => answerRow.parse(row).answer));
}

/** The folder below which answers are stored. */
const answersFolder = 'answers';

const answerRow = z.object({ answer: z.string().nullable() });
