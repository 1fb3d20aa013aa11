/** The caller's own images of a task: stored, identified by their bytes, and removed again where no task came of them. */
import { Readable } from 'node:stream';
import { GatewayError } from '../../domain/errors.ts';
import type { InlineImage } from '../../domain/requests/image-edit.ts';
import type { Uploads } from '../../domain/tasks/stored-request.ts';
import type { StoredFile } from '../../domain/tasks/task-states.ts';
import type { UploadName } from '../../domain/tasks/uploads.ts';
import { blobReader } from '../../blobs/blob-reader.ts';
import { type BlobStore, BlobTooLarge, removeBlobs, type StoredBlob } from '../../blobs/blob-store.ts';
import { InvalidMedia, type MediaFacts, probeMedia } from '../../media/probe.ts';
import { newBlobKey } from '../../postgres/new-ids.ts';
import type { CreatedTask } from './create-task.ts';

export interface ImageUpload {
  name: UploadName;
  /** Its name in a refusal. */
  param: string;
  blob: StoredBlob;
}

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp'];

/**
 * Runs what makes a task of uploads that were stored; what no new task has is removed afterwards: after a refusal, and
 * where an Idempotency-Key of before names the task. More may be added to `stored` while it runs.
 */
export async function keepForTask<Made extends { created: CreatedTask }>(
  blobs: BlobStore,
  stored: readonly StoredBlob[],
  make: () => Promise<Made>,
): Promise<Made> {
  let isKept = false;
  try {
    const made = await make();
    isKept = made.created.isNew; // in doubt, too: if there is no task, retention takes them
    return made;
  } finally {
    if (!isKept)
      await removeBlobs(
        blobs,
        stored.map(({ key }) => key),
      );
  }
}

/**
 * Stores the images that a body holds. Refuses with `request_too_large` one of more than `bytesMax`; nothing is left
 * behind then.
 */
export async function storeInlineImages(
  blobs: BlobStore,
  images: readonly InlineImage[],
  bytesMax: number,
): Promise<ImageUpload[]> {
  const stored: ImageUpload[] = [];
  try {
    for (const { name, param, dataUri } of images) {
      const bytes = Buffer.from(dataUri.slice(dataUri.indexOf(',') + 1), 'base64');
      const blob = await blobs.write(newBlobKey('uploads'), Readable.from([bytes]), { bytesMax });
      stored.push({ name, param, blob });
    }
    return stored;
  } catch (error) {
    await removeBlobs(
      blobs,
      stored.map(({ blob }) => blob.key),
    );
    const { param } = images[stored.length] ?? {};
    if (!(error instanceof BlobTooLarge) || param === undefined) throw error;
    throw new GatewayError('request_too_large', `${param} must not exceed ${bytesMax} bytes.`, { param });
  }
}

/**
 * What a task's row keeps of its images. Refuses with `invalid_parameter` what is no PNG, JPEG or WebP by its bytes, and
 * a mask that has not the size of the first image.
 */
export async function identifyImages(blobs: BlobStore, images: readonly ImageUpload[]): Promise<Uploads> {
  const uploads: Partial<Record<UploadName, StoredFile>> = {};
  for (const image of images) uploads[image.name] = await identify(blobs, image);
  const { image0: image, mask } = uploads;
  if (image && mask && (image.width !== mask.width || image.height !== mask.height)) {
    const { param } = images.find(({ name }) => name === 'mask') ?? { param: 'mask' };
    throw new GatewayError(
      'invalid_parameter',
      `'${param}' must have the size of the first image, ${sizeOf(image)}; it has ${sizeOf(mask)}.`,
      { param },
    );
  }
  return uploads;
}

async function identify(blobs: BlobStore, { blob, param }: ImageUpload): Promise<StoredFile> {
  const refused = (found: string, cause?: unknown) =>
    new GatewayError('invalid_parameter', `'${param}' must be a PNG, JPEG or WebP image: ${found}.`, { param, cause });
  let facts: MediaFacts;
  try {
    facts = await probeMedia(blobReader(blobs, blob));
  } catch (error) {
    if (error instanceof InvalidMedia) throw refused(error.message, error);
    throw error;
  }
  const { mediaType, width, height } = facts;
  if (!imageTypes.includes(mediaType)) throw refused(`this is ${mediaType}`);
  return {
    ...{ blobKey: blob.key, bytes: blob.bytes, sha256: blob.sha256, mediaType },
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}

const sizeOf = ({ width = 0, height = 0 }: StoredFile): string => `${width}x${height}`;
