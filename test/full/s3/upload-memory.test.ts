/** Uploads that go on to an S3 server: the process that they go through holds a few parts of them, and no more. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forgetPeak, memoryMib, uploadTalk } from '../../support/large-uploads.ts';
import type { Running } from '../../support/process.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import { startTalkProcesses, type TalkProcesses } from '../../support/talk-processes.ts';

const videoBytes = 300 * 1024 * 1024;
/** Parts of 8 MiB: one on its way, one that fills, a copy, and what the collector has not looked at yet. */
const growthMibMax = 80;

let server: S3Server;
let processes: TalkProcesses;
let api: { running: Running; url: string };
before(async () => {
  server = await startS3Server();
  processes = await startTalkProcesses(server.env);
  api = await processes.api();
});
after(async () => {
  await processes.stop();
  await server.stop();
});

const upload = (bytes: number) => uploadTalk({ url: api.url, key: processes.key }, bytes);

test('an upload of 300 MiB grows the memory of its process by at most 80 MiB', async (t) => {
  await upload(videoBytes / 5); // what is loaded and compiled by the first one stays
  const [before] = await memoryMib(api.running);
  await forgetPeak(api.running);
  await upload(videoBytes);
  const [after, peak] = await memoryMib(api.running);
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= growthMibMax, `it grew by ${peak - before} MiB`);
});

test('three at once are taken as well', async (t) => {
  const [before] = await memoryMib(api.running);
  await forgetPeak(api.running);
  await Promise.all([1, 2, 3].map(() => upload(videoBytes)));
  const [after, peak] = await memoryMib(api.running);
  t.diagnostic(`before ${before} MiB, peak ${peak} MiB (+${peak - before}), after ${after} MiB`);
  assert.ok(peak - before <= 3 * growthMibMax, `it grew by ${peak - before} MiB`);
});
