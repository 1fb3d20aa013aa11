/** What is known of a blob from its bytes as they pass: how many there are, and their SHA-256. */
import { createHash } from 'node:crypto';
import { BlobTooLarge } from './blob-store.ts';

export class BlobMeter {
  readonly #hash = createHash('sha256');
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Refuses with `BlobTooLarge` the piece by which there are more than `bytesMax`. */
  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#bytesMax) throw new BlobTooLarge(this.#bytesMax);
    this.#hash.update(piece);
  }

  /** Once, after the last piece. */
  facts(): { bytes: number; sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
