import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { probeMedia } from '../../src/media/probe.ts';
import { bytesReader } from '../../src/media/reader.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp3, mp4, wav } from '../support/media.ts';

const path = '/v1/svctalk/generate';
let gateway: TestGateway;
let video: Buffer;
let short: Buffer;
before(async () => {
  gateway = await startTestGateway();
  video = await mp4({ seconds: 1, hasAudio: false });
  short = wav({ seconds: 1 });
});
after(() => gateway.stop());

const create = async (
  key: string,
  parts: { audio?: Buffer; template_name?: string; model?: string } = {},
  root = '/v1',
) => {
  const { audio = short, ...fields } = parts;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('audio', new Blob([audio]), 'voice.bin');
  form.append('video', new Blob([video]), 'scene.bin');
  return answerOf(
    await gateway.fetch(`${root}/svctalk/generate`, { method: 'POST', headers: bearer(key), body: form }),
  );
};

/** A key of a new account, and the address of a task of its that is done. */
async function finishedTask(parts: Parameters<typeof create>[1] = {}) {
  const { key } = await gateway.newKey({ balance: '100' });
  const { status, body } = await create(key, parts);
  assert.equal(status, 200, JSON.stringify(body));
  const address = `${path}/${String(body['id'])}`;
  for (let tries = 0; ; tries++) {
    assert.ok(tries < 600, 'not done after a minute');
    const head = await gateway.fetch(address, { method: 'HEAD', headers: bearer(key) });
    if (head.headers.get('content-type') === 'video/mp4') return { key, address, id: String(body['id']) };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('a task runs until its video is fetched, once, with its length, tokens and cost', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const creation = await create(key, { audio: wav({ seconds: 12.4 }), template_name: '不使用分身 [sim:delay=500ms]' });
  const { id } = creation.body;
  assert.deepEqual(
    { status: creation.status, body: creation.body },
    { status: 200, body: { id, status: 'processing' } },
  );
  assert.match(String(id), /^avt_[0-9a-f]{32}$/);
  assert.deepEqual(await gateway.money(key), { balance: 9.38, held: 0.62 });
  const address = `${path}/${String(id)}`;
  const running = await gateway.get(address, bearer(key));
  assert.deepEqual({ status: running.status, body: running.body }, { status: 200, body: { id, status: 'processing' } });

  const response = await untilVideo(address, key);
  const file = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200);
  assert.deepEqual(shownBy(response), {
    type: 'video/mp4',
    bytes: String(file.length),
    duration: '12.4',
    tokens: '12400',
    cost: '0.62',
  });
  const facts = await probeMedia(bytesReader(file));
  assert.deepEqual([facts.mediaType, facts.durationMs, facts.hasAudio], ['video/mp4', 12_400, true]);
  assert.deepEqual(await gateway.money(key), { balance: 9.38, held: 0 });

  assertError(await gateway.get(address, bearer(key)), 'task_not_found');
  assert.equal((await gateway.fetch(address, { method: 'HEAD', headers: bearer(key) })).status, 404);
  assert.deepEqual(await gateway.money(key), { balance: 9.38, held: 0 });
  const entries = (await gateway.get('/v1/account/ledger', bearer(key))).body['data'] as Record<string, unknown>[];
  assert.deepEqual(
    entries.map(({ type, charged }) => [type, charged]),
    [
      ['capture', 0.62],
      ['hold', 0],
      ['credit', 0],
    ],
  );
});

test('the second deployment serves the same, an MP3 does, and the model may be named', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const { status, body } = await create(key, { audio: mp3({ seconds: 2 }), model: 'sim-avatar-talk' }, '/ai/v1');
  assert.equal(status, 200, JSON.stringify(body));
  const response = await untilVideo(`/ai/v1/svctalk/generate/${String(body['id'])}`, key);
  await response.arrayBuffer();
  const seconds = Number(response.headers.get('x-video-duration'));
  assert.ok(seconds > 1.8 && seconds <= 2.1, `${seconds} s`);
  assert.equal(Number(response.headers.get('x-tokens')), seconds * 1000);
  assert.equal(Number(response.headers.get('x-cost')), Math.round(seconds * 50_000) / 1_000_000);
});

test('HEAD and a range tell the length and consume nothing; the GET after them does, whole', async () => {
  const { key, address } = await finishedTask();
  for (let times = 0; times < 3; times++) {
    const head = await gateway.fetch(address, { method: 'HEAD', headers: bearer(key) });
    assert.equal(head.status, 200);
    assert.equal(shownBy(head).duration, '1');
  }
  const response = await gateway.fetch(address, { headers: { ...bearer(key), Range: 'bytes=0-9' } });
  assert.equal(response.status, 200, 'a range is ignored');
  assert.equal((await response.arrayBuffer()).byteLength, Number(response.headers.get('content-length')));
  assertError(await gateway.get(address, bearer(key)), 'task_not_found');
});

