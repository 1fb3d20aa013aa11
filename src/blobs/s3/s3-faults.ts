/** What an S3 server or the way to it says, as errors of a blob store: without its own, which quote addresses and signatures. */
import { S3ServiceException } from '@aws-sdk/client-s3';
import { BlobStoreFault } from '../blob-store.ts';

/** The server's answer to one request, by which nothing is wrong with the server. */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal';
  /** S3's name for it, such as `NoSuchKey`. */
  readonly code: string;
  readonly status: number;
  /** How often the request was sent until it was answered so. */
  readonly attempts: number;
  constructor(code: string, status: number, attempts: number) {
    super(`the S3 server answered ${code} (${String(status)})`);
    this.code = code;
    this.status = status;
    this.attempts = attempts;
  }
}

/** Of the whole store, though their statuses are those of single requests. */
const awayNames: readonly string[] = [
  'NoSuchBucket',
  'RequestTimeout',
  'ExpiredToken',
  'InvalidToken',
  'AuthorizationHeaderMalformed',
];
const fullNames = /quota|storagefull|insufficientstorage/i;
const refusalStatuses: readonly number[] = [400, 404, 405, 409, 412, 416];

/** `BlobStoreFault` where the same request may work later, else `S3Refusal`; errors of our own stay as they are. */
export function faultOf(error: unknown): unknown {
  if (error instanceof S3ServiceException) {
    const { name, $metadata } = error;
    const status = $metadata.httpStatusCode ?? 0;
    if (status === 507 || fullNames.test(name)) return fault('full', name, status);
    if (refusalStatuses.includes(status) && !awayNames.includes(name))
      return new S3Refusal(name, status, $metadata.attempts ?? 1);
    return fault('away', name, status);
  }
  const code = codeOf(error);
  return code === undefined ? error : new BlobStoreFault('away', code, `the S3 server could not be asked: ${code}`);
}

const fault = (failure: 'full' | 'away', name: string, status: number) =>
  new BlobStoreFault(failure, name, `the S3 server answered ${name} (${String(status)})`);

/** Of the network, of a time that is up, and of credentials that could not be found. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer';
  if (error.name === 'CredentialsProviderError') return 'no credentials';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return '$metadata' in error ? error.name : undefined; // an answer that could not be understood
}
