/** How long audio lasts that passes by: by the headers of its frames, without a byte of it being kept. */
import type { AudioFormat } from '../../domain/audio.ts';
import type { AudioCounter } from './frame-walk.ts';
import { AdtsCounter } from './adts-counter.ts';
import { FlacCounter } from './flac-counter.ts';
import { Mp3Counter } from './mp3-counter.ts';
import { OggCounter } from './ogg-counter.ts';
import { WavCounter } from './wav-counter.ts';
import { WebmCounter } from './webm-counter.ts';

/** Of raw samples, which don't say it: 24 kHz, 16 bits, one channel, as in the OpenAI API. */
const pcmBytesPerSecond = 48_000;
const headBytes = 12;

/**
 * Measures audio of the format that its first bytes show. Only raw samples can't be distinguished from anything else, so `asked`
 * says whether they were asked for.
 */
export class AudioLength {
  readonly #asked: AudioFormat;
  #head: Buffer = Buffer.alloc(0);
  #counter: AudioCounter | undefined;
  #isUnknown = false;

  constructor(asked: AudioFormat) {
    this.#asked = asked;
  }

  /** Whether what came is no audio that can be measured. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  push(bytes: Buffer): void {
    if (this.#isUnknown) return;
    if (this.#counter) {
      this.#counter.push(bytes);
      return;
    }
    this.#head = Buffer.concat([this.#head, bytes]);
    if (this.#head.length < headBytes) return;
    this.#counter = counterOf(this.#head, this.#asked);
    this.#isUnknown = this.#counter === undefined;
    this.#counter?.push(this.#head);
    this.#head = Buffer.alloc(0);
  }

  /** Whole seconds; a begun one counts. */
  get wholeSeconds(): number {
    return Math.ceil(this.#counter?.seconds ?? 0);
  }
}

function counterOf(head: Buffer, asked: AudioFormat): AudioCounter | undefined {
  const tag = (start: number, end: number) => head.toString('latin1', start, end);
  if (asked === 'pcm') return new PcmCounter();
  if (['RIFF', 'RF64'].includes(tag(0, 4)) && tag(8, 12) === 'WAVE') return new WavCounter();
  if (tag(0, 4) === 'OggS') return new OggCounter();
  if (tag(0, 4) === '\x1a\x45\xdf\xa3') return new WebmCounter();
  if (tag(0, 4) === 'fLaC') return new FlacCounter();
  if (tag(0, 3) === 'ID3') return new Mp3Counter();
  if (head[0] !== 0xff || ((head[1] ?? 0) & 0xe0) !== 0xe0) return undefined;
  // The two bits of the layer: none in AAC, and never none in MP3.
  return ((head[1] ?? 0) & 0x06) === 0 ? new AdtsCounter() : new Mp3Counter();
}

class PcmCounter implements AudioCounter {
  #bytes = 0;

  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
  }

  get seconds(): number {
    return this.#bytes / pcmBytesPerSecond;
  }
}
