/** PNG encoding (W3C PNG, third edition) as a stream: rows are made on demand and deflated in libuv's pool. */
import { Readable } from 'node:stream';
import { crc32, createDeflate, type Deflate } from 'node:zlib';

/** Rows are handed to the pool in pieces of about this size: a few of them are all that is in memory. */
const pieceBytes = 262_144;
/** Of compressed data in one chunk of the file. */
const chunkBytes = 65_536;
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const filters = { none: 0, up: 2 } as const;

export interface PngImage {
  width: number;
  height: number;
  /** Red, green and blue of each colour of an image with one byte a pixel; without it there are three bytes a pixel. */
  palette?: Uint8Array;
  /** All rows from the top. A row is done with once the next is asked for, so it may be painted over. */
  rows: Iterable<PngRow> | AsyncIterable<PngRow>;
}

/** The pixels of a row, or `undefined` for one that looks like the row above. */
export type PngRow = Uint8Array | undefined;

/** The bytes of the file. Errors of `rows` end the stream. */
export function encodePng(image: PngImage): Readable {
  return Readable.from(pngChunks(image), { objectMode: false });
}

async function* pngChunks({ width, height, palette, rows }: PngImage): AsyncGenerator<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, palette === undefined ? 2 : 3, 0, 0, 0], 8);
  yield Buffer.concat([signature, ...chunk('IHDR', header), ...(palette === undefined ? [] : chunk('PLTE', palette))]);
  // Level 1: long runs shrink as well as at level 9, in a fraction of the time.
  const deflate = createDeflate({ level: 1, chunkSize: chunkBytes });
  // A failure of the rows reaches the reader through the stream; so does an end before the rows were done.
  feed(rows, width * (palette === undefined ? 3 : 1), deflate).catch((error: unknown) => {
    deflate.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  for await (const piece of evenPieces(deflate)) yield* chunk('IDAT', piece);
  yield* chunk('IEND', Buffer.alloc(0));
}

/** Puts the filter byte before each row and has rows deflated in pieces. One buffer serves for all of them. */
async function feed(rows: PngImage['rows'], rowBytes: number, deflate: Deflate): Promise<void> {
  const lineBytes = rowBytes + 1;
  const lines = Buffer.alloc(lineBytes * Math.max(1, Math.floor(pieceBytes / lineBytes)));
  let used = 0;
  for await (const row of rows) {
    // A repeated row is all zeros under the filter "up".
    lines[used] = row === undefined ? filters.up : filters.none;
    if (row === undefined) lines.fill(0, used + 1, used + lineBytes);
    else lines.set(row, used + 1);
    used += lineBytes;
    if (used < lines.length) continue;
    await written(deflate, lines);
    used = 0;
  }
  await written(deflate, lines.subarray(0, used));
  deflate.end();
}

/** Resolves when the bytes were taken in, so that their buffer may be used again. */
function written(deflate: Deflate, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    deflate.write(bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Pieces of one size but for the last: how a stream cuts its bytes depends on the moment, and the file must not. */
async function* evenPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const part of source) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < chunkBytes) continue;
    const whole = Buffer.concat(waiting);
    let start = 0;
    for (; bytes - start >= chunkBytes; start += chunkBytes) yield whole.subarray(start, start + chunkBytes);
    waiting = [whole.subarray(start)];
    bytes -= start;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

/** Length and type, the content as it is (a copy of each would double what waits to be collected), and the check sum. */
function chunk(type: string, content: Uint8Array): [Buffer, Uint8Array, Buffer] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length, 0);
  head.write(type, 4, 'latin1');
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content, crc32(type)), 0);
  return [head, content, sum];
}
