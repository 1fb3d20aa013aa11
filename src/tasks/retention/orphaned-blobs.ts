/** The sweep of the blob store: files that no row names, which steps and uploads left behind. */
import { blobNames } from '../../blobs/blob-names.ts';
import { type BlobStore, removeBlobs } from '../../blobs/blob-store.ts';
import type { Database } from '../../postgres/database.ts';

/** A stored file is named within hours: an upload takes one at most, and the files of a running task are spared. */
const unnamedMsDefault = 24 * 3_600_000;
const batchBlobs = 1_000;
/** Stored answers have a sweep of their own, and what lies elsewhere is not ours. */
const folders = ['results', 'uploads', 'files', 'batch-answers', 'bodies', 'check'];

export interface SweepTools {
  database: Database;
  blobs: Pick<BlobStore, 'list' | 'remove'>;
  /** The age, by the store's clock and this process's, from which a blob has to have a name. */
  unnamedMs?: number;
  /** Ends it, with its reason, between two blobs. */
  signal?: AbortSignal;
}

/**
 * Deletes blobs of more than a day that no row names, and, of whatever age, those of tasks whose media were removed: who
 * removed them died in between. A blob that is old and has no name never gets one, so that looking it up right before
 * deleting it is enough, and several processes may sweep at once. Returns how many it deleted.
 */
export async function sweepBlobs(tools: SweepTools): Promise<number> {
  const { blobs, unnamedMs = unnamedMsDefault, signal } = tools;
  const oldestMs = Date.now() - unnamedMs;
  let swept = 0;
  let batch: ListedBlob[] = [];
  for (const folder of folders) {
    for await (const { key, changedAtMs } of blobs.list(`${folder}/`)) {
      signal?.throwIfAborted();
      const isOld = changedAtMs < oldestMs;
      if (isOld || folder === 'results') batch.push({ key, isOld });
      if (batch.length < batchBlobs) continue;
      swept += await sweepBatch(tools, batch);
      batch = [];
    }
  }
  return swept + (await sweepBatch(tools, batch));
}

interface ListedBlob {
  key: string;
  isOld: boolean;
}

async function sweepBatch({ database, blobs }: SweepTools, batch: readonly ListedBlob[]): Promise<number> {
  if (batch.length === 0) return 0;
  const names = await blobNames(
    database.pool,
    batch.map(({ key }) => key),
  );
  const unwanted = batch.filter(({ key, isOld }) => {
    const name = names.get(key);
    return name ? name.removedAt !== null : isOld;
  });
  await removeBlobs(
    blobs,
    unwanted.map(({ key }) => key),
  );
  return unwanted.length;
}
