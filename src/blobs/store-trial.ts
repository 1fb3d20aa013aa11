/** A store of blobs put to the test: the way of one small blob from its first byte to its removal. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from './blob-store.ts';

/** Writes, reads and removes a small blob; `meanwhile` is done while it is there. Refuses with what is wrong. */
export async function tryBlobs(
  blobs: Pick<BlobStore, 'write' | 'read' | 'remove'>,
  meanwhile: (key: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const key = `check/${randomBytes(8).toString('hex')}`;
  const content = randomBytes(32);
  await blobs.write(key, Readable.from([content]), { bytesMax: content.length });
  let found: Buffer;
  try {
    found = await buffer(await blobs.read(key));
    await meanwhile(key);
  } finally {
    await blobs.remove(key);
  }
  if (!found.equals(content)) throw new Error('the blob store gave back other bytes than it was given');
}
