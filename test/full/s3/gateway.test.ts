/** A whole gateway that keeps its files on an S3 server, which is killed at the worst moments. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Retained } from '../../../src/activities/activity-types.ts';
import { retainScheduleId } from '../../../src/temporal/retain-schedule.ts';
import { workerConnection } from '../../../src/temporal/worker-connection.ts';
import { auditEverything } from '../../../src/audit/whole-audit.ts';
import { fromTestRun } from '../../support/database.ts';
import { assertError } from '../../support/errors.ts';
import { answerOf, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, wav } from '../../support/media.ts';
import { until } from '../../support/process.ts';
import { everythingIn, type S3Server, startS3Server } from '../../support/s3-server.ts';
import { triggered } from '../../support/schedules.ts';

const talkPath = '/v1/svctalk/generate';
let server: S3Server;
let gateway: TestGateway;
/** Results are kept for that long; until a test wishes it, nothing is old. */
const kept = { ms: 86_400_000 };
let videoFile: Buffer;
let connection: Awaited<ReturnType<typeof workerConnection>>;
let client: Client;
before(async () => {
  server = await startS3Server();
  gateway = await startTestGateway({ env: server.env, retentionMs: () => kept.ms });
  videoFile = await mp4({ seconds: 1, hasAudio: false });
  const address = fromTestRun('TEMPORAL_ADDRESS');
  connection = await workerConnection({ ...gateway.core.environment.temporal, address });
  client = new Client({ connection });
});
after(async () => {
  await client.schedule.getHandle(retainScheduleId(gateway.core.queues)).delete();
  await connection.close();
  await gateway.stop();
  await server.stop();
});

const draw = (prompt = 'A gate', prefer = 'wait=60', of = gateway) =>
  of.post('/v1/images/generations', { model: 'sim-image', prompt, size: '1024x1024' }, { Prefer: prefer });
const makeTalk = (of = gateway) =>
  of.post('/v1/video/generations', { model: 'sim-video-fast', prompt: 'Cars', duration: 5 });

async function talk(of = gateway) {
  const form = new FormData();
  form.append('template_name', '不使用分身');
  form.append('audio', new Blob([wav({ seconds: 1 })]), 'voice.wav');
  form.append('video', new Blob([videoFile]), 'scene.mp4');
  return answerOf(await of.fetch(talkPath, { method: 'POST', body: form }));
}

const isReady = (of = gateway) =>
  until('readiness', async () => ((await of.get('/readyz')).status === 200 ? true : undefined));

/** Sends the audio and a video of 60 MiB but its last bytes, once parts of it are at the server. */
async function beginUpload() {
  const form = (name: string) =>
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`);
  const padding = Buffer.alloc(20 * 1024 * 1024);
  const box = Buffer.from('\0\0\0\0free', 'latin1');
  box.writeUInt32BE(box.length + 3 * padding.length);
  const rest = Buffer.concat([padding, Buffer.from('\r\n--b--\r\n')]);
  const parts = [
    form('audio'),
    wav({ seconds: 1 }),
    Buffer.from('\r\n'),
    form('video'),
    videoFile,
    box,
    padding,
    padding,
  ];
  const call = request(`${gateway.url}${talkPath}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'multipart/form-data; boundary=b' },
  });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  for (const part of parts) call.write(part);
  await until('parts at the server', async () => {
    const { unfinished } = await everythingIn(server.settings);
    return unfinished.some(({ parts: count }) => count > 0) ? true : undefined;
  });
  return { call, answered, rest };
}

/** Of the step that a task is in; none before its workflow has begun. */
async function attemptsOf(task: string): Promise<number> {
  try {
    const { raw } = await client.workflow.getHandle(task).describe();
    return Math.max(0, ...(raw.pendingActivities ?? []).map(({ attempt }) => Number(attempt)));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0;
    throw error;
  }
}

const unfinished = async () => (await everythingIn(server.settings)).unfinished;

