/** The blob store that the settings name. */
import { join, resolve } from 'node:path';
import type { Environment } from '../settings/environment.ts';
import { createFileBlobs, type FileBlobs } from '../storage/file-blobs.ts';

export const blobsOf = ({ dataDir }: Pick<Environment, 'dataDir'>): FileBlobs =>
  createFileBlobs(join(resolve(dataDir), 'blobs'));
