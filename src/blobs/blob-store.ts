/** The contract of blob stores: whole files under keys that are written once and never overwritten. */
import type { Readable } from 'node:stream';

export interface BlobStore {
  /**
   * Stores a stream under a new key; nothing can be seen under the key before all of it is durable.
   * Refuses with `BlobTooLarge` once more than `bytesMax` came and with `BlobExists` for a key that is taken;
   * whatever goes wrong, nothing is left behind.
   */
  write(key: string, source: AsyncIterable<Uint8Array>, limits: { bytesMax: number }): Promise<StoredBlob>;
  /** Streams a blob, or the part from `start` to before `end`. Refuses with `BlobNotFound`. */
  read(key: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Refuses with `BlobNotFound`. */
  size(key: string): Promise<number>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  /** Keys below a prefix, with the time (Unix ms) of their last change. */
  list(prefix: string): AsyncIterable<{ key: string; changedAtMs: number }>;
  /** Writes, reads and removes a small blob; refuses with what is wrong. */
  check(): Promise<void>;
  /** Removes what writers that died left unfinished, if it is older than that. Returns how much there was. */
  removeStaleTemporaries(olderThanMs: number): Promise<number>;
  /** Undefined: callers can't reach the store, and get its files from the gateway. */
  links?: BlobLinks;
  /** Lets go of connections. */
  close(): void;
}

/** Of a store that callers can reach themselves. */
export interface BlobLinks {
  /** Where all links lead: scheme, host and port. */
  origin: string;
  /** An address that gets the blob for anyone who has it, whole or in ranges, for so long, with these headers. */
  sign(
    key: string,
    as: { seconds: number; headers: Record<'Content-Type' | 'Content-Disposition' | 'Cache-Control', string> },
  ): Promise<string>;
}

export interface StoredBlob {
  key: string;
  bytes: number;
  sha256: string;
}

const removalsAtOnce = 20;

/** Removes blobs, some at a time; those that are not there are no error. */
export async function removeBlobs(blobs: Pick<BlobStore, 'remove'>, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += removalsAtOnce) {
    await Promise.all(keys.slice(from, from + removalsAtOnce).map((key) => blobs.remove(key)));
  }
}

export class BlobNotFound extends Error {
  override readonly name = 'BlobNotFound';
}

/** A key is written once; its writer must choose another. */
export class BlobExists extends Error {
  override readonly name = 'BlobExists';
}

export class BlobTooLarge extends Error {
  override readonly name = 'BlobTooLarge';
  readonly bytesMax: number;
  constructor(bytesMax: number) {
    super(`more than ${String(bytesMax)} bytes`);
    this.bytesMax = bytesMax;
  }
}

export type StoreFailure = 'full' | 'away';

/** A store that is reached over the network can't be used, for its own reasons or for those of the network. */
export class BlobStoreFault extends Error {
  override readonly name = 'BlobStoreFault';
  readonly failure: StoreFailure;
  /** In a word, which may be shown. */
  readonly code: string;
  constructor(failure: StoreFailure, code: string, message: string) {
    super(message);
    this.failure = failure;
    this.code = code;
  }
}

const fullCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE'];
const awayCodes: readonly string[] = ['EIO', 'EROFS', 'ESTALE', 'ENXIO', 'ENODEV', 'EACCES', 'EPERM'];

/**
 * What an error says of the store, where the same may work later: `full`, of bytes or open files, or `away`. Only for
 * `BlobStoreFault` and errors of the file system; undefined for all else.
 */
export function storeFailure(error: unknown): StoreFailure | undefined {
  // An upload that failed and could not be removed.
  if (error instanceof AggregateError) return storeFailure(error.errors[0]);
  if (error instanceof BlobStoreFault) return error.failure;
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const code = String(error.code);
  return fullCodes.includes(code) ? 'full' : awayCodes.includes(code) ? 'away' : undefined;
}
