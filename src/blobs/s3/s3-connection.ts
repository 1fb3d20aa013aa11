/** The connection to an S3 server: bounded in sockets, time and attempts, and its errors in our words. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { faultOf } from './s3-faults.ts';

/** Of all that is sent and answered at once; past it, a request waits for a connection, and then fails. */
const socketsMax = 512;
/** Of what callers read at their own pace, who must not take the others' connections: more than the API's concurrency limit. */
const readersMax = 1_100;
const connectMsMax = 5_000;
/** Until an answer begins; a part of 8 MiB takes so long at 2 Mbit/s. */
const answerMsMax = 30_000;
/** Of a request with its repetitions, to the last byte of its answer. */
const requestMsMax = 100_000;
/** Each request may be repeated: see `publish-object.ts` for the one that would take its own object for another writer's. */
const attemptsMax = 3;

export interface S3StoreSettings {
  /** Undefined: Amazon's own for the region. */
  endpoint: string | undefined;
  /** Where callers reach the server; undefined: they don't. */
  publicEndpoint: string | undefined;
  bucket: string;
  region: string;
  /** Undefined: what the SDK finds in the environment, its files or the machine's role. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
}

export interface S3Connection {
  readonly bucket: string;
  /** Sends a request. Refuses with `BlobStoreFault`, or with what the server says of this one request. */
  send: <Answer>(
    request: (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<Answer>,
  ) => Promise<Answer>;
  /** The same for an answer that is read afterwards, at its reader's pace. */
  open: <Answer>(request: (client: S3Client) => Promise<Answer>) => Promise<Answer>;
  close(): void;
}

export function connectS3(settings: S3StoreSettings): S3Connection {
  const client = s3Client(settings, settings.endpoint);
  const readers = s3Client(settings, settings.endpoint, readersMax);
  return {
    bucket: settings.bucket,
    send: (request) => request(client, { abortSignal: AbortSignal.timeout(requestMsMax) }).catch(refuse),
    open: (request) => request(readers).catch(refuse),
    close() {
      client.destroy();
      readers.destroy();
    },
  };
}

/** A client for an address. Buckets are part of the path wherever that is named: not every server has names for them. */
export function s3Client(
  { region, credentials }: S3StoreSettings,
  endpoint: string | undefined,
  maxSockets = socketsMax,
): S3Client {
  const config: S3ClientConfig = {
    region,
    maxAttempts: attemptsMax,
    // Other servers than Amazon's refuse checksums that they don't know; the signature covers all that is sent anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would open a connection of its own for each part, without a bound.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMsMax,
      requestTimeout: answerMsMax,
      throwOnRequestTimeout: true,
      socketTimeout: 0, // a download may pause for as long as its reader does
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
    ...(credentials && { credentials }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
  };
  return new S3Client(config);
}

function refuse(error: unknown): never {
  throw faultOf(error);
}
