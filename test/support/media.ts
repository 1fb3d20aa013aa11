/** Media files for tests, made without any outside program. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateSync } from 'node:zlib';
import jpeg from 'jpeg-js';
import { encodePng } from '../../src/simulator/png.ts';

/** A WAV of a tone: 16 bits, one channel unless said otherwise. */
export function wav({ seconds, hz = 440, samplesPerSecond = 44_100, channels = 1 }: WavOptions): Buffer {
  const frames = Math.round(seconds * samplesPerSecond);
  const soundBytes = frames * channels * 2;
  const file = Buffer.alloc(44 + soundBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + soundBytes, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(samplesPerSecond, 24);
  file.writeUInt32LE(samplesPerSecond * channels * 2, 28);
  file.writeUInt16LE(channels * 2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(soundBytes, 40);
  for (let at = 0; at < frames * channels; at++) {
    const time = Math.floor(at / channels) / samplesPerSecond;
    file.writeInt16LE(Math.round(8_000 * Math.sin(2 * Math.PI * hz * time)), 44 + at * 2);
  }
  return file;
}

interface WavOptions {
  seconds: number;
  hz?: number;
  samplesPerSecond?: number;
  channels?: number;
}

/** An MP3 of silence at 128 kbit/s and 44.1 kHz, mono: whole frames of 1152 samples, none longer than `seconds`. */
export function mp3({ seconds }: { seconds: number }): Buffer {
  const frame = Buffer.alloc(417);
  // MPEG-1, layer III, no checksum; 128 kbit/s, 44.1 kHz, no padding; mono. All-zero side information is silence.
  frame.writeUInt32BE(0xfffb90c4, 0);
  return Buffer.concat(Array<Buffer>(Math.floor((seconds * 44_100) / 1_152)).fill(frame));
}

/** An H.264 MP4 of 640x360 by the simulator's encoder, with a tone unless said otherwise. */
export async function mp4({ seconds, hasAudio = true }: { seconds: number; hasAudio?: boolean }): Promise<Buffer> {
  // Imported when needed: it brings WebAssembly, which most tests of media can do without.
  const { makeVideo } = await import('../../src/simulator/encoding/video.ts');
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-media-'));
  try {
    const outputPath = join(folder, 'video.mp4');
    const card = { prompt: `A test of ${seconds} s`, top: 'test', bottom: '640x360' };
    await makeVideo({
      kind: 'video',
      width: 640,
      height: 360,
      durationMs: seconds * 1_000,
      hasAudio,
      card,
      outputPath,
    });
    return await readFile(outputPath);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A PNG whose colours change from left to right and from top to bottom. */
export function png({ width, height }: { width: number; height: number }): Promise<Buffer> {
  return buffer(encodePng({ width, height, rows: gradient(width, height) }));
}

/** A PNG of one colour, transparent where `isClear` says so: a mask as OpenAI's clients send it. */
export function maskPng(width: number, height: number, isClear: (x: number, y: number) => boolean): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (1 + width * 4) + 1 + x * 4 + 3] = isClear(x, y) ? 0 : 255;
  }
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The same image as JPEG. */
export function jpg({ width, height }: { width: number; height: number }): Buffer {
  const data = Buffer.alloc(width * height * 4, 255);
  let at = 0;
  for (const row of gradient(width, height)) {
    for (let x = 0; x < width; x++, at += 4) data.set(row.subarray(x * 3, x * 3 + 3), at);
  }
  return jpeg.encode({ width, height, data }, 90).data;
}

/** The first part of a file, as of a download or upload that broke off. */
export const truncated = (file: Buffer, part = 0.6): Buffer => file.subarray(0, Math.floor(file.length * part));

/** A text file that is sent as `song.wav`. */
export const textFile = Buffer.from('Dear reader,\nthis is a text and neither audio nor an image.\n'.repeat(40));

function* gradient(width: number, height: number): Generator<Uint8Array> {
  for (let y = 0; y < height; y++) {
    const row = Buffer.alloc(width * 3, 128);
    for (let x = 0; x < width; x++) row.set([(255 * x) / width, (255 * y) / height], x * 3);
    yield row;
  }
}
