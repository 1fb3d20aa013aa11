/** MP3 that passes by: frame by frame. */
import { frameHeaderAt } from '../mp3-frames.ts';
import { type AudioCounter, type FrameHead, FrameWalk } from './frame-walk.ts';

/** An encoder's first frame may carry a tag in the place of audio; it ends this near to its beginning. */
const tagEndBytes = 40;
const informationTags = ['Xing', 'Info'];
const id3HeadBytes = 10;

export class Mp3Counter implements AudioCounter {
  #isFirst = true;
  readonly #walk = new FrameWalk((bytes, at) => this.#read(bytes, at));

  push(bytes: Buffer): void {
    this.#walk.push(bytes);
  }

  get seconds(): number {
    return this.#walk.seconds;
  }

  #read(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
    if (at + (this.#isFirst ? tagEndBytes : 4) > bytes.length) return 'more';
    if (this.#isFirst && bytes.toString('latin1', at, at + 3) === 'ID3') return id3At(bytes, at);
    const header = frameHeaderAt(bytes, at);
    if (header === undefined || !header.isLayer3 || header.bytes === 0) return 'none';
    const tag = (place: number) => bytes.toString('latin1', at + place, at + place + 4);
    const isInformation = this.#isFirst && (informationTags.includes(tag(header.tagOffset)) || tag(36) === 'VBRI');
    this.#isFirst = false;
    return { bytes: header.bytes, seconds: isInformation ? 0 : header.samples / header.samplesPerSecond };
  }
}

/** An ID3v2 tag: its size is four times seven bits. */
function id3At(bytes: Buffer, at: number): FrameHead {
  const size = [6, 7, 8, 9].reduce((sum, place) => sum * 128 + (bytes.readUInt8(at + place) & 0x7f), 0);
  return { bytes: id3HeadBytes + size, seconds: 0 };
}
