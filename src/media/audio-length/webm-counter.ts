/**
 * WebM and Matroska (RFC 9559) that pass by: by the times of the blocks of their first audio track, and by its Opus packets,
 * whichever is longer. What browsers record has no duration in its header, and one that is there may be wrong.
 */
import { type AudioCounter, type FrameHead, FrameWalk } from './frame-walk.ts';
import { opusHeadBytes, opusPacketSeconds } from './opus-packet.ts';

const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  cluster: 0x1f43b675,
  clusterTimestamp: 0xe7,
  blockGroup: 0xa0,
  block: 0xa1,
  simpleBlock: 0xa3,
} as const;
/** What holds others is gone into; a browser doesn't know the size of its segment, or of a cluster, when it writes them. */
const containers: ReadonlySet<number> = new Set([
  ...[ids.segment, ids.info, ids.tracks, ids.trackEntry, ids.cluster, ids.blockGroup],
]);
const numbers: ReadonlySet<number> = new Set([
  ...[ids.timestampScale, ids.trackNumber, ids.trackType, ids.clusterTimestamp],
]);
const numberBytesMax = 8;
/** `A_OPUS`, and a zero or two that may pad it. */
const codecBytesMax = 32;
/** Of a block: its track's number, its time and its flags, and then the first bytes of a packet. */
const blockHeadBytesMax = 8 + 3 + opusHeadBytes;
const laced = 0x06;
const audioType = 2;
const nanosecondsPerSecond = 1e9;
const timestampScaleDefault = 1_000_000;

interface Track {
  number: number;
  isAudio: boolean;
  isOpus: boolean;
}

export class WebmCounter implements AudioCounter {
  /** Nanoseconds of one unit of time. */
  #scale = timestampScaleDefault;
  /** The last one whose entry came, and the first one of audio. */
  #entry: Track = newTrack();
  #audio: Track | undefined;
  #clusterTime = 0;
  #firstTime: number | undefined;
  #lastTime = 0;
  /** Between the last two times: how long the last block lasts, as far as is known. */
  #step = 0;
  readonly #walk = new FrameWalk((bytes, at) => this.#read(bytes, at));

  push(bytes: Buffer): void {
    this.#walk.push(bytes);
  }

  get seconds(): number {
    if (this.#firstTime === undefined) return 0;
    const units = this.#lastTime - this.#firstTime + this.#step;
    return Math.max(this.#walk.seconds, (units * this.#scale) / nanosecondsPerSecond);
  }

  #read(bytes: Buffer, at: number): FrameHead | 'none' | 'more' {
    const idLength = lengthOfNumber(bytes[at]);
    if (idLength === undefined || idLength > 4) return 'none';
    if (at + idLength + 1 > bytes.length) return 'more';
    const sizeLength = lengthOfNumber(bytes[at + idLength]);
    if (sizeLength === undefined) return 'none';
    const body = at + idLength + sizeLength;
    if (body > bytes.length) return 'more';
    const id = bytes.readUIntBE(at, idLength);
    if (containers.has(id)) {
      if (id === ids.trackEntry) this.#entry = newTrack();
      return { bytes: body - at, seconds: 0 };
    }
    const size = numberAt(bytes, at + idLength, sizeLength);
    const isBlock = id === ids.simpleBlock || id === ids.block;
    const needed = isBlock ? blockHeadBytesMax : neededOf(id);
    if (body + Math.min(size, needed) > bytes.length) return 'more';
    const content = bytes.subarray(body, body + Math.min(size, needed));
    const whole = body - at + size;
    if (isBlock) return { bytes: whole, seconds: this.#block(content) };
    this.#note(id, content);
    return { bytes: whole, seconds: 0 };
  }

  #note(id: number, content: Buffer): void {
    if (id === ids.timestampScale) this.#scale = plainNumber(content);
    else if (id === ids.clusterTimestamp) this.#clusterTime = plainNumber(content);
    else if (id === ids.trackNumber) this.#entry.number = plainNumber(content);
    else if (id === ids.trackType) this.#entry.isAudio = plainNumber(content) === audioType;
    else if (id === ids.codec) this.#entry.isOpus = content.toString('latin1').startsWith('A_OPUS');
    else return;
    // The parts of an entry may come in any order.
    if (this.#audio === undefined && this.#entry.isAudio) this.#audio = this.#entry;
  }

  /** Seconds of the Opus packet of a block of the audio track; of others the time alone counts. */
  #block(content: Buffer): number {
    const length = lengthOfNumber(content[0]);
    if (length === undefined || content.length < length + 3 || this.#audio === undefined) return 0;
    if (numberAt(content, 0, length) !== this.#audio.number) return 0;
    const time = this.#clusterTime + content.readInt16BE(length);
    this.#firstTime ??= time;
    if (time > this.#lastTime) {
      this.#step = time - Math.max(this.#lastTime, this.#firstTime);
      this.#lastTime = time;
    }
    const isLaced = (content.readUInt8(length + 2) & laced) !== 0;
    const [first, second = 0] = content.subarray(length + 3);
    return this.#audio.isOpus && !isLaced && first !== undefined ? opusPacketSeconds(first, second) : 0;
  }
}

const newTrack = (): Track => ({ number: 0, isAudio: false, isOpus: false });

function neededOf(id: number): number {
  if (numbers.has(id)) return numberBytesMax;
  return id === ids.codec ? codecBytesMax : 0;
}

/** How many bytes a number of EBML takes, by its first one (RFC 8794, section 4); undefined where none begins. */
function lengthOfNumber(first: number | undefined): number | undefined {
  return first === undefined || first === 0 ? undefined : Math.clz32(first) - 23;
}

/** Such a number without the mark of its length. */
function numberAt(bytes: Buffer, at: number, length: number): number {
  let value = bytes.readUInt8(at) & (0xff >>> length);
  for (let place = 1; place < length; place++) value = value * 256 + bytes.readUInt8(at + place);
  return value;
}

/** The content of an element that is a number. */
const plainNumber = (content: Buffer): number => content.reduce((value, byte) => value * 256 + byte, 0);
