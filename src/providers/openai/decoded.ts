/** Compressed answers, opened as they come. They are not asked for, but some proxies compress whatever they carry. */
import { DecodedBytes, decompressor, PackedTooTight } from '../http/decompressor.ts';

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

/**
 * A decoder for `gzip`, `deflate` or `br`; undefined for what is not known. It gives what it can after each write, and fails
 * with PackedTooTight where that is far more than came in.
 */
export function openDecoder(encoding: string, listener: DecoderListener): BodyDecoder | undefined {
  const decoder = decompressor(encoding);
  if (decoder === undefined) return undefined;
  const bytes = new DecodedBytes();
  decoder.on('data', (chunk: Buffer) => {
    if (bytes.out(chunk.length)) listener.onData(chunk);
    else decoder.destroy(new PackedTooTight());
  });
  decoder.on('end', () => listener.onEnd());
  decoder.on('error', (error) => listener.onError(error));
  decoder.on('drain', () => listener.onDrain());
  return {
    write: (chunk) => {
      bytes.in(chunk.length);
      if (!decoder.write(chunk)) listener.onFull();
    },
    end: () => decoder.end(),
    pause: () => decoder.pause(),
    resume: () => decoder.resume(),
    destroy: () => decoder.destroy(),
  };
}
