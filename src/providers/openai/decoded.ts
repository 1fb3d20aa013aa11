/** Compressed answers, opened as they come. They are not asked for, but some proxies compress whatever they carry. */
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface DecoderListener {
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
  /** No more should be written until `onDrain`. */
  onFull(): void;
  onDrain(): void;
}

export interface BodyDecoder {
  write(chunk: Buffer): void;
  end(): void;
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** A decoder for `gzip`, `deflate` or `br`; undefined for what is not known. */
export function openDecoder(encoding: string, listener: DecoderListener): BodyDecoder | undefined {
  const decoder = decompressor(encoding);
  if (decoder === undefined) return undefined;
  decoder.on('data', (chunk: Buffer) => listener.onData(chunk));
  decoder.on('end', () => listener.onEnd());
  decoder.on('error', (error) => listener.onError(error));
  decoder.on('drain', () => listener.onDrain());
  return {
    write: (chunk) => {
      if (!decoder.write(chunk)) listener.onFull();
    },
    end: () => decoder.end(),
    pause: () => decoder.pause(),
    resume: () => decoder.resume(),
    destroy: () => decoder.destroy(),
  };
}

/** Flushed after each write, so that no event waits in it for the next. */
function decompressor(encoding: string) {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip({ flush: Z_SYNC_FLUSH });
  if (encoding === 'deflate') return createInflate({ flush: Z_SYNC_FLUSH });
  if (encoding === 'br') return createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH });
  return undefined;
}
