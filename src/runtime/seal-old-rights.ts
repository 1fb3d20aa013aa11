/** Rights from before they had seals, taken over by a process that starts with the secrets and the blob store at hand. */
import { anchorsFolder } from '../audit/anchors.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../postgres/database.ts';
import { sealOldRights } from '../accounts/unsealed-rights.ts';

/** Seals what is older than seals, and warns where a database only looks that old. */
export async function takeOverOldRights(
  database: Database,
  ledgerKeys: readonly Buffer[],
  blobs: Pick<BlobStore, 'list'>,
  warn: (says: string) => void,
): Promise<void> {
  const isAnchored = async () => {
    const lists: string[] = [];
    for await (const { key } of blobs.list(anchorsFolder)) lists.push(key);
    return lists.length > 0;
  };
  const refusal = await sealOldRights(database, ledgerKeys, isAnchored);
  if (refusal !== undefined) warn(`rights without a seal were not taken over: ${refusal}; run \`tollgate audit\``);
}
