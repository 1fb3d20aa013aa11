/** Decoders of the content codings that HTTP servers use. */
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A stream that decodes `gzip`, `deflate` or `br`; undefined for what is not known. */
export function decompressor(coding: string) {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'deflate') return createInflate();
  if (coding === 'br') return createBrotliDecompress();
  return undefined;
}
