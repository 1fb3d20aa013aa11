/** PNG decoding (W3C PNG, third edition) row by row: two rows are in memory, whatever the size of the image. */
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { UnusableInput } from './tasks.ts';

const pieceBytes = 65_536;

/** An image as rows of red, green and blue from the top. A row is done with once the next is asked for. */
export interface RgbImage {
  width: number;
  height: number;
  rows: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

interface Header {
  width: number;
  height: number;
  bitDepth: number;
  colourType: number;
}

const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * Opens a PNG of any colour type and depth; transparent parts are laid on white. Of a mask with transparency the rows say
 * how opaque it is, white being transparent. The file is closed when the rows are
 * read to their end or left. Refuses with `UnusableInput` a damaged file and an interlaced one.
 */
export async function openPng(path: string, { isMask = false } = {}): Promise<RgbImage> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(29);
    await file.read(head, 0, 29, 0);
    const header = {
      width: head.readUInt32BE(16),
      height: head.readUInt32BE(20),
      bitDepth: head.readUInt8(24),
      colourType: head.readUInt8(25),
    };
    if (channelsOf[header.colourType] === undefined) throw new UnusableInput('visual', 'it is a damaged PNG');
    if (head[28] !== 0) throw new UnusableInput('visual', 'it is an interlaced PNG, which is not supported');
    return { width: header.width, height: header.height, rows: decodeRows(file, header, isMask) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* decodeRows(file: FileHandle, header: Header, isMask: boolean): AsyncGenerator<Uint8Array> {
  const channels = channelsOf[header.colourType] ?? 1;
  const rowBytes = Math.ceil((header.width * channels * header.bitDepth) / 8);
  const pixelBytes = Math.max(1, (channels * header.bitDepth) >> 3);
  const colours: Colours = { palette: Buffer.alloc(0), alphas: Buffer.alloc(0), isMask };
  const rgb = new Uint8Array(header.width * 3);
  let above = new Uint8Array(rowBytes);
  let row = new Uint8Array(rowBytes + 1);
  let filled = 0;
  let made = 0;
  try {
    const source = Readable.from(imageData(file, colours), { highWaterMark: 1 });
    const inflated: AsyncIterable<Buffer> = pipeline(source, createInflate({ chunkSize: pieceBytes }), () => undefined);
    for await (const piece of inflated) {
      for (let at = 0; at < piece.length && made < header.height;) {
        const taken = Math.min(row.length - filled, piece.length - at);
        row.set(piece.subarray(at, at + taken), filled);
        [at, filled] = [at + taken, filled + taken];
        if (filled < row.length) continue;
        const pixels = row.subarray(1);
        unfilter(row[0] ?? 0, pixels, above, pixelBytes);
        toRgb(pixels, rgb, header, colours);
        yield rgb;
        above = pixels;
        row = new Uint8Array(rowBytes + 1);
        [filled, made] = [0, made + 1];
      }
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new UnusableInput('visual', 'it is a damaged PNG', error);
    }
    throw error;
  } finally {
    await file.close();
  }
  if (made < header.height) throw new UnusableInput('visual', 'it is a truncated PNG');
}

interface Colours {
  palette: Buffer;
  /** Of the palette's colours. */
  alphas: Buffer;
  isMask: boolean;
}

/** The content of all IDAT chunks; on the way the palette is noted. */
async function* imageData(file: FileHandle, colours: Colours): AsyncGenerator<Buffer> {
  const head = Buffer.alloc(8);
  for (let position = 8; ;) {
    const { bytesRead } = await file.read(head, 0, 8, position);
    const size = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (bytesRead < 8 || type === 'IEND') return;
    if (type === 'PLTE' || type === 'tRNS') {
      const content = Buffer.alloc(Math.min(size, 768));
      await file.read(content, 0, content.length, position + 8);
      colours[type === 'PLTE' ? 'palette' : 'alphas'] = content;
    }
    for (let at = 0; type === 'IDAT' && at < size; at += pieceBytes) {
      const piece = Buffer.alloc(Math.min(pieceBytes, size - at));
      const read = await file.read(piece, 0, piece.length, position + 8 + at);
      if (read.bytesRead === 0) return;
      yield piece.subarray(0, read.bytesRead);
    }
    position += size + 12;
  }
}

/** Section 9 of the standard: each byte was stored as the difference to its neighbours. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, pixelBytes: number): void {
  for (let at = 0; filter !== 0 && at < row.length; at++) {
    const left = at < pixelBytes ? 0 : (row[at - pixelBytes] ?? 0);
    const up = above[at] ?? 0;
    let predicted = 0;
    if (filter === 1) predicted = left;
    else if (filter === 2) predicted = up;
    else if (filter === 3) predicted = (left + up) >> 1;
    else if (filter === 4) predicted = paeth(left, up, at < pixelBytes ? 0 : (above[at - pixelBytes] ?? 0));
    row[at] = (row[at] ?? 0) + predicted;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function toRgb(row: Uint8Array, rgb: Uint8Array, header: Header, { palette, alphas, isMask }: Colours): void {
  const { width, bitDepth, colourType } = header;
  const channels = channelsOf[colourType] ?? 1;
  const most = 2 ** Math.min(bitDepth, 8) - 1;
  const showsAlpha = isMask && (colourType >= 4 || alphas.length > 0);
  for (let x = 0; x < width; x++) {
    const first = sampleAt(row, x * channels, bitDepth);
    let [red, green, blue, alpha] = [first, first, first, 255];
    if (colourType === 3) {
      red = palette[first * 3] ?? 0;
      green = palette[first * 3 + 1] ?? 0;
      blue = palette[first * 3 + 2] ?? 0;
      alpha = alphas[first] ?? 255;
    } else if (channels <= 2) {
      red = green = blue = (first * 255) / most;
      if (channels === 2) alpha = sampleAt(row, x * 2 + 1, bitDepth);
    } else {
      green = sampleAt(row, x * channels + 1, bitDepth);
      blue = sampleAt(row, x * channels + 2, bitDepth);
      if (channels === 4) alpha = sampleAt(row, x * 4 + 3, bitDepth);
    }
    if (showsAlpha) [red, green, blue] = [0, 0, 0];
    const white = 255 - alpha;
    rgb[x * 3] = white + (red * alpha) / 255;
    rgb[x * 3 + 1] = white + (green * alpha) / 255;
    rgb[x * 3 + 2] = white + (blue * alpha) / 255;
  }
}

/** One sample; of 16 bits the upper eight. */
function sampleAt(row: Uint8Array, index: number, bitDepth: number): number {
  if (bitDepth >= 8) return row[(index * bitDepth) >> 3] ?? 0;
  const bit = index * bitDepth;
  return ((row[bit >> 3] ?? 0) >> (8 - bitDepth - (bit & 7))) & (2 ** bitDepth - 1);
}
