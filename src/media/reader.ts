/** Random access to the bytes of a media file, so that probing never needs the whole of it in memory. */
import { open } from 'node:fs/promises';

export interface MediaReader {
  bytes: number;
  /** The bytes from `start` to before `end`; both lie within the file. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Reads from bytes that are in memory already. */
export const bytesReader = (content: Uint8Array): MediaReader => ({
  bytes: content.length,
  read: (start, end) => Promise.resolve(content.subarray(start, end)),
});

/** Lends a reader of the file at `path` and closes the file afterwards, whatever happens. */
export async function withFileReader<T>(path: string, use: (reader: MediaReader) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    return await use({
      bytes: size,
      read: async (start, end) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await file.close();
  }
}

/** At most `length` bytes at `start`, fewer where the file ends. */
export async function readAt(reader: MediaReader, start: number, length: number): Promise<Buffer> {
  const end = Math.min(start + length, reader.bytes);
  if (start >= end) return Buffer.alloc(0);
  const chunk = await reader.read(start, end);
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
