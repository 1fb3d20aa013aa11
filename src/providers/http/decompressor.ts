/** Decoders of the content codings that HTTP servers use, and how much may come out of them. */
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A stream that decodes `gzip`, `deflate` or `br`; undefined for what is not known. */
export function decompressor(coding: string) {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'deflate') return createInflate();
  if (coding === 'br') return createBrotliDecompress();
  return undefined;
}

/** An honest answer is packed to a tenth, streams of small events to a fortieth; gzip can pack zeros to a thousandth, brotli to far less. */
const ratioMax = 100;
/** Whatever is on the wire. */
const bytesFloor = 1024 * 1024;

/** Counts what goes into decoders and what comes out. */
export class DecodedBytes {
  #wire = 0;
  #decoded = 0;

  in(bytes: number): void {
    this.#wire += bytes;
  }

  /** Returns whether it is still within the bound. */
  out(bytes: number): boolean {
    this.#decoded += bytes;
    return this.#decoded <= this.#wire * ratioMax + bytesFloor;
  }
}

/** It was packed far more tightly than anything honest is. */
export class PackedTooTight extends Error {
  override readonly name = 'PackedTooTight';
  constructor() {
    super(`the answer has more than ${ratioMax} times as many bytes as came over the wire`);
  }
}
