/** WAV that passes by: the bytes of its data by how many a second takes. */
import { InvalidMedia } from '../facts.ts';
import { readWavFormat } from '../wav-format.ts';
import { type AudioCounter, type FrameHead, FrameWalk } from './frame-walk.ts';

const riffBytes = 12;
const chunkHeadBytes = 8;
/** As much of a format as is read. */
const formatBytesMax = 40;
/** A writer that streams can't know the size of its data, and says one of these. */
const unknownSizes = [0, 0xffff_ffff, 0x7fff_ffff];

export class WavCounter implements AudioCounter {
  #isBegun = false;
  #bytesPerSecond = 0;
  #dataBytes = 0;
  /** Of the data, as its chunk says; undefined before it came. */
  #dataLeft: number | undefined;
  readonly #walk = new FrameWalk((bytes, at) => this.#read(bytes, at));

  push(bytes: Buffer): void {
    this.#walk.push(bytes);
  }

  get seconds(): number {
    return this.#bytesPerSecond === 0 ? 0 : this.#dataBytes / this.#bytesPerSecond;
  }

  #read(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
    if (this.#dataLeft !== undefined) {
      const came = bytes.length - at;
      const counted = Math.min(came, this.#dataLeft);
      this.#dataBytes += counted;
      this.#dataLeft -= counted;
      return { bytes: came, seconds: 0 };
    }
    if (at + (this.#isBegun ? chunkHeadBytes : riffBytes) > bytes.length) return 'more';
    if (!this.#isBegun) {
      this.#isBegun = true;
      return { bytes: riffBytes, seconds: 0 };
    }
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = at + chunkHeadBytes;
    if (name === 'data') {
      this.#dataLeft = unknownSizes.includes(size) ? Infinity : size;
      return { bytes: chunkHeadBytes, seconds: 0 };
    }
    if (name === 'fmt ') {
      const end = body + Math.min(size, formatBytesMax);
      if (end > bytes.length) return 'more';
      this.#bytesPerSecond = bytesPerSecondOf(bytes.subarray(body, end));
    }
    return { bytes: chunkHeadBytes + size + (size & 1), seconds: 0 };
  }
}

/** 0 of a format that can't be read, whose audio has no length then. */
function bytesPerSecondOf(chunk: Buffer): number {
  try {
    const { frameBytes, framesPerSecond } = readWavFormat(chunk);
    return frameBytes * framesPerSecond;
  } catch (error) {
    if (error instanceof InvalidMedia) return 0;
    throw error;
  }
}
