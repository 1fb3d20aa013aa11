/** Uploads as large as they may be, made as they are sent, and the memory of the process that they go through. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mp4, png, wav } from './media.ts';
import type { Running } from './process.ts';

const boundary = 'the-boundary-of-this-test';

/** Sends audio and a video that is padded to so many bytes; fails unless the task was accepted. */
export async function uploadTalk({ url, key }: { url: string; key: string }, videoBytes: number): Promise<void> {
  const video = await mp4({ seconds: 1, hasAudio: false });
  const head = (name: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`);
  const box = Buffer.alloc(8);
  box.writeUInt32BE(videoBytes - video.length);
  box.write('free', 4, 'latin1');
  const before = [head('audio'), wav({ seconds: 1 }), Buffer.from('\r\n'), head('video'), video, box];
  const padding = videoBytes - video.length - box.length;
  await send(`${url}/v1/svctalk/generate`, { key, before, padding, status: 200 });
}

/** Sends an edit with one image that is padded to so many bytes; fails unless the task was accepted. */
export async function uploadEdit({ url, key }: { url: string; key: string }, imageBytes: number): Promise<void> {
  const image = await png({ width: 64, height: 48 });
  const head = (disposition: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`);
  const fields = Object.entries({ model: 'sim-image', prompt: 'Fog', size: '1024x1024' }).flatMap(([name, text]) => [
    head(`name="${name}"`),
    Buffer.from(`${text}\r\n`),
  ]);
  // A chunk that no reader knows lies between the header and the pixels.
  const headerEnd = 33;
  const chunk = Buffer.alloc(8);
  chunk.writeUInt32BE(imageBytes - image.length);
  chunk.write('teSt', 4, 'latin1');
  const before = [...fields, head('name="image"; filename="x.png"'), image.subarray(0, headerEnd), chunk];
  const behind = [Buffer.alloc(4), image.subarray(headerEnd)];
  await send(`${url}/ai/v1/images/edits`, { key, before, padding: imageBytes - image.length, behind, status: 202 });
}

/** Sends WAV of silence of so many bytes to be transcribed; fails unless its transcript came. */
export async function uploadRecording({ url, key }: { url: string; key: string }, audioBytes: number): Promise<void> {
  const head = wav({ seconds: 0 });
  head.writeUInt32LE(audioBytes - 8, 4);
  head.writeUInt32LE(audioBytes - head.length, 40);
  const before = [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nsim-transcription\r\n`),
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="x.wav"\r\n\r\n`),
    head,
  ];
  await send(`${url}/v1/audio/transcriptions`, { key, before, padding: audioBytes - head.length, status: 200 });
}

interface Upload {
  key: string;
  before: readonly Buffer[];
  /** Zeros behind them, so many bytes. */
  padding: number;
  behind?: readonly Buffer[];
  status: number;
}

async function send(address: string, { key, before, padding, behind = [], status }: Upload): Promise<void> {
  const after = [...behind, Buffer.from(`\r\n--${boundary}--\r\n`)];
  const length = [...before, ...after].reduce((sum, { byteLength }) => sum + byteLength, padding);
  const call = request(address, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': length,
    },
  });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(body()), call);
  const [answer] = await answered;
  assert.equal(answer.statusCode, status, await text(answer));

  function* body() {
    yield* before;
    const piece = Buffer.alloc(256 * 1024);
    for (let left = padding; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
    yield* after;
  }
}

/** Of a process: its resident memory now, and its peak since the last reset. */
export async function memoryMib({ child }: Running): Promise<[now: number, peak: number]> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const of = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024);
  return [of('VmRSS'), of('VmHWM')];
}

export const forgetPeak = ({ child }: Running): Promise<void> => writeFile(`/proc/${child.pid}/clear_refs`, '5');
