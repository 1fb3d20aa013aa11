/** Random access to the bytes of a media file, so that probing never needs the whole of it in memory. */
import { open } from 'node:fs/promises';
import { InvalidMedia } from './facts.ts';

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

/** At a new place little is read, since most boxes are passed over; what is walked on is read in ever larger windows. */
const windowBytesMin = 4_096;
const windowBytesMax = 65_536;
/** An hour of fragments of two seconds, each read where it lies. In the bucket every read is a request. */
const readsMax = 2_048;
/** A file that is walked whole, as an MP3 is, takes a read for each so many bytes on top. */
const bytesARead = 262_144;

/**
 * Reads ahead, so that neighbouring looks of a few bytes cost one read of the source. Refuses with `InvalidMedia` a file
 * that takes more than 2,048 reads, and one for each 256 KiB of it.
 */
export function readAhead(source: MediaReader): MediaReader {
  const readsLeft = { count: readsMax + Math.ceil(source.bytes / bytesARead) };
  let window: { start: number; end: number; content: Uint8Array } = { start: 0, end: 0, content: new Uint8Array() };
  let windowBytes = windowBytesMin;
  return {
    bytes: source.bytes,
    async read(start, end) {
      if (start < window.start || end > window.end) {
        if (readsLeft.count-- <= 0) throw new InvalidMedia('the file is too fragmented');
        const isFurther = start >= window.start && start <= window.end;
        windowBytes = isFurther ? Math.min(windowBytes * 2, windowBytesMax) : windowBytesMin;
        const windowEnd = Math.min(source.bytes, Math.max(end, start + windowBytes));
        const content = await source.read(start, windowEnd);
        window = { start, end: start + content.length, content };
      }
      return window.content.subarray(start - window.start, end - window.start);
    },
  };
}

/** At most `length` bytes at `start`, fewer where the file ends. */
export async function readAt(reader: MediaReader, start: number, length: number): Promise<Buffer> {
  const end = Math.min(start + length, reader.bytes);
  if (start >= end) return Buffer.alloc(0);
  const chunk = await reader.read(start, end);
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
