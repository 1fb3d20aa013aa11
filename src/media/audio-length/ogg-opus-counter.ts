/** Opus that passes by, in Ogg pages (RFC 3533 and 7845): a page says how many samples there are up to its end. */
import { type AudioCounter, type FrameHead, FrameWalk } from './frame-walk.ts';

/** Of a page before the table of its segments. */
const headBytes = 27;
/** Opus counts samples at this rate, whatever it was made of. */
const samplesPerSecond = 48_000;
/** A page on which no packet ends says this. */
const unknownPosition = 0xffff_ffff_ffff_ffffn;
/** What the first packet says at this place: so many samples of the beginning are not played. */
const preSkipAt = 10;

export class OggOpusCounter implements AudioCounter {
  #preSkip: number | undefined;
  /** Samples up to the end of the last page. */
  #position = 0;
  readonly #walk = new FrameWalk((bytes, at) => this.#read(bytes, at));

  push(bytes: Buffer): void {
    this.#walk.push(bytes);
  }

  get seconds(): number {
    return Math.max(0, this.#walk.seconds - (this.#preSkip ?? 0) / samplesPerSecond);
  }

  #read(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
    if (at + headBytes > bytes.length) return 'more';
    if (bytes.toString('latin1', at, at + 4) !== 'OggS') return 'none';
    const segments = bytes.readUInt8(at + headBytes - 1);
    const body = at + headBytes + segments;
    if (body + preSkipAt + 2 > bytes.length && (this.#preSkip === undefined || body > bytes.length)) return 'more';
    const bodyBytes = bytes.subarray(at + headBytes, body).reduce((sum, length) => sum + length, 0);
    this.#preSkip ??=
      bytes.toString('latin1', body, body + 8) === 'OpusHead' ? bytes.readUInt16LE(body + preSkipAt) : 0;
    const position = bytes.readBigUInt64LE(at + 6);
    const samples = position === unknownPosition ? 0 : Number(position) - this.#position;
    this.#position += samples;
    return { bytes: headBytes + segments + bodyBytes, seconds: samples / samplesPerSecond };
  }
}
