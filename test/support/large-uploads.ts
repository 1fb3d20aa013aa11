/** Uploads as large as they may be, made as they are sent, and the memory of the process that they go through. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mp4, wav } from './media.ts';
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
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  const padding = videoBytes - video.length - box.length;
  const length = [...before, after].reduce((sum, { byteLength }) => sum + byteLength, padding);
  const call = request(`${url}/v1/svctalk/generate`, {
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
  assert.equal(answer.statusCode, 200, await text(answer));

  function* body() {
    yield* before;
    const piece = Buffer.alloc(256 * 1024);
    for (let left = padding; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
    yield after;
  }
}

/** Of a process: its resident memory now, and its peak since the last reset. */
export async function memoryMib({ child }: Running): Promise<[now: number, peak: number]> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const of = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024);
  return [of('VmRSS'), of('VmHWM')];
}

export const forgetPeak = ({ child }: Running): Promise<void> => writeFile(`/proc/${child.pid}/clear_refs`, '5');
