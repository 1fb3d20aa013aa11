/** Tasks that are done, with a result of any size, and downloads of them that break off. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { TaskId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { newBlobKey } from '../../src/postgres/new-ids.ts';
import { admissionOf, type Customer, successOf } from './money.ts';
import { openSocket } from './raw-http.ts';
import type { Chance } from './seeded.ts';

const piece = Buffer.alloc(65_536, 'a video ');

export interface Talk {
  id: TaskId;
  path: string;
  bytes: number;
  sha256: string;
  /** Of its result and its two uploads. */
  blobKeys: string[];
}

/** Admits a task and ends it in success, as a worker would, with a video of so many bytes. */
export async function finishedTalk({ ledger, blobs }: Parts, customer: Customer, bytes: number): Promise<Talk> {
  const stored = async (folder: string, size: number, mediaType: string) => {
    const { key, sha256 } = await blobs.write(newBlobKey(folder), Readable.from(pieces(size)), { bytesMax: size });
    return { blobKey: key, sha256, bytes: size, mediaType, durationMs: 1_000 };
  };
  const audio = await stored('uploads', 10, 'audio/wav');
  const video = await stored('uploads', 10, 'video/mp4');
  const result = await stored('results', bytes, 'video/mp4');
  const admission = admissionOf(customer, 10n, { kind: 'avatar_talk' });
  const answer = await ledger.admitTask({ ...admission, task: { ...admission.task, uploads: { audio, video } } });
  if (answer.admitted !== 'new') throw new Error(`the task was not admitted: ${answer.admitted}`);
  const success = successOf(customer, answer.taskId, 10n, { unit: 'second' });
  await ledger.settleTask({ ...success, price: micros(10n), durationMs: 1_000, files: [result] });
  const blobKeys = [result, audio, video].map(({ blobKey }) => blobKey);
  return {
    ...{ id: answer.taskId, path: `/v1/svctalk/generate/${answer.taskId}`, bytes, blobKeys },
    sha256: result.sha256,
  };
}

/** Ends an image task in success with one file of so many bytes, which its caller wants inside of the answer. */
export async function finishedImage({ ledger, blobs }: Parts, customer: Customer, bytes: number): Promise<TaskId> {
  const { key, sha256 } = await blobs.write(newBlobKey('results'), Readable.from(pieces(bytes)), { bytesMax: bytes });
  const { task, ...admission } = admissionOf(customer, 10n);
  const request = { ...(task.request as object), responseFormat: 'b64_json' };
  const answer = await ledger.admitTask({ ...admission, task: { ...task, request } });
  if (answer.admitted !== 'new') throw new Error(`the task was not admitted: ${answer.admitted}`);
  const files = [{ blobKey: key, sha256, bytes, mediaType: 'image/png', width: 1024, height: 1024 }];
  await ledger.settleTask({ ...successOf(customer, answer.taskId, 10n), price: micros(10n), files });
  return answer.taskId;
}

interface Parts {
  ledger: Ledger;
  blobs: BlobStore;
}

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

/** How a download ends before its time. */
export const manners = [
  'a reset',
  'a close',
  'a close after a pause',
  'an end of its own side, then a close',
  'an end of its own side, then a reset',
] as const;
export type Manner = (typeof manners)[number];

/** Reads so many bytes of a download and breaks it off, so long after that; returns how many came, head included. */
export async function breakOff(
  { url, path, key, closes }: { url: string; path: string; key: string; closes: boolean },
  bytes: number,
  manner: Manner,
  afterMs = 0,
): Promise<number> {
  const { hostname, port } = new URL(url);
  let read = 0;
  let stop: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => (stop = resolve));
  const take = (count: number) => {
    read += count;
    if (read < bytes) return true;
    stop();
    return false;
  };
  // Small reads, or a short download would always come whole.
  const onread = { buffer: Buffer.alloc(4_096), callback: take };
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
  socket.on('error', () => undefined).once('close', stop);
  const more = closes ? 'Connection: close\r\n' : '';
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`);
  await enough;
  if (afterMs > 0) await pause(afterMs);
  if (manner === 'a close after a pause') await pause(50); // all that fits is in the kernel's buffers by then
  if (manner.startsWith('an end')) {
    socket.end();
    await pause(20);
  }
  if (manner.endsWith('a reset')) socket.resetAndDestroy();
  else socket.destroy();
  return read;
}

/** Downloads a task whole; the answer's status, and the SHA-256 of its body. */
export async function download(url: string, path: string, key: string): Promise<{ status: number; sha256: string }> {
  const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const hash = createHash('sha256');
  for await (const chunk of response.body ?? []) hash.update(chunk as Uint8Array);
  return { status: response.status, sha256: hash.digest('hex') };
}

/** A download that has begun, and is not read on. */
export async function stalled({ url, path, key }: { url: string; path: string; key: string }): Promise<Socket> {
  const socket = await openSocket(url);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await once(socket, 'data');
  return socket.pause();
}

/** Breaks a task's downloads off at random points; after each, whether the task may be fetched again is for `check`. */
export async function breakOffOften(
  { url, path, key, bytes }: { url: string; path: string; key: string; bytes: number },
  { times, chance, check }: { times: number; chance: Chance; check: (what: string) => Promise<void> },
): Promise<void> {
  for (let time = 0; time < times; time++) {
    const manner = chance.of(manners);
    const closes = chance.below(2) === 1;
    // Every fourth has all of a short video in the kernel's buffers: nothing of it is read.
    const at = chance.below(4) === 0 ? 1 : chance.below(bytes - 8_192);
    const read = await breakOff({ url, path, key, closes }, at, manner);
    await check(`${manner}${closes ? ', with Connection: close,' : ''} after ${read} of ${bytes} bytes`);
  }
}
