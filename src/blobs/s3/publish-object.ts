/** The request that makes a blob visible, which must succeed once and not be taken for another writer's. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { BlobExists } from '../blob-store.ts';
import type { S3Connection } from './s3-connection.ts';
import { S3Refusal } from './s3-faults.ts';

/** Others work on the key, or, where keys are paths on a disk, remove its emptied folder just now. */
const conflictsMax = 4;
const conflictPauseMs = 30;

/** An object that is about to be, with the mark by which its writer knows its own work again. */
export interface NewObject {
  Bucket: string;
  Key: string;
  Metadata: { writer: string };
}

export const newObject = (Bucket: string, Key: string): NewObject => ({
  Bucket,
  Key,
  Metadata: { writer: randomBytes(16).toString('hex') },
});

/**
 * Sends it, on condition that there is nothing under the key. If its answer is lost, its repetition finds the key taken,
 * by itself: what an error leaves open is looked up. Refuses with `BlobExists`, and as `S3Connection.send`.
 */
export async function publish(
  connection: S3Connection,
  object: NewObject,
  request: Parameters<S3Connection['send']>[0],
): Promise<void> {
  for (let conflicts = 0; ; conflicts++) {
    try {
      await connection.send(request);
      return;
    } catch (error) {
      const isTaken = error instanceof S3Refusal && error.status === 412;
      const isOthers = isTaken && error.attempts === 1 && conflicts === 0;
      if (!isOthers && (await isThere(connection, object))) return;
      if (isTaken) throw new BlobExists('the key is taken');
      const isConflict = error instanceof S3Refusal && error.status === 409;
      if (!isConflict || conflicts === conflictsMax) throw error;
      await pause(conflictPauseMs * 2 ** conflicts);
    }
  }
}

/** Whether what is under the key came from this writer. */
async function isThere({ send }: S3Connection, { Bucket, Key, Metadata }: NewObject): Promise<boolean> {
  try {
    const request = new HeadObjectCommand({ Bucket, Key });
    const found = await send((client, options) => client.send(request, options));
    return found.Metadata?.['writer'] === Metadata.writer;
  } catch {
    return false; // the first error says more
  }
}
