/** The form of an avatar-talk task whose video has any size: a real one, filled up with a box of nothing (`free`). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeVideo } from '../../src/simulator/encoding/video.ts';

const boundary = 'the-boundary-of-this-benchmark';
const pieceBytes = 256 * 1024;
const soundHz = 16_000;

export interface Form {
  type: string;
  bytes: number;
  pieces(): Generator<Buffer>;
}

/** A form with a video of so many bytes, made as it is read. */
export function formOf(video: Buffer, videoBytes: number): Form {
  const paddingBytes = videoBytes - video.length - 8;
  if (paddingBytes < 0) throw new RangeError(`a video has at least ${video.length + 8} bytes`);
  const box = Buffer.alloc(8);
  box.writeUInt32BE(paddingBytes + box.length);
  box.write('free', 4, 'latin1');
  const before = [part('audio'), audio(), Buffer.from('\r\n'), part('video'), video, box];
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  const padding = Buffer.alloc(pieceBytes);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: [...before, after].reduce((sum, { length }) => sum + length, paddingBytes),
    *pieces() {
      yield* before;
      for (let left = paddingBytes; left > 0; left -= pieceBytes) yield padding.subarray(0, Math.min(left, pieceBytes));
      yield after;
    },
  };
}

const part = (name: string): Buffer =>
  Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`);

/** A second of silence: 16-bit mono PCM. */
function audio(): Buffer {
  const wav = Buffer.alloc(44 + soundHz * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(soundHz, 24);
  wav.writeUInt32LE(soundHz * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(soundHz * 2, 40);
  return wav;
}

/** A real video of a second. */
export async function makeSampleVideo(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  try {
    const outputPath = join(folder, 'video.mp4');
    const card = { prompt: 'A video of a benchmark', top: 'bench', bottom: '640x360' };
    await makeVideo({ kind: 'video', width: 640, height: 360, durationMs: 1_000, hasAudio: false, card, outputPath });
    return await readFile(outputPath);
  } finally {
    await rm(folder, { recursive: true });
  }
}
