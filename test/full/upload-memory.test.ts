/** Uploads of the largest size that is taken: the memory of the API process they go through hardly grows. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import { mp4, wav } from '../support/media.ts';
import type { Running } from '../support/process.ts';
import { startTalkProcesses, type TalkProcesses } from '../support/talk-processes.ts';

const mebibyte = 1024 * 1024;
const video_bytes_max = 500 * mebibyte;
const growth_mib_max = 50;
const boundary = 'the-boundary-of-this-test';

let processes: TalkProcesses;
let api: { running: Running; url: string };
let film: Buffer;
before(async () => {
  film = await mp4({ seconds: 1, hasSound: false });
  processes = await startTalkProcesses();
  api = await processes.api();
});
after(() => processes.stop());

test('an upload of 500 MiB grows the memory of its process by at most 50 MiB', async (t) => {
  await upload(video_bytes_max / 10); // what is loaded and compiled by the first one stays
  const [before] = await memoryMib();
  await forgetPeak();
  await upload(video_bytes_max);
  const [after, peak] = await memoryMib();
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= growth_mib_max, `it grew by ${peak - before} MiB`);
});

test('three at once are taken as well', async (t) => {
  const [before] = await memoryMib();
  await forgetPeak();
  await Promise.all([1, 2, 3].map(() => upload(video_bytes_max)));
  const [after, peak] = await memoryMib();
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= 3 * growth_mib_max, `it grew by ${peak - before} MiB`);
});

/** Sends a sound and a film that is padded to so many bytes, made as they are sent. */
async function upload(videoBytes: number): Promise<void> {
  const head = (name: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`);
  const box = Buffer.alloc(8);
  box.writeUInt32BE(videoBytes - film.length);
  box.write('free', 4, 'latin1');
  const before = [head('audio'), wav({ seconds: 1 }), Buffer.from('\r\n'), head('video'), film, box];
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  const padding = videoBytes - film.length - box.length;
  const length = [...before, after].reduce((sum, { byteLength }) => sum + byteLength, padding);
  const call = request(`${api.url}/v1/svctalk/generate`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${processes.key}`,
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

/** Of the API process: its resident memory now, and at most since it was last told to forget. */
async function memoryMib(): Promise<[now: number, peak: number]> {
  const status = await readFile(`/proc/${api.running.child.pid}/status`, 'utf8');
  const of = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024);
  return [of('VmRSS'), of('VmHWM')];
}

const forgetPeak = () => writeFile(`/proc/${api.running.child.pid}/clear_refs`, '5');
