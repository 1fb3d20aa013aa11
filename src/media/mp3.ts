/** MP3: duration = frames x samples per frame, counted by walking the frame headers. */
import { InvalidMedia, unitsToMs, type MediaFacts } from './facts.ts';
import { type FrameHeader, frameBytesMax, frameHeaderAt, hasFrameAt } from './mp3-frames.ts';
import { readAt, type MediaReader } from './reader.ts';

/** How much of a file is read at a time while walking. */
const chunkBytes = 262_144;
/** The first frame must come this soon after the tags; encoders put it at once. */
const searchBytes = 65_536;
/** A file has one ID3v2 tag, or a few by different programs. */
const tagsMax = 16;
/** What may lie between and behind the frames: tags with their images, padding, a damaged stretch. Of a large file this part. */
const junkBytesMax = 8_388_608;
const junkPartMax = 1 / 10;
/** What of it may look like frames of another kind, by chance: it counts, since decoders try to play it. */
const strangeSecondsMax = 2;

/** Whether the file has, after its ID3 tags, two MP3 frames in a row (or one that ends the file). */
export async function looksLikeMp3(reader: MediaReader): Promise<boolean> {
  return (await firstFrame(reader)) !== undefined;
}

/**
 * Measures an MP3: every whole frame counts, the encoder's information frame does not, as in ffprobe. What is found
 * between frames counts too where a decoder could take it for one, so that none plays longer than is measured.
 * Refuses with `InvalidMedia` a file without audio, one that goes on as another kind of MPEG audio (sample rate,
 * version or layer), which decoders go along with, and one that is mostly something else.
 */
export async function probeMp3(reader: MediaReader): Promise<MediaFacts> {
  const first = await firstFrame(reader);
  if (first === undefined) throw new InvalidMedia('the MP3 has no frames');
  const walk = new Walk(first.header, (await isInformation(reader, first)) ? 0 : first.header.samples);
  const before = await readAt(reader, first.start, first.position - first.start);
  walk.take(before, before.length, false);
  let position = first.position + first.header.bytes;
  while (position < reader.bytes) {
    const chunk = await readAt(reader, position, chunkBytes);
    const isLast = position + chunk.length >= reader.bytes;
    // The header that follows the last frame of the chunk has to be in it, too.
    const at = walk.take(chunk, isLast ? chunk.length : chunk.length - frameBytesMax - 4, isLast);
    if (at === 0) break; // the source gave less than it promised
    position = isLast ? reader.bytes : position + at;
  }
  walk.requireMostlyFrames();
  const durationMs = unitsToMs(walk.samples, first.header.samplesPerSecond);
  if (durationMs === 0) throw new InvalidMedia('the MP3 has no audio');
  return { mediaType: 'audio/mpeg', bytes: reader.bytes, durationMs, hasVideo: false, hasAudio: true };
}

/** What was counted so far. */
class Walk {
  readonly #kind: FrameHeader;
  #samples: number;
  #strangeSeconds = 0;
  #frameBytes: number;
  #junkBytes = 0;

  constructor(first: FrameHeader, samples: number) {
    this.#kind = first;
    this.#samples = samples;
    this.#frameBytes = first.bytes;
  }

  /** At the sample rate of the first frame. */
  get samples(): number {
    return this.#samples + this.#strangeSeconds * this.#kind.samplesPerSecond;
  }

  /** Counts the frames that begin before `end`; returns where the next one would begin. */
  take(chunk: Buffer, end: number, isLast: boolean): number {
    let at = 0;
    while (at < end) {
      const header = frameHeaderAt(chunk, at);
      if (header === undefined || !this.#isOurs(header)) {
        if (header !== undefined) this.#countStranger(header, chunk, at, isLast);
        const next = chunk.indexOf(0xff, at + 1);
        const nextAt = next === -1 ? end : Math.min(next, end);
        this.#junkBytes += nextAt - at;
        at = nextAt;
        continue;
      }
      // Encoders that end a byte short are common; a frame that lacks more is cut and isn't played.
      if (at + header.bytes <= chunk.length + 1) this.#samples += header.samples;
      this.#frameBytes += header.bytes;
      at += header.bytes;
    }
    return at;
  }

  requireMostlyFrames(): void {
    const isTooMuch = this.#junkBytes > Math.max(junkBytesMax, this.#frameBytes * junkPartMax);
    if (isTooMuch || this.#strangeSeconds > strangeSecondsMax) {
      throw new InvalidMedia('the MP3 contains too much data that is not MP3 audio; encode it again');
    }
  }

  #isOurs({ isLayer3, kind, bytes }: FrameHeader): boolean {
    return isLayer3 && kind === this.#kind.kind && bytes > 0;
  }

  /** A header of another kind: a frame if another one follows it, else a chance of four bytes, which costs its time. */
  #countStranger(header: FrameHeader, chunk: Buffer, at: number, isLast: boolean): void {
    const end = at + header.bytes;
    const isFollowed = header.bytes > 0 && (hasFrameAt(chunk, end) || (isLast && end === chunk.length));
    if (isFollowed) throw new InvalidMedia('the MP3 changes its sample rate, version or layer midway');
    this.#strangeSeconds += header.samples / header.samplesPerSecond;
  }
}

interface FirstFrame {
  /** Where the tags end. */
  start: number;
  position: number;
  header: FrameHeader;
}

async function firstFrame(reader: MediaReader): Promise<FirstFrame | undefined> {
  const start = await afterId3(reader);
  const chunk = await readAt(reader, start, searchBytes);
  for (let at = chunk.indexOf(0xff); at !== -1; at = chunk.indexOf(0xff, at + 1)) {
    const header = frameHeaderAt(chunk, at);
    if (header === undefined || !header.isLayer3 || header.bytes === 0) continue;
    const next = at + header.bytes;
    const endsFile = start + next === reader.bytes;
    if (endsFile || frameHeaderAt(chunk, next)?.kind === header.kind) {
      return { start, position: start + at, header };
    }
  }
  return undefined;
}

/**
 * The position after all ID3v2 tags (id3.org, 2.4: ten bytes of header, the size in four times seven bits). What isn't
 * quite one is none, since decoders look for frames in it.
 */
async function afterId3(reader: MediaReader): Promise<number> {
  let position = 0;
  for (let tags = 0; tags < tagsMax; tags++) {
    const head = await readAt(reader, position, 10);
    const isTag = head.length === 10 && head.toString('latin1', 0, 3) === 'ID3' && head[3] !== 0xff && head[4] !== 0xff;
    const sizes = [6, 7, 8, 9].map((at) => head[at] ?? 0xff);
    if (!isTag || sizes.some((size) => size > 0x7f)) return position;
    const size = sizes.reduce((sum, part) => sum * 128 + part, 0);
    const footerBytes = (head.readUInt8(5) & 0x10) === 0 ? 0 : 10;
    position += 10 + size + footerBytes;
  }
  return position;
}

async function isInformation(reader: MediaReader, { position, header }: FirstFrame): Promise<boolean> {
  const content = await readAt(reader, position, header.bytes);
  const { tagOffset } = header;
  const tag = content.toString('latin1', tagOffset, tagOffset + 4);
  return tag === 'Xing' || tag === 'Info' || content.toString('latin1', 36, 40) === 'VBRI';
}
