/** Blobs as objects of an S3 bucket, which several machines share. */
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
} from '@aws-sdk/client-s3';
import { checkKey } from '../blob-keys.ts';
import { BlobExists, BlobNotFound, BlobStoreFault, type BlobStore } from '../blob-store.ts';
import { tryBlobs } from '../store-trial.ts';
import { connectS3, type S3StoreSettings } from './s3-connection.ts';
import { S3Refusal } from './s3-faults.ts';
import { s3Links } from './presigned-link.ts';
import { listS3, unfinishedUploads } from './bucket-list.ts';
import { readS3 } from './read-object.ts';
import { writeS3 } from './write-object.ts';

/**
 * A blob store in a bucket, which must exist. Objects that are no blobs of ours are not listed. The server must honour
 * `If-None-Match`, by which a key is written once; `check` asks whether it does. Unfinished uploads are stale so long
 * after they began. Times are the server's, in seconds.
 */
export function createS3Blobs(settings: S3StoreSettings): BlobStore {
  const connection = connectS3(settings);
  const { send, bucket: Bucket } = connection;
  const links = settings.publicEndpoint === undefined ? undefined : s3Links(settings, settings.publicEndpoint);
  let writesOnce = false;

  const write: BlobStore['write'] = async (key, source, limits) => {
    checkKey(key);
    return writeS3(connection, key, source, limits);
  };

  const read: BlobStore['read'] = async (key, range) => {
    checkKey(key);
    if (range && range.start > range.end) throw new RangeError('a range ends before it starts');
    // A range of no bytes can't be asked for.
    if (range?.start !== range?.end || range === undefined) return readS3(connection, key, range);
    await size(key);
    return Readable.from([]);
  };

  const size: BlobStore['size'] = async (key) => {
    checkKey(key);
    const request = new HeadObjectCommand({ Bucket, Key: key });
    const asked = send((client, options) => client.send(request, options));
    const answer = await asked.catch(async (error: unknown) => {
      // The answer to a HEAD has no words: the bucket itself may be what is missing.
      if (!isMissing(error)) throw error;
      await send((client, options) => client.send(new HeadBucketCommand({ Bucket }), options)).catch(
        (reason: unknown) => {
          throw isMissing(reason) ? new BlobStoreFault('away', 'NoSuchBucket', 'there is no such bucket') : reason;
        },
      );
      throw new BlobNotFound('there is no such blob');
    });
    return answer.ContentLength ?? 0;
  };

  const remove: BlobStore['remove'] = async (key) => {
    checkKey(key);
    const request = new DeleteObjectCommand({ Bucket, Key: key });
    await unlessMissing(send((client, options) => client.send(request, options)));
  };

  async function removeStaleTemporaries(olderThanMs: number): Promise<number> {
    let removed = 0;
    for await (const { Key, UploadId, beganAtMs } of unfinishedUploads(connection)) {
      if (Date.now() - beganAtMs < olderThanMs) continue;
      const upload = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
      await unlessMissing(send((client, options) => client.send(upload, options)));
      removed++;
    }
    return removed;
  }

  /** The first time, the key is written twice. */
  const check = () =>
    tryBlobs({ write, read, remove }, async (key) => {
      if (writesOnce) return;
      await refusesSecond(key);
      writesOnce = true;
    });

  async function refusesSecond(key: string): Promise<void> {
    try {
      await write(key, Readable.from([Buffer.from('again')]), { bytesMax: 5 });
    } catch (error) {
      if (error instanceof BlobExists) return;
      throw error;
    }
    throw new BlobStoreFault(
      'away',
      'If-None-Match is not honoured',
      'The S3 server writes over what is there: it does not honour If-None-Match, so it can not keep blobs.',
    );
  }

  return {
    write,
    read,
    size,
    remove,
    list: (prefix) => listS3(connection, prefix),
    check,
    removeStaleTemporaries,
    ...(links && { links }),
    close() {
      connection.close();
      links?.close();
    },
  };
}

async function unlessMissing(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof S3Refusal && error.status === 404;
