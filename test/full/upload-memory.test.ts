/** Uploads of the largest size that is taken, and many at once: the memory of the API process they go through hardly grows. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forgetPeak, memoryMib, uploadEdit, uploadRecording, uploadTalk } from '../support/large-uploads.ts';
import type { Running } from '../support/process.ts';
import { startTalkProcesses, type TalkProcesses } from '../support/talk-processes.ts';

const videoBytesMax = 500 * 1024 * 1024;
const growthMibMax = 50;

let processes: TalkProcesses;
let api: { running: Running; url: string };
before(async () => {
  processes = await startTalkProcesses();
  api = await processes.api();
});
after(() => processes.stop());

const upload = (bytes: number) => uploadTalk({ url: api.url, key: processes.key }, bytes);

test('an upload of 500 MiB grows the memory of its process by at most 50 MiB', async (t) => {
  await upload(videoBytesMax / 10); // what is loaded and compiled by the first one stays
  const [before] = await memoryMib(api.running);
  await forgetPeak(api.running);
  await upload(videoBytesMax);
  const [after, peak] = await memoryMib(api.running);
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= growthMibMax, `it grew by ${peak - before} MiB`);
});

test('three at once are taken as well', async (t) => {
  const [before] = await memoryMib(api.running);
  await forgetPeak(api.running);
  await Promise.all([1, 2, 3].map(() => upload(videoBytesMax)));
  const [after, peak] = await memoryMib(api.running);
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= 3 * growthMibMax, `it grew by ${peak - before} MiB`);
});

test('a hundred image edits at once, of 20 MiB each, grow it by at most 250 MiB', async (t) => {
  const edit = (bytes: number) => uploadEdit({ url: api.url, key: processes.key }, bytes);
  await edit(1024 * 1024);
  const [before] = await memoryMib(api.running);
  await forgetPeak(api.running);
  await Promise.all(Array.from({ length: 100 }, () => edit(20 * 1024 * 1024)));
  const [after, peak] = await memoryMib(api.running);
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= 250, `it grew by ${peak - before} MiB`);
});

test('a hundred recordings at once, of 20 MiB each, are transcribed and grow it by at most 250 MiB', async (t) => {
  const transcribe = (bytes: number) => uploadRecording({ url: api.url, key: processes.key }, bytes);
  await transcribe(1024 * 1024);
  const [before] = await memoryMib(api.running);
  await forgetPeak(api.running);
  await Promise.all(Array.from({ length: 100 }, () => transcribe(20 * 1024 * 1024)));
  const [after, peak] = await memoryMib(api.running);
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= 250, `it grew by ${peak - before} MiB`);
});
