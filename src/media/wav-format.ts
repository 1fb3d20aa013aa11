/** The format chunk of a WAV, taken only where all of it says the same: decoders go by its fields one by one. */
import { InvalidMedia } from './facts.ts';

const formatTags = { pcm: 1, float: 3, aLaw: 6, muLaw: 7, extensible: 0xfffe } as const;
/** A plain chunk without the field is of 8 bits. */
const bitsDefault = 8;
/** Four times what the best converters sample at. */
const framesPerSecondMax = 768_000;

export interface WavFormat {
  framesPerSecond: number;
  frameBytes: number;
}

/**
 * Reads PCM of 1 to 32 or 64 bits, float of 32 or 64, A-law and mu-law of 8. Refuses with `InvalidMedia` other codecs, a
 * frame that isn't as large as its samples, and a byte rate that isn't frames times their size.
 */
export function readWavFormat(chunk: Buffer): WavFormat {
  if (chunk.length < 14) throw new InvalidMedia('the WAV has an invalid format chunk');
  const outerTag = chunk.readUInt16LE(0);
  const tag = outerTag === formatTags.extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : outerTag;
  const channels = chunk.readUInt16LE(2);
  const framesPerSecond = chunk.readUInt32LE(4);
  const bytesPerSecond = chunk.readUInt32LE(8);
  const frameBytes = chunk.readUInt16LE(12);
  const bits = chunk.length >= 16 ? chunk.readUInt16LE(14) : bitsDefault;
  if (channels === 0 || framesPerSecond === 0 || framesPerSecond > framesPerSecondMax) {
    throw new InvalidMedia('the WAV has an invalid format chunk');
  }
  const sampleBytes = bytesOfSample(tag, bits);
  if (frameBytes !== channels * sampleBytes) {
    const expected = channels * sampleBytes;
    throw new InvalidMedia(`the WAV declares ${frameBytes} bytes per frame, but its samples take ${expected}`);
  }
  if (bytesPerSecond !== framesPerSecond * frameBytes) {
    throw new InvalidMedia(`the WAV declares ${bytesPerSecond} bytes per second, which does not match its samples`);
  }
  return { framesPerSecond, frameBytes };
}

function bytesOfSample(tag: number, bits: number): number {
  if (!takesBits(tag, bits))
    throw new InvalidMedia(`the WAV has ${bits}-bit samples, which its codec does not support`);
  return Math.ceil(bits / 8);
}

function takesBits(tag: number, bits: number): boolean {
  switch (tag) {
    case formatTags.pcm:
      return (bits >= 1 && bits <= 32) || bits === 64;
    case formatTags.float:
      return bits === 32 || bits === 64;
    case formatTags.aLaw:
    case formatTags.muLaw:
      return bits === 8;
    default:
      throw new InvalidMedia(`the WAV has an unknown codec (format tag ${tag})`);
  }
}
