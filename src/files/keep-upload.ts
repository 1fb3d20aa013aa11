/** An upload becomes a file of its account. */
import type { BlobStore, StoredBlob } from '../blobs/blob-store.ts';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId, KeyId } from '../domain/ids.ts';
import { accountFileBytesMax, accountFilesMax } from '../domain/limits.ts';
import type { FileRequest } from '../domain/requests/file-request.ts';
import { type Database, databaseFailure } from '../postgres/database.ts';
import { newFileId } from '../postgres/new-ids.ts';
import { type AccountFile, countFiles, insertFile } from './file-rows.ts';

interface Tools {
  database: Pick<Database, 'pool'>;
  blobs: Pick<BlobStore, 'remove'>;
}

interface Upload {
  accountId: AccountId;
  keyId: KeyId;
  blob: StoredBlob;
  /** Refuses what the file may not be. */
  request: () => FileRequest;
}

/** Notes the file of a stored upload. Where it is refused, or can't be noted, what was stored is removed. */
export async function keepUpload(
  { database, blobs }: Tools,
  { accountId, keyId, blob, request }: Upload,
): Promise<AccountFile> {
  try {
    const { purpose, filename, keptSeconds } = request();
    await requireRoomForFile(database, accountId, blob.bytes);
    return await insertFile(database.pool, {
      ...{ id: newFileId(), accountId, keyId, purpose, filename, keptSeconds },
      ...{ bytes: blob.bytes, blob: blob.key },
    });
  } catch (error) {
    // A row may be there all the same, which names it; else the sweep removes it after a day.
    if (databaseFailure(error) !== 'away') await blobs.remove(blob.key);
    throw error;
  }
}

/**
 * Refuses with `invalid_parameter`, param `file`, one file more than an account may keep, or bytes beyond what its files may
 * have in all. Uploads that come at once may go beyond it, each by itself.
 */
export async function requireRoomForFile(
  database: Pick<Database, 'pool'>,
  account: AccountId,
  bytes = 0,
): Promise<void> {
  const kept = await countFiles(database, account);
  if (kept.files >= accountFilesMax) throw full(`${accountFilesMax} files`);
  if (kept.bytes + bytes > accountFileBytesMax) throw full(`${accountFileBytesMax} bytes in all its files`);
}

const full = (bound: string) =>
  new GatewayError('invalid_parameter', `An account may keep ${bound}. Delete files that are no longer needed.`, {
    param: 'file',
  });