async function assertAuditClean(of = gateway): Promise<void> {
  const { database, blobs, secrets } = of.core;
  const ledgerKeys = secrets.all.map(({ ledger }) => ledger);
  const parts = { database, blobs, ledgerKeys, temporal: 'left_out', fetchWindowMs: of.core.fetchWindowMs } as const;
  const report = await auditEverything(parts, { deep: true });
  assert.deepEqual(report.findings, []);
}

test('it is ready, and has no folder of blobs', async () => {
  await isReady();
  assert.ok(!(await readdir(gateway.dataDir)).includes('blobs'));
});

test('an image, a video and an avatar-talk with its uploads are kept there, and read back through the gateway', async () => {
  const image = await draw();
  assert.equal(image.status, 200, JSON.stringify(image.body));
  const link = String(image.body['data'][0].url);
  const whole = await fetch(link, { redirect: 'error' });
  assert.equal(whole.headers.get('content-type'), 'image/png');
  const bytes = Buffer.from(await whole.arrayBuffer());
  const part = await fetch(link, { headers: { Range: 'bytes=5-14' }, redirect: 'error' });
  assert.equal(part.status, 206);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(5, 15));

  const made = await makeTalk();
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { headers } = await fetch(String(made.body['content'][0].video_url), { method: 'HEAD' });
  assert.equal(headers.get('content-type'), 'video/mp4');

  const before = await gateway.blobs();
  const created = await talk();
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const video = await gateway.fetchedVideo(`${talkPath}/${String(created.body['id'])}`);
  assert.equal(video.status, 200);
  assert.ok((await video.arrayBuffer()).byteLength > 1_000);
  // Uploads and result go once it was fetched.
  await until('the end of its files', async () => ((await gateway.blobs()) === before ? true : undefined));
  await assertAuditClean();
});

test('a server that is killed in the middle of an upload: 503, and nothing is left when it is back', async () => {
  const before = await gateway.blobs();
  const { call, answered, rest } = await beginUpload();
  await server.kill();
  call.end(rest);
  const [answer] = await answered;
  const said = await text(answer);
  assert.equal(answer.statusCode, 503, said);
  const { status, body } = await gateway.get('/readyz');
  assert.equal(status, 503);
  assert.match(JSON.stringify(body), /blob store: ECONNREFUSED/);
  await server.startAgain();
  await isReady();
  // The server was away when the upload was to be given up there, so the retention does it, a day later.
  assert.equal((await unfinished()).length, 1);
  assert.equal(await gateway.core.blobs.removeStaleTemporaries(60_000), 0);
  assert.equal(await gateway.core.blobs.removeStaleTemporaries(0), 1);
  assert.deepEqual(await unfinished(), []);
  assert.ok((await gateway.blobs()) <= before + 1, 'the audio, at most, which the sweep takes');
  assert.equal((await talk()).status, 200);
});

test('a caller that disconnects in the middle of an upload leaves nothing behind', async () => {
  const before = await gateway.blobs();
  const { call, answered } = await beginUpload();
  answered.catch(() => undefined);
  call.on('error', () => undefined).destroy();
  await until('the end of the upload', async () => ((await unfinished()).length === 0 ? true : undefined));
  await until('the removal of the audio', async () => ((await gateway.blobs()) === before ? true : undefined));
});

test('a server that is away while results are collected loses none', async () => {
  await isReady();
  const accepted = await Promise.all([1, 2, 3].map(() => draw('A drill [sim:delay=2s]', 'wait=0')));
  const ids = accepted.map(({ body }) => String(body['id']));
  await server.kill();
  try {
    for (const id of ids) {
      await until('attempts that failed', async () => ((await attemptsOf(id)) >= 3 ? true : undefined));
      assert.equal((await gateway.get(`/v1/images/generations/${id}`)).body['status'], 'processing');
    }
  } finally {
    await server.startAgain();
  }
  for (const id of ids) {
    const { body } = await gateway.finished(`/v1/images/generations/${id}`);
    assert.equal(body['status'], 'succeeded', JSON.stringify(body));
    assert.equal((await fetch(String(body['data'][0].url))).status, 200);
  }
  await isReady();
  assert.deepEqual(await unfinished(), []);
  await assertAuditClean();
});

