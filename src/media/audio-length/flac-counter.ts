/** FLAC that passes by (RFC 9639): the number of the last frame whose head comes in its turn. Frames don't say how large they are. */
import { type AudioCounter, type FrameHead, FrameWalk } from './frame-walk.ts';

const infoBytes = 34;
/** The longest head of a frame: of a sample's number in 7 bytes, a size and a rate in two each. */
const frameHeadBytesMax = 16;

export class FlacCounter implements AudioCounter {
  #state: 'mark' | 'metadata' | 'frames' = 'mark';
  #samplesPerSecond = 0;
  #blockSamples = 0;
  /** Samples of the frames that have begun; the last one may not be whole. */
  #samples = 0;
  #frames = 0;
  readonly #walk = new FrameWalk((bytes, at) => this.#read(bytes, at));

  push(bytes: Buffer): void {
    this.#walk.push(bytes);
  }

  get seconds(): number {
    return this.#samplesPerSecond === 0 ? 0 : this.#samples / this.#samplesPerSecond;
  }

  #read(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
    if (this.#state === 'frames') return this.#readFrame(bytes, at);
    if (at + 4 + infoBytes > bytes.length) return 'more';
    if (this.#state === 'mark') {
      this.#state = 'metadata';
      return { bytes: 4, seconds: 0 };
    }
    const kind = bytes.readUInt8(at);
    if ((kind & 0x7f) === 0) {
      this.#blockSamples = bytes.readUInt16BE(at + 6);
      this.#samplesPerSecond = bytes.readUIntBE(at + 14, 3) >>> 4;
    }
    if ((kind & 0x80) !== 0) this.#state = 'frames';
    return { bytes: 4 + bytes.readUIntBE(at + 1, 3), seconds: 0 };
  }

  #readFrame(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
    if (bytes[at] !== 0xff) return 'none';
    if (at + 2 > bytes.length) return 'more';
    const isVariable = bytes.readUInt8(at + 1) === 0xf9;
    if (!isVariable && bytes.readUInt8(at + 1) !== 0xf8) return 'none';
    if (at + frameHeadBytesMax > bytes.length) return 'more';
    const number = codedNumberAt(bytes, at + 4);
    // Bytes of a frame may look like a head: the number that is next is not there by chance.
    if (number?.value !== (isVariable ? this.#samples : this.#frames)) return 'none';
    const samples = samplesOf(bytes.readUInt8(at + 2) >>> 4, bytes, at + 4 + number.bytes) ?? this.#blockSamples;
    this.#frames++;
    this.#samples += samples;
    return { bytes: 4 + number.bytes, seconds: 0 };
  }
}

/** The size of a frame by its code; undefined where the file's own holds. */
function samplesOf(code: number, bytes: Buffer, at: number): number | undefined {
  if (code === 1) return 192;
  if (code >= 2 && code <= 5) return 576 << (code - 2);
  if (code === 6) return bytes.readUInt8(at) + 1;
  if (code === 7) return bytes.readUInt16BE(at) + 1;
  return code >= 8 ? 256 << (code - 8) : undefined;
}

/** A number written as UTF-8 writes characters, of up to 36 bits. */
function codedNumberAt(bytes: Buffer, at: number): { value: number; bytes: number } | undefined {
  const first = bytes.readUInt8(at);
  if (first < 0x80) return { value: first, bytes: 1 };
  const length = Math.clz32(~(first << 24));
  if (length < 2 || length > 7) return undefined;
  let value = first & (0x7f >>> length);
  for (let place = 1; place < length; place++) {
    const next = bytes.readUInt8(at + place);
    if (next >>> 6 !== 2) return undefined;
    value = value * 64 + (next & 0x3f);
  }
  return { value, bytes: length };
}
