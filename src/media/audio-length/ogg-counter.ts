/** Audio that passes by in Ogg pages (RFC 3533): a page says how many samples its stream has up to the page's end. */
import { type AudioCounter, type FrameHead, FrameWalk } from './frame-walk.ts';

/** Of a page before the table of its segments. */
const headBytes = 27;
/** A page on which no packet ends says this. */
const unknownPosition = 0xffff_ffff_ffff_ffffn;
/** Of the first page's flags. */
const beginsStream = 0x02;
/** As much of a stream's first packet as says what it is: Speex's rate is the furthest. */
const packetHeadBytes = 40;
/** A file may chain streams, one after the other, or have a few at once. Of so many the oldest is over. */
const streamsMax = 16;

interface Stream {
  samplesPerSecond: number;
  /** Samples up to the end of its last page. */
  position: number;
}

export class OggCounter implements AudioCounter {
  readonly #streams = new Map<number, Stream>();
  readonly #walk = new FrameWalk((bytes, at) => this.#read(bytes, at));

  push(bytes: Buffer): void {
    this.#walk.push(bytes);
  }

  get seconds(): number {
    return this.#walk.seconds;
  }

  #read(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
    if (at + headBytes > bytes.length) return 'more';
    if (bytes.toString('latin1', at, at + 4) !== 'OggS') return 'none';
    const segments = bytes.readUInt8(at + headBytes - 1);
    const body = at + headBytes + segments;
    if (body > bytes.length) return 'more';
    const bodyBytes = bytes.subarray(at + headBytes, body).reduce((sum, length) => sum + length, 0);
    const isFirst = (bytes.readUInt8(at + 5) & beginsStream) !== 0;
    const packetEnd = body + Math.min(bodyBytes, packetHeadBytes);
    if (isFirst && packetEnd > bytes.length) return 'more';
    const serial = bytes.readUInt32LE(at + 14);
    if (isFirst) this.#begin(serial, streamOf(bytes.subarray(body, packetEnd)));
    return {
      bytes: headBytes + segments + bodyBytes,
      seconds: this.#secondsUpTo(serial, bytes.readBigUInt64LE(at + 6)),
    };
  }

  #begin(serial: number, stream: Stream | undefined): void {
    this.#streams.delete(serial);
    if (stream === undefined) return;
    this.#streams.set(serial, stream);
    const [oldest] = this.#streams.keys();
    if (oldest !== undefined && this.#streams.size > streamsMax) this.#streams.delete(oldest);
  }

  #secondsUpTo(serial: number, position: bigint): number {
    const stream = this.#streams.get(serial);
    if (stream === undefined || position === unknownPosition) return 0;
    const samples = Math.max(0, Number(position) - stream.position);
    stream.position += samples;
    return samples / stream.samplesPerSecond;
  }
}

/** The stream that this packet begins; undefined of video, and of what is not known. */
function streamOf(packet: Buffer): Stream | undefined {
  const begins = (tag: string) => packet.toString('latin1', 0, tag.length) === tag;
  // Opus counts samples at one rate, whatever it was made of (RFC 7845), and its first ones are not played.
  if (begins('OpusHead') && packet.length >= 12) return { samplesPerSecond: 48_000, position: packet.readUInt16LE(10) };
  if (begins('\x01vorbis') && packet.length >= 16) return streamAt(packet.readUInt32LE(12));
  if (begins('\x7fFLAC') && packet.length >= 30) return streamAt(packet.readUIntBE(27, 3) >>> 4);
  if (begins('Speex   ') && packet.length >= 40) return streamAt(packet.readUInt32LE(36));
  return undefined;
}

const streamAt = (samplesPerSecond: number): Stream | undefined =>
  samplesPerSecond === 0 ? undefined : { samplesPerSecond, position: 0 };
