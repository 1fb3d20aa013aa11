/** Presigned addresses: each gives one object from the S3 server itself, for some minutes. */
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { checkKey } from '../blob-keys.ts';
import type { BlobLinks } from '../blob-store.ts';
import { type S3StoreSettings, s3Client } from './s3-connection.ts';
import { faultOf } from './s3-faults.ts';

export interface S3Links extends BlobLinks {
  close(): void;
}

/** Signs for the address that callers use, which is part of what is signed. Nothing is sent; it takes half a millisecond. */
export function s3Links(settings: S3StoreSettings, publicEndpoint: string): S3Links {
  const client = s3Client(settings, publicEndpoint);
  return {
    origin: new URL(publicEndpoint).origin,
    async sign(key, { seconds, headers }) {
      checkKey(key);
      const request = new GetObjectCommand({
        Bucket: settings.bucket,
        Key: key,
        ResponseContentType: headers['Content-Type'],
        ResponseContentDisposition: headers['Content-Disposition'],
        ResponseCacheControl: headers['Cache-Control'],
      });
      // The machine's own credentials may be missing or have expired.
      return getSignedUrl(client, request, { expiresIn: seconds }).catch((error: unknown) => {
        throw faultOf(error);
      });
    },
    close: () => client.destroy(),
  };
}
