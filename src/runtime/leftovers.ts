/** What processes that died left in the blob store and on this machine's disk besides blobs. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../blobs/blob-store.ts';

/** Nothing is written for that long: a stream that pauses is cut off after minutes. */
const staleMs = 24 * 3_600_000;

/**
 * Removes what a blob store began and never finished, and what providers left in their folder, from a day after
 * their last change. A folder that is not there is no error. Returns how many there were.
 */
export async function removeLeftovers(
  blobs: Pick<BlobStore, 'removeStaleTemporaries'>,
  tempDir: string,
): Promise<number> {
  let removed = await blobs.removeStaleTemporaries(staleMs);
  for (const name of await existing(() => readdir(tempDir), [])) {
    const path = join(tempDir, name);
    const facts = await existing(() => stat(path), undefined);
    if (facts === undefined || Date.now() - facts.mtimeMs < staleMs) continue;
    await rm(path, { recursive: true, force: true });
    removed++;
  }
  return removed;
}

async function existing<T, Absent>(look: () => Promise<T>, absent: Absent): Promise<T | Absent> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return absent;
    throw error;
  }
}