test('a GET that was sent ahead behind the one that fetches is left unanswered, as that one ends the connection', async () => {
  const { key, address } = await finishedTask();
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const request = (last: boolean) =>
    `GET ${address} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  socket.write(request(false) + request(true));
  const answers = (await buffer(socket)).toString('latin1');
  assert.deepEqual(
    [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status),
    ['200'],
  );
  assert.match(answers, /^Connection: close\r$/m);
  assertError(await gateway.get(address, bearer(key)), 'task_not_found');
});

test('a fetched avatar-talk task leaves no file behind, and its charge stays in the ledger', async () => {
  const { key, address, id } = await finishedTask();
  const stored = await gateway.blobs();
  await (await gateway.fetch(address, { headers: bearer(key) })).arrayBuffer();
  assertError(await gateway.get(address, bearer(key)), 'task_not_found');
  for (let tries = 0; (await gateway.blobs()) > stored - 3; tries++) {
    assert.ok(tries < 200, 'the audio, the video or the result is still there');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { data } = (await gateway.get(`/v1/account/ledger?task_id=${id}`, bearer(key))).body;
  assert.equal(data.length, 2);
});

test('a download that breaks off leaves the task there, to be fetched again', async () => {
  const { key, address } = await finishedTask();
  await breakOff(address, key);
  const response = await untilVideo(address, key);
  assert.equal((await response.arrayBuffer()).byteLength, Number(response.headers.get('content-length')));
  assertError(await gateway.get(address, bearer(key)), 'task_not_found');
});

test('a download that broke off, and hears late that it gave the task back, takes nothing from the next one', async (t) => {
  const { key, address } = await finishedTask();
  const { keyed } = gateway.core.database;
  const query = keyed.query.bind(keyed) as (statement: { name: string }) => Promise<unknown>;
  let hear = (): void => undefined;
  const isHeard = new Promise<void>((resolve) => (hear = resolve));
  const isGivenBack = new Promise<void>((givenBack) => {
    t.mock.method(keyed, 'query', async (statement: { name: string }) => {
      const answer = await query(statement);
      if (statement.name === 'drop-fetch') {
        givenBack();
        await isHeard;
      }
      return answer;
    });
  });
  await breakOff(address, key);
  await isGivenBack;
  const response = await gateway.fetch(address, { headers: bearer(key) });
  hear();
  await response.arrayBuffer();
  assertError(await gateway.get(address, bearer(key)), 'task_not_found');
});

test('while a download runs a second one is a conflict', async () => {
  // Five megabytes: a shorter one would wait whole in the buffers of the connection.
  const { key, address } = await finishedTask({ audio: wav({ seconds: 300, samplesPerSecond: 8_000 }) });
  const slow = await slowReader(address, key);
  assertError(await gateway.get(address, bearer(key)), 'task_being_fetched');
  assert.equal((await gateway.fetch(address, { method: 'HEAD', headers: bearer(key) })).status, 200);
  slow.destroy();
  const response = await untilVideo(address, key);
  await response.arrayBuffer();
});

test('of ten downloads at once one gets the video, and the others a conflict or nothing', async () => {
  const { key, address } = await finishedTask();
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const response = await gateway.fetch(address, { headers: bearer(key) });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  assert.equal(answers.filter((status) => status === 200).length, 1);
  assert.ok(
    answers.every((status) => [200, 404, 409].includes(status)),
    answers.join(),
  );
});

for (const [template, code, message] of [
  ['[sim:fail=no luck]', 'upstream_error', /^no luck$/],
  ['[sim:policy]', 'content_policy_violation', /./],
] as const) {
  test(`a task that fails with ${code} says so at every GET, and costs nothing`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    const { body } = await create(key, { template_name: template });
    const address = `${path}/${String(body['id'])}`;
    const first = await gateway.finished(address, key);
    assert.equal(first.status, 200);
    assert.deepEqual(Object.keys(first.body), ['id', 'status', 'error']);
    assert.deepEqual([first.body['id'], first.body['status'], first.body['error'].code], [body['id'], 'error', code]);
    assert.match(String(first.body['error'].message), message);
    assert.deepEqual(Object.keys(first.body['error'] as object).sort(), ['code', 'message', 'param', 'type']);
    assert.deepEqual((await gateway.get(address, bearer(key))).body, first.body);
    assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
  });
}

test('an avatar-talk task is seen and fetched by its own account only', async () => {
  const { address, key, id } = await finishedTask();
  const stranger = await gateway.newKey({ balance: '1', level: 'admin' });
  assertError(await gateway.get(address, bearer(stranger.key)), 'task_not_found');
  assert.equal((await gateway.fetch(address, { method: 'HEAD', headers: bearer(stranger.key) })).status, 404);
  assertError(await gateway.get(`/v1/video/generations/${id}`, bearer(key)), 'task_not_found');
  const response = await gateway.fetch(address, { headers: bearer(key) });
  assert.equal(response.headers.get('content-type'), 'video/mp4');
  await response.arrayBuffer();
});

/** The answer to a GET once it is the video; nothing of its body is read. Conflicts pass: a broken download is just being noticed. */
async function untilVideo(address: string, key: string): Promise<Response> {
  for (let tries = 0; tries < 600; tries++) {
    const response = await gateway.fetch(address, { headers: bearer(key) });
    if (response.headers.get('content-type') === 'video/mp4') return response;
    const { status, body } = await answerOf(response);
    assert.ok(status === 409 || body['status'] === 'processing', `${status} ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no video after a minute');
}

/** A connection that has read the first bytes of the answer and then reads no more. */
async function slowReader(address: string, key: string) {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write(`GET ${address} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const head = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.pause();
  assert.match(head.toString('latin1'), /^HTTP\/1.1 200 /);
  return socket;
}

async function breakOff(address: string, key: string): Promise<void> {
  const socket = await slowReader(address, key);
  socket.resetAndDestroy();
}

const shownBy = ({ headers }: Response) => ({
  type: headers.get('content-type'),
  bytes: headers.get('content-length'),
  duration: headers.get('x-video-duration'),
  tokens: headers.get('x-tokens'),
  cost: headers.get('x-cost'),
});
