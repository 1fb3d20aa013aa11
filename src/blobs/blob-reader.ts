/** Random access to a stored blob, for probing it without ever holding the whole of it. */
import type { BlobStore } from './blob-store.ts';

export interface BlobReader {
  bytes: number;
  /** The bytes from `start` to before `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
}

export const blobReader = (blobs: BlobStore, { key, bytes }: { key: string; bytes: number }): BlobReader => ({
  bytes,
  async read(start, end) {
    const pieces: Buffer[] = [];
    const stream: AsyncIterable<Buffer> = await blobs.read(key, { start, end });
    for await (const piece of stream) pieces.push(piece);
    return Buffer.concat(pieces);
  },
});
