/** PNG encoding (W3C PNG, third edition) as a stream: rows are made on demand and deflated in libuv's pool. */
import { Readable, pipeline } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';

/** Rows are handed to the pool in pieces of about this size: a few of them are all that is in memory. */
const pieceBytes = 262_144;
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

async function* pngChunks({ width, height, palette, rows }: PngImage): AsyncGenerator<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, palette === undefined ? 2 : 3, 0, 0, 0], 8);
  yield Buffer.concat([signature, chunk('IHDR', header), ...(palette === undefined ? [] : [chunk('PLTE', palette)])]);
  const source = Readable.from(filtered(rows, width * (palette === undefined ? 3 : 1)), { highWaterMark: 1 });
  // Level 1: long runs shrink as well as at level 9, in a fraction of the time.
  const deflate = createDeflate({ level: 1, chunkSize: 65_536 });
  const compressed: AsyncIterable<Buffer> = pipeline(source, deflate, () => undefined);
  for await (const piece of compressed) yield chunk('IDAT', piece);
  yield chunk('IEND', Buffer.alloc(0));
}

/** Puts the filter byte before each row and gathers rows into pieces. */
async function* filtered(rows: PngImage['rows'], rowBytes: number): AsyncGenerator<Buffer> {
  const lineBytes = rowBytes + 1;
  const piece = () => Buffer.alloc(lineBytes * Math.max(1, Math.floor(pieceBytes / lineBytes)));
  let [lines, used] = [piece(), 0];
  for await (const row of rows) {
    // A repeated row is all zeros under the filter "up": nothing to copy.
    lines[used] = row === undefined ? filters.up : filters.none;
    if (row !== undefined) lines.set(row, used + 1);
    used += lineBytes;
    if (used < lines.length) continue;
    yield lines;
    [lines, used] = [piece(), 0];
  }
  if (used > 0) yield lines.subarray(0, used);
}

function chunk(type: string, content: Uint8Array): Buffer {
  const whole = Buffer.alloc(content.length + 12);
  whole.writeUInt32BE(content.length, 0);
  whole.write(type, 4, 'latin1');
  whole.set(content, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, content.length + 8)), content.length + 8);
  return whole;
}
