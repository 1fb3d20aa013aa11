/** WAV: duration = sound bytes / bytes per frame / frames per second, from the RIFF chunks. */
import { InvalidMedia, unitsToMs, type MediaFacts } from './facts.ts';
import { readAt, type MediaReader } from './reader.ts';

/** Chunks besides `fmt ` and `data` are few; more is no recording. */
const chunksMax = 4_096;
const formatTags = { pcm: 1, float: 3, aLaw: 6, muLaw: 7, extensible: 0xfffe } as const;

interface WavFormat {
  tag: number;
  channels: number;
  framesPerSecond: number;
  frameBytes: number;
}

/**
 * Measures a WAV (RIFF or RF64; PCM, float, A-law or mu-law). A data chunk that claims more than the file holds, as of
 * a recorder that could not go back to write its size, counts with what is there.
 * Refuses with `InvalidMedia` a file without format, with another codec, or without sound.
 */
export async function probeWav(reader: MediaReader): Promise<MediaFacts> {
  let format: WavFormat | undefined;
  let position = 12;
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    const head = await readAt(reader, position, 8);
    if (head.length < 8) break;
    const name = head.toString('latin1', 0, 4);
    const claimedBytes = head.readUInt32LE(4);
    if (name === 'fmt ') format = parseFormat(await readAt(reader, position + 8, Math.min(claimedBytes, 40)));
    if (name === 'data') {
      if (format === undefined) break;
      const soundBytes = Math.min(claimedBytes, reader.bytes - position - 8);
      const durationMs = unitsToMs(Math.floor(soundBytes / format.frameBytes), format.framesPerSecond);
      if (durationMs === 0) throw new InvalidMedia('the WAV has no sound in it');
      return { mediaType: 'audio/wav', bytes: reader.bytes, durationMs, hasVideo: false, hasAudio: true };
    }
    position += 8 + claimedBytes + (claimedBytes & 1);
  }
  throw new InvalidMedia(`the WAV has no ${format === undefined ? 'format' : 'data'} chunk`);
}

function parseFormat(chunk: Buffer): WavFormat {
  if (chunk.length < 14) throw new InvalidMedia('the WAV has a broken format chunk');
  const outerTag = chunk.readUInt16LE(0);
  const tag = outerTag === formatTags.extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : outerTag;
  const format = {
    tag,
    channels: chunk.readUInt16LE(2),
    framesPerSecond: chunk.readUInt32LE(4),
    frameBytes: chunk.readUInt16LE(12),
  };
  const known: readonly number[] = [formatTags.pcm, formatTags.float, formatTags.aLaw, formatTags.muLaw];
  if (!known.includes(tag)) throw new InvalidMedia(`the WAV has an unknown codec (format tag ${tag})`);
  if (format.channels === 0 || format.framesPerSecond === 0 || format.frameBytes === 0) {
    throw new InvalidMedia('the WAV has a broken format chunk');
  }
  return format;
}
