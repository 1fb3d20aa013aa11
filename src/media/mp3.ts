/** MP3: duration = frames x samples per frame, counted by walking the frame headers (ISO 11172-3 and 13818-3, layer III). */
import { InvalidMedia, unitsToMs, type MediaFacts } from './facts.ts';
import { readAt, type MediaReader } from './reader.ts';

/** How much of a file is read at a time while walking. */
const chunkBytes = 262_144;
/** The first frame must come this soon after the tags; encoders put it at once. */
const searchBytes = 65_536;
/** A file has one ID3v2 tag, or a few by different programs. */
const tagsMax = 16;
/** The largest frame: 320 kbit/s at 32 kHz, padded. */
const frameBytesMax = 1_441;

const kilobitsVersion1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobitsVersion2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const samplesPerSecondVersion1 = [44_100, 48_000, 32_000];

interface FrameHeader {
  bytes: number;
  samples: number;
  samplesPerSecond: number;
  /** Where an encoder's Xing or Info tag stands in a frame that carries no sound. */
  tagOffset: number;
}

/** Whether the file has, after its ID3 tags, two MP3 frames in a row (or one that ends the file). */
export async function looksLikeMp3(reader: MediaReader): Promise<boolean> {
  return (await firstFrame(reader)) !== undefined;
}

/**
 * Measures an MP3: every whole frame counts, the encoder's information frame does not, as in ffprobe.
 * Refuses with `InvalidMedia` a file without sound.
 */
export async function probeMp3(reader: MediaReader): Promise<MediaFacts> {
  const first = await firstFrame(reader);
  if (first === undefined) throw new InvalidMedia('the MP3 has no frames');
  const { samplesPerSecond } = first.header;
  let samples = (await isInformation(reader, first)) ? 0 : first.header.samples;
  let position = first.position + first.header.bytes;
  while (position < reader.bytes) {
    const chunk = await readAt(reader, position, chunkBytes);
    const isLast = position + chunk.length >= reader.bytes;
    let at = 0;
    while (at + 4 <= chunk.length && (isLast || at + frameBytesMax <= chunk.length)) {
      const header = parseHeader(chunk, at);
      if (header?.samplesPerSecond !== samplesPerSecond) {
        at += 1; // lost the beat: a tag, or a damaged frame
        continue;
      }
      // Encoders that end a byte short are common; a frame that lacks more is cut and isn't played.
      if (at + header.bytes <= chunk.length + 1) samples += header.samples;
      at += header.bytes;
    }
    if (at === 0) break; // the source gave less than it promised
    position = isLast ? reader.bytes : position + at;
  }
  const durationMs = unitsToMs(samples, samplesPerSecond);
  if (durationMs === 0) throw new InvalidMedia('the MP3 has no sound in it');
  return { mediaType: 'audio/mpeg', bytes: reader.bytes, durationMs, hasVideo: false, hasAudio: true };
}

async function firstFrame(reader: MediaReader): Promise<{ position: number; header: FrameHeader } | undefined> {
  const start = await afterId3(reader);
  const chunk = await readAt(reader, start, searchBytes);
  for (let at = 0; at + 4 <= chunk.length; at++) {
    const header = parseHeader(chunk, at);
    if (header === undefined) continue;
    const next = at + header.bytes;
    const endsFile = start + next === reader.bytes;
    if (endsFile || parseHeader(chunk, next)?.samplesPerSecond === header.samplesPerSecond) {
      return { position: start + at, header };
    }
  }
  return undefined;
}

/** The position after all ID3v2 tags (id3.org, 2.4: ten bytes of header, the size in four times seven bits). */
async function afterId3(reader: MediaReader): Promise<number> {
  let position = 0;
  for (let tags = 0; tags < tagsMax; tags++) {
    const head = await readAt(reader, position, 10);
    if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return position;
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head.readUInt8(at) & 0x7f), 0);
    const footerBytes = (head.readUInt8(5) & 0x10) === 0 ? 0 : 10;
    position += 10 + size + footerBytes;
  }
  return position;
}

async function isInformation(reader: MediaReader, frame: { position: number; header: FrameHeader }): Promise<boolean> {
  const content = await readAt(reader, frame.position, frame.header.bytes);
  const { tagOffset } = frame.header;
  const tag = content.toString('latin1', tagOffset, tagOffset + 4);
  return tag === 'Xing' || tag === 'Info' || content.toString('latin1', 36, 40) === 'VBRI';
}

function parseHeader(chunk: Buffer, at: number): FrameHeader | undefined {
  if (at + 4 > chunk.length || chunk[at] !== 0xff) return undefined;
  const word = chunk.readUInt32BE(at);
  const version = (word >>> 19) & 3; // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5, 1: reserved
  const isLayer3 = ((word >>> 17) & 3) === 1;
  if (word >>> 21 !== 0x7ff || version === 1 || !isLayer3) return undefined;
  const kilobits = (version === 3 ? kilobitsVersion1 : kilobitsVersion2)[(word >>> 12) & 15];
  const samplesPerSecondFull = samplesPerSecondVersion1[(word >>> 10) & 3];
  if (kilobits === undefined || kilobits === 0 || samplesPerSecondFull === undefined) return undefined;
  const samplesPerSecond = samplesPerSecondFull / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1152 : 576;
  const padding = (word >>> 9) & 1;
  const isMono = ((word >>> 6) & 3) === 3;
  const sideBytes = version === 3 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  const bytes = Math.floor((samples * kilobits * 125) / samplesPerSecond) + padding;
  return { bytes, samples, samplesPerSecond, tagOffset: 4 + sideBytes };
}
