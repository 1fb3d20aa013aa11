/** The blob store that the settings name. */
import { join, resolve } from 'node:path';
import type { Environment } from '../settings/environment.ts';
import type { BlobStore } from '../storage/blobs.ts';
import { createFileBlobs } from '../storage/file-blobs.ts';

export const blobsOf = ({ dataDir }: Pick<Environment, 'dataDir'>): BlobStore =>
  createFileBlobs(join(resolve(dataDir), 'blobs'));
