/** The blob store that the settings name. */
import { join, resolve } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { createFileBlobs } from '../blobs/file-store.ts';

/** S3 where a bucket is named, else files below the data directory. */
export async function blobsOf({ dataDir, s3 }: Pick<Environment, 'dataDir' | 's3'>): Promise<BlobStore> {
  if (!s3) return createFileBlobs(join(resolve(dataDir), 'blobs'));
  const { createS3Blobs } = await import('../blobs/s3/s3-store.ts'); // Amazon's SDK takes a fifth of a second to load
  return createS3Blobs(s3);
}
