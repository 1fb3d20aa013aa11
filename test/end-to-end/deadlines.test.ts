import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { type FileServer, serveFiles } from '../support/file-server.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';

const fetchWindowMs = 1_500;
const configuration = `
providers:
  simulator: { kind: simulator }
  slow: { kind: simulator, deadline_seconds: 1, latency_ms: 600000 }
models:
  - { id: image, kind: image, routes: [{ provider: slow, model: m }], price: { per_image: 0.2 } }
  - { id: avatar, kind: avatar-video, limits: { max_seconds: 2 }, routes: [{ provider: simulator, model: m }], price: { per_second: 0.05 } }
  - { id: talk, kind: avatar-talk, routes: [{ provider: simulator, model: m }], price: { per_second: 0.05 } }
`;

let gateway: TestGateway;
let files: FileServer;
let video: Buffer;
before(async () => {
  video = await mp4({ seconds: 1, hasAudio: false });
  files = await serveFiles({
    'two.wav': { type: 'audio/wav', bytes: wav({ seconds: 2 }) },
    'three.wav': { type: 'audio/wav', bytes: wav({ seconds: 3 }) },
    'scene.mp4': { type: 'video/mp4', bytes: video },
  });
  gateway = await startTestGateway({ configuration, fetchWindowMs });
});
after(() => Promise.all([gateway.stop(), files.close()]));

test('a provider that does not finish within its deadline is an upstream timeout, which costs nothing', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const { status, headers, body } = await gateway.post(
    '/v1/images/generations',
    { model: 'image', prompt: 'A gate' },
    bearer(key),
  );
  assert.equal(status, 504);
  assert.equal(headers.get('x-should-retry'), 'false');
  assert.deepEqual(
    [body['status'], body['error'].code, body['error'].type],
    ['failed', 'upstream_timeout', 'upstream_error'],
  );
  assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
});

for (const [file, status, balance] of [
  ['two.wav', 200, 9.9],
  ['three.wav', 502, 10],
] as const) {
  test(`an avatar model of at most 2 s holds 2 s; ${file} ends with ${status}`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    const urls = { audioUrl: `${files.url}/${file}`, videoUrl: `${files.url}/scene.mp4` };
    const answer = await gateway.post('/v1/video/generations', { model: 'avatar', ...urls }, bearer(key));
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    const { data } = (await gateway.get('/v1/account/ledger?type=hold', bearer(key))).body;
    assert.equal(data[0].amount, -0.1);
    if (status === 502) assert.equal(answer.body['error'].code, 'upstream_error');
    assert.deepEqual(await gateway.money(key), { balance, held: 0 });
  });
}

test('an avatar-talk result that was not fetched in its time is gone, with its files, and stays charged', async () => {
  const stored = await gateway.blobs();
  const { key } = await gateway.newKey({ balance: '10' });
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds: 1 })]), 'a.wav');
  form.append('video', new Blob([video]), 'v.mp4');
  const creation = await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form });
  const { id } = (await answerOf(creation)).body;
  const address = `/v1/svctalk/generate/${String(id)}`;
  const head = async () => gateway.fetch(address, { method: 'HEAD', headers: bearer(key) });
  while ((await head()).headers.get('content-type') !== 'video/mp4') await pause();
  for (let tries = 0; (await head()).status !== 404; tries++) {
    assert.ok(tries < 600, 'it can still be fetched');
    await pause();
  }
  assertError(await gateway.get(address, bearer(key)), 'task_not_found');
  for (let tries = 0; (await gateway.blobs()) > stored; tries++) {
    assert.ok(tries < 200, 'its files are still there');
    await pause();
  }
  assert.deepEqual(await gateway.money(key), { balance: 9.95, held: 0 });
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
