/** A part of a result on its way into the blob store: streamed, measured on the very bytes that were stored. */
import type { Readable } from 'node:stream';
import { GatewayError } from '../domain/errors.ts';
import type { StoredFile } from '../domain/tasks/task-states.ts';
import { InvalidMedia, type MediaFacts, probeMedia } from '../media/probe.ts';
import { blobReader } from '../blobs/blob-reader.ts';
import { type BlobStore, BlobTooLarge, type StoredBlob } from '../blobs/blob-store.ts';

/** The largest results known are 4k videos of some hundred MB. */
export const resultBytesMax = 2 * 1024 ** 3;

/** Streams a part under a new key and measures it. Refuses with `upstream_error` what is no media or too large. */
export async function storeResult(blobs: BlobStore, key: string, open: () => Promise<Readable>): Promise<StoredFile> {
  let blob: StoredBlob;
  try {
    blob = await blobs.write(key, await open(), { bytesMax: resultBytesMax });
  } catch (error) {
    if (!(error instanceof BlobTooLarge)) throw error;
    throw new GatewayError('upstream_error', 'The provider returned a file that is too large.', { cause: error });
  }
  try {
    return await measured(blobs, blob);
  } catch (error) {
    await blobs.remove(key);
    throw error;
  }
}

/** Measures a blob: type, size and duration from its content. Refuses with `upstream_error` what is no media. */
async function measured(blobs: BlobStore, { key, bytes, sha256 }: StoredBlob): Promise<StoredFile> {
  let facts: MediaFacts;
  try {
    facts = await probeMedia(blobReader(blobs, { key, bytes }));
  } catch (error) {
    if (!(error instanceof InvalidMedia)) throw error;
    throw new GatewayError('upstream_error', 'The provider returned a file that is neither an image nor a video.', {
      cause: error,
    });
  }
  const { mediaType, durationMs, width, height } = facts;
  return {
    blobKey: key,
    mediaType,
    bytes,
    sha256,
    ...(durationMs !== undefined && { durationMs }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}
