/** What is in a bucket, page by page: objects, and uploads that were begun and not ended. */
import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import { folderOfPrefix, isKey } from '../blob-keys.ts';
import type { S3Connection } from './s3-connection.ts';

/** The contract is `BlobStore.list`. */
export async function* listS3(
  { bucket: Bucket, send }: S3Connection,
  Prefix: string,
): AsyncIterable<{ key: string; changedAtMs: number }> {
  folderOfPrefix(Prefix);
  let next: string | undefined;
  do {
    const request = new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken: next });
    const page: ListObjectsV2CommandOutput = await send((client, options) => client.send(request, options));
    for (const { Key, LastModified } of page.Contents ?? [])
      if (Key !== undefined && LastModified && isKey(Key)) yield { key: Key, changedAtMs: LastModified.getTime() };
    next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (next !== undefined);
}

export async function* unfinishedUploads({
  bucket: Bucket,
  send,
}: S3Connection): AsyncIterable<{ Key: string; UploadId: string; beganAtMs: number }> {
  let from: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined;
  do {
    const request = new ListMultipartUploadsCommand({ Bucket, ...from });
    const page: ListMultipartUploadsCommandOutput = await send((client, options) => client.send(request, options));
    for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
      if (Key !== undefined && isKey(Key) && UploadId !== undefined && Initiated)
        yield { Key, UploadId, beganAtMs: Initiated.getTime() };
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    from = IsTruncated === true && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined;
  } while (from);
}
