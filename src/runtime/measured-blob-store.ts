/** A blob store whose operations and bytes are counted. */
import type { Readable } from 'node:stream';
import type { BlobMeter } from '../observability/metrics/meters.ts';
import { BlobExists, BlobNotFound, type BlobStore, BlobTooLarge } from '../blobs/blob-store.ts';

/** The same store, with all else that it can do. */
export function measuredBlobs(store: BlobStore, meter: BlobMeter): BlobStore {
  return {
    ...store,
    write: (key, source, limits) =>
      counted('write', async () => {
        const stored = await store.write(key, source, limits);
        meter.written.add(stored.bytes);
        return stored;
      }),
    read: (key, range) => counted('read', async () => countedBytes(await store.read(key, range), meter)),
    size: (key) => counted('size', () => store.size(key)),
    remove: (key) => counted('remove', () => store.remove(key)),
    check: () => counted('check', () => store.check()),
  };

  async function counted<T>(operation: Parameters<BlobMeter['count']>[0], run: () => Promise<T>): Promise<T> {
    const startedAtMs = performance.now();
    try {
      const answer = await run();
      meter.count(operation, 'ok', performance.now() - startedAtMs);
      return answer;
    } catch (error) {
      meter.count(operation, isRefusal(error) ? 'refused' : 'error', performance.now() - startedAtMs);
      throw error;
    }
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof BlobNotFound || error instanceof BlobExists || error instanceof BlobTooLarge;

/** Counts where the bytes come in: a listener would set the stream flowing, another stream in between would copy. */
function countedBytes(stream: Readable, { read }: BlobMeter): Readable {
  const push = stream.push.bind(stream);
  read.add(stream.readableLength); // what has come already
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) read.add(chunk.length);
    return push(chunk, encoding);
  };
  return stream;
}