test('what is past its time is gone from the bucket, and its link says why', async () => {
  const { body } = await draw();
  kept.ms = 0;
  const id = await triggered(client, retainScheduleId(gateway.core.queues));
  kept.ms = 86_400_000;
  const counts = (await client.workflow.getHandle(id).result()) as Retained;
  assert.ok(counts.tasks >= 4, JSON.stringify(counts));
  assert.deepEqual(
    (await everythingIn(server.settings)).keys.filter((key) => /^results\/(img|vid)_/.test(key)),
    [],
  );
  assertError(await answerOf(await fetch(String(body['data'][0].url))), 'route_not_found');
});

describe('with an address for callers', () => {
  let open: TestGateway;
  before(async () => {
    // Only the private addresses of this arrangement are allowed.
    const env = { ...server.env, S3_PUBLIC_ENDPOINT: server.endpoint, TOLLGATE_ALLOW_PRIVATE_URLS: 'false' };
    open = await startTestGateway({ env });
  });
  after(() => open.stop());

  test('a link leads to the server for five minutes, with the type and the name of the file', async () => {
    const { body } = await draw('A gate', 'wait=60', open);
    const link = String(body['data'][0].url);
    assert.ok(link.startsWith(`${open.url}/files/`));
    const led = await fetch(link, { redirect: 'manual' });
    assert.equal(led.status, 302);
    assert.match(led.headers.get('cache-control') ?? '', /^private, max-age=([1-5]\d|60)$/);
    const there = new URL(led.headers.get('location') ?? '');
    assert.equal(there.origin, server.endpoint);
    assert.equal(there.searchParams.get('X-Amz-Expires'), '300');
    const whole = await fetch(link);
    assert.equal(whole.status, 200);
    assert.ok(whole.redirected);
    assert.equal(whole.headers.get('content-type'), 'image/png');
    assert.match(whole.headers.get('content-disposition') ?? '', /^inline; filename="img_\w+-0\.png"$/);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const part = await fetch(link, { headers: { Range: 'bytes=5-14' } });
    assert.equal(part.status, 206);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(5, 15));
    assert.equal((await fetch(link, { headers: { Range: 'bytes=99999999-' } })).status, 416);
    const head = await fetch(link, { method: 'HEAD', redirect: 'error' });
    assert.deepEqual(
      [head.status, head.headers.get('content-type'), head.headers.get('content-length')],
      [200, 'image/png', String(bytes.length)],
    );
    const forged = there.href.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')).replace('-0.png', '-1.png');
    assert.equal((await fetch(forged)).status, 403);
    for (const change of [/&s=.*/, /&e=\d+/]) {
      const answer = await fetch(link.replace(/[?&]s=./, (start) => `${start}x`).replace(change, ''), {
        redirect: 'manual',
      });
      assert.equal(answer.status, 404);
    }
  });

  test('our own link can be the input of a task: it is fetched through the redirect, past the guard', async () => {
    const { body } = await draw('A gate', 'wait=60', open);
    const image = String(body['data'][0].url);
    const edited = await open.post('/v1/images/generations', {
      model: 'sim-image',
      prompt: 'The same, at night',
      image,
    });
    assert.equal(edited.status, 200, JSON.stringify(edited.body));
  });

  test("an avatar-talk's video is sent by the gateway alone", async () => {
    const { status, body } = await talk(open);
    assert.equal(status, 200, JSON.stringify(body));
    const video = await open.fetchedVideo(`${talkPath}/${String(body['id'])}`);
    assert.equal(video.status, 200);
    assert.ok(!video.redirected);
    assert.ok((await video.arrayBuffer()).byteLength > 1_000);
  });

  test("the console's page may show files of that server", async () => {
    const { headers } = await fetch(`${open.url}/console/`);
    assert.ok(headers.get('content-security-policy')?.includes(`img-src 'self' data: blob: ${server.endpoint};`));
  });
});
