/** Sizes of images from their headers (PNG, JPEG, WebP, GIF), with a look at the end for files that are cut short. */
import { InvalidMedia, type MediaFacts, type MediaType } from './facts.ts';
import { readAt, type MediaReader } from './reader.ts';

/** The end of a file may carry some padding or comments; its end mark is searched in this much of it. */
const tailBytes = 65_536;
/** A JPEG has a few dozen segments before its size; more is no image. */
const segmentsMax = 4_096;
/** Of a GIF or WebP before its image: a profile of colours or a comment comes in blocks of 255 bytes. */
const piecesMax = 65_536;
/** Four times the side of the largest image that is made, and four times its area (16,384 x 16,384). */
const sideMax = 32_768;
const pixelsMax = 268_435_456;
/** A byte of deflate unpacks to no more than so many (258 from two bits). */
const deflateFactorMax = 1_032;
/** A block of 64 pixels takes at least a bit of a JPEG, and half of what that comes to is left for what we don't know. */
const jpegPixelsPerByteMax = 1_024;
/** Channels by colour type: grey, colours, palette, grey and alpha, colours and alpha. */
const pngChannels: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

/** PNG (W3C PNG, third edition): the size is in IHDR, the first chunk; the file ends with IEND. Refuses with `InvalidMedia`. */
export async function probePng(reader: MediaReader): Promise<MediaFacts> {
  const head = await readAt(reader, 0, 29);
  if (head.length < 29 || head.toString('latin1', 12, 16) !== 'IHDR') throw new InvalidMedia('the PNG has no header');
  await requireEnd(reader, Buffer.from('IEND'), 'PNG');
  const found = facts(reader, 'image/png', head.readUInt32BE(16), head.readUInt32BE(20));
  const bits = head.readUInt8(24) * (pngChannels.get(head.readUInt8(25)) ?? 0);
  if (bits === 0) throw new InvalidMedia('the PNG has an unknown colour type');
  requireBytes(reader, (found.height * Math.ceil((found.width * bits) / 8)) / deflateFactorMax);
  return found;
}

/** JPEG (ITU T.81): the size is in the frame header SOF0 to SOF15; the file ends with EOI. Refuses with `InvalidMedia`. */
export async function probeJpeg(reader: MediaReader): Promise<MediaFacts> {
  let position = 2;
  for (let segment = 0; segment < segmentsMax; segment++) {
    const head = await readAt(reader, position, 9);
    if (head.length < 9 || head[0] !== 0xff) break;
    const marker = head.readUInt8(1);
    if (marker === 0xff) {
      position += 1; // fill byte
    } else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      await requireEnd(reader, Buffer.from([0xff, 0xd9]), 'JPEG');
      const found = facts(reader, 'image/jpeg', head.readUInt16BE(7), head.readUInt16BE(5));
      requireBytes(reader, (found.width * found.height) / jpegPixelsPerByteMax);
      return found;
    } else {
      position += 2 + head.readUInt16BE(2);
    }
  }
  throw new InvalidMedia('the JPEG has no frame header');
}

/** WebP (RFC 9649): three kinds of first chunk, each with the size at its own place; one chunk holds an image. Refuses with `InvalidMedia`. */
export async function probeWebp(reader: MediaReader): Promise<MediaFacts> {
  const head = await readAt(reader, 0, 30);
  if (head.length < 30) throw new InvalidMedia('the WebP has no header');
  if (head.readUInt32LE(4) + 8 > reader.bytes) throw new InvalidMedia('the WebP is truncated');
  await requireWebpImage(reader);
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return facts(reader, 'image/webp', head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return facts(reader, 'image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return facts(reader, 'image/webp', head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1);
    default:
      throw new InvalidMedia('the WebP has no image');
  }
}

/** The least of the chunks that hold an image: their headers and a byte of it. */
const webpImageBytesMin: ReadonlyMap<string, number> = new Map([
  ['VP8 ', 11],
  ['VP8L', 6],
  ['ANMF', 16 + 8 + 6], // a frame's place, and a chunk of one of the others
]);

async function requireWebpImage(reader: MediaReader): Promise<void> {
  let position = 12;
  for (let chunk = 0; chunk < piecesMax; chunk++) {
    const head = await readAt(reader, position, 8);
    if (head.length < 8) break;
    const bytes = head.readUInt32LE(4);
    const bytesMin = webpImageBytesMin.get(head.toString('latin1', 0, 4)) ?? Infinity;
    if (bytes >= bytesMin && position + 8 + bytes <= reader.bytes) return;
    position += 8 + bytes + (bytes % 2);
  }
  throw new InvalidMedia('the WebP has no image');
}

/** GIF (87a, 89a): the size of the logical screen; it has an image and ends with the trailer 0x3b. Refuses with `InvalidMedia`. */
export async function probeGif(reader: MediaReader): Promise<MediaFacts> {
  const head = await readAt(reader, 0, 13);
  if (head.length < 13) throw new InvalidMedia('the GIF has no header');
  await requireEnd(reader, Buffer.from([0x3b]), 'GIF');
  await requireGifImage(reader, 13 + gifTableBytes(head.readUInt8(10)));
  return facts(reader, 'image/gif', head.readUInt16LE(6), head.readUInt16LE(8));
}

/** The first image descriptor has data; extensions, which are chains of blocks as data are, may come before it. */
async function requireGifImage(reader: MediaReader, start: number): Promise<void> {
  let position = start;
  for (let block = 0; block < piecesMax; block++) {
    const head = await readAt(reader, position, 12);
    if (head[0] === 0x2c) {
      // Behind the descriptor and its table the size of a code, and of the first block of data.
      const [, dataBytes = 0] = await readAt(reader, position + 10 + gifTableBytes(head[9] ?? 0), 2);
      if (dataBytes > 0) return;
    }
    if (head[0] !== 0x21) break;
    position += 2;
    for (; block < piecesMax; block++) {
      const [bytes = 0] = await readAt(reader, position, 1);
      position += 1 + bytes;
      if (bytes === 0) break;
    }
  }
  throw new InvalidMedia('the GIF has no image');
}

/** Of a table of colours, by the flags of the screen or of an image. */
const gifTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

type Image = MediaFacts & { width: number; height: number };

function facts(reader: MediaReader, mediaType: MediaType, width: number, height: number): Image {
  if (width === 0 || height === 0) throw new InvalidMedia('the image has no size');
  if (width > sideMax || height > sideMax || width * height > pixelsMax) {
    throw new InvalidMedia(
      `the image is too large: its header says ${width}x${height} pixels; the maximum is ${sideMax} per side and ${pixelsMax} in total`,
    );
  }
  return { mediaType, bytes: reader.bytes, width, height, hasVideo: false, hasAudio: false };
}

/** Refuses a size that so few bytes can't hold, however well they are packed. WebP and GIF pack without a bound. */
function requireBytes(reader: MediaReader, bytes: number): void {
  if (reader.bytes < bytes) throw new InvalidMedia('the image has fewer bytes than its size requires');
}

async function requireEnd(reader: MediaReader, mark: Buffer, format: string): Promise<void> {
  const tail = await readAt(reader, Math.max(0, reader.bytes - tailBytes), tailBytes);
  if (tail.lastIndexOf(mark) < 0) throw new InvalidMedia(`the ${format} is truncated`);
}
