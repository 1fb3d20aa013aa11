/** WAV: duration = audio bytes / bytes per frame / frames per second, from the RIFF chunks. */
import { InvalidMedia, unitsToMs, type MediaFacts } from './facts.ts';
import { readAt, type MediaReader } from './reader.ts';
import { readWavFormat, type WavFormat } from './wav-format.ts';

/** Chunks besides `fmt ` and `data` are few; more is no recording. */
const chunksMax = 4_096;
/** A writer that streams can't know the size of its data, and says this. */
const unknownBytes = 0xffffffff;
const zeros = Buffer.alloc(65_536);

/**
 * Measures a WAV (RIFF or RF64; PCM, float, A-law or mu-law) as decoders play it. A data chunk that claims more than the
 * file holds, as of a recorder that could not go back to write its size, counts with what is there.
 * Refuses with `InvalidMedia` a file without format, with another codec, without audio, or that decoders would play for
 * another time than its headers say: sizes that contradict each other, a second format, a second data chunk.
 */
export async function probeWav(reader: MediaReader): Promise<MediaFacts> {
  const isLarge = (await readAt(reader, 0, 4)).toString('latin1') === 'RF64';
  let format: WavFormat | undefined;
  let largeBytes: number | undefined;
  let position = 12;
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    const head = await readAt(reader, position, 8);
    if (head.length < 8) break;
    const name = head.toString('latin1', 0, 4);
    const claimedBytes = head.readUInt32LE(4);
    if (name === 'ds64' && isLarge && largeBytes === undefined) largeBytes = await readLargeBytes(reader, position + 8);
    if (name === 'fmt ') {
      if (format !== undefined) throw new InvalidMedia('the WAV has two format chunks');
      format = readWavFormat(await readAt(reader, position + 8, Math.min(claimedBytes, 40)));
    }
    if (name === 'data') {
      if (format === undefined) break;
      const start = position + 8;
      const saidBytes = isLarge ? bytesOfLarge(claimedBytes, largeBytes) : claimedBytes;
      await requireNoMore(reader, start + saidBytes, chunksMax - chunk);
      const soundBytes = Math.min(saidBytes, reader.bytes - start);
      const durationMs = unitsToMs(Math.floor(soundBytes / format.frameBytes), format.framesPerSecond);
      if (durationMs === 0) throw new InvalidMedia('the WAV has no audio');
      return { mediaType: 'audio/wav', bytes: reader.bytes, durationMs, hasVideo: false, hasAudio: true };
    }
    position += 8 + claimedBytes + (claimedBytes & 1);
  }
  throw new InvalidMedia(`the WAV has no ${format === undefined ? 'format' : 'data'} chunk`);
}

/** The size of the data in 64 bits (EBU Tech 3306), which stands behind the one of the file. */
async function readLargeBytes(reader: MediaReader, start: number): Promise<number | undefined> {
  const content = await readAt(reader, start, 16);
  return content.length === 16 ? Number(content.readBigUInt64LE(8)) : undefined;
}

/** In an RF64 decoders go by the 64 bits, whatever the chunk itself says. */
function bytesOfLarge(claimedBytes: number, largeBytes: number | undefined): number {
  if (largeBytes === undefined) throw new InvalidMedia('the RF64 has no ds64 chunk');
  if (claimedBytes !== unknownBytes && claimedBytes !== largeBytes) {
    throw new InvalidMedia('the RF64 has two different data sizes');
  }
  return largeBytes;
}

/**
 * Refuses a second data or format chunk: decoders play the last one, or one after the other. Behind data of an odd size
 * some look for the next chunk a byte too early, so both places are tried.
 */
async function requireNoMore(reader: MediaReader, end: number, chunksLeft: number): Promise<void> {
  for (const start of end % 2 === 0 ? [end] : [end, end + 1]) {
    let position = start;
    for (let chunk = 0; position + 8 <= reader.bytes; chunk++) {
      if (chunk === chunksLeft) throw new InvalidMedia('the WAV has too many chunks');
      position = await afterZeros(reader, position);
      const head = await readAt(reader, position, 8);
      if (head.length < 8) break;
      const name = head.toString('latin1', 0, 4);
      if (name === 'data' || name === 'fmt ') throw new InvalidMedia(`the WAV has a second '${name}' chunk`);
      const bytes = head.readUInt32LE(4);
      position += 8 + bytes + (bytes & 1);
    }
  }
}

/** Padding is read as empty chunks, of eight bytes each. */
async function afterZeros(reader: MediaReader, start: number): Promise<number> {
  for (let position = start; ;) {
    const window = await readAt(reader, position, zeros.length);
    if (window.length === zeros.length && window.equals(zeros)) {
      position += window.length;
      continue;
    }
    const first = window.findIndex((byte) => byte !== 0);
    return first === -1 ? reader.bytes : position + first - (first % 8);
  }
}
