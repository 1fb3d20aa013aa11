import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { probeMedia } from '../../src/media/probe.ts';
import { bytesReader } from '../../src/media/reader.ts';
import { assertError } from '../support/errors.ts';
import { type FileServer, serveFiles } from '../support/file-server.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { jpg, mp4, textFile, wav } from '../support/media.ts';

const path = '/v1/video/generations';
let gateway: TestGateway;
let files: FileServer;
before(async () => {
  files = await serveFiles({
    'voice.wav': { type: 'audio/wav', bytes: wav({ seconds: 1.237 }) },
    'letter.wav': { type: 'audio/wav', bytes: textFile },
    'scene.mp4': { type: 'video/mp4', bytes: await mp4({ seconds: 1 }) },
    'face.jpg': { type: 'image/jpeg', bytes: jpg({ width: 640, height: 480 }) },
  });
  gateway = await startTestGateway();
});
after(() => Promise.all([gateway.stop(), files.close()]));

const media = (name: 'image_url' | 'video_url' | 'audio_url', file: string, role?: string) => ({
  type: name,
  [name]: { url: `${files.url}/${file}` },
  ...(role !== undefined && { role }),
});
const text = { type: 'text', text: 'A toll gate in the rain' };

// Each is a form that a request may have; what the result lasts is what it costs.
for (const [what, body, price] of [
  ['a prompt', () => ({ model: 'sim-video-fast', prompt: text.text }), 0.1],
  ['content with a text, on the dearer model', () => ({ model: 'sim-video-pro', content: [text] }), 0.3],
  [
    'content with an image and a prompt',
    () => ({
      model: 'sim-video-fast',
      prompt: text.text,
      content: [media('image_url', 'face.jpg', 'reference_image')],
    }),
    0.1,
  ],
  [
    'the flat body of an avatar video',
    () => ({
      model: 'sim-avatar-video',
      audioUrl: `${files.url}/voice.wav`,
      videoUrl: `${files.url}/scene.mp4`,
      modelVersion: 2,
    }),
    0.05,
  ],
  [
    'the content of an avatar video',
    () => ({ model: 'sim-avatar-video', content: [media('video_url', 'scene.mp4'), media('audio_url', 'voice.wav')] }),
    0.05,
  ],
  [
    'the content of an avatar image, its image with the role of a video',
    () => ({
      model: 'sim-avatar-image',
      content: [
        text,
        media('image_url', 'face.jpg', 'reference_video'),
        media('audio_url', 'voice.wav', 'reference_audio'),
      ],
    }),
    0.05,
  ],
] as const) {
  test(`a video is made of ${what}, and costs its stored length`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    const { status, body: record } = await gateway.post(path, body(), bearer(key));
    assert.equal(status, 200, JSON.stringify(record));
    assert.match(String(record['id']), /^vid_/);
    const url = String(record['content'][0].video_url);
    const { durationMs, mediaType, hasAudio } = await openMedia(url);
    assert.deepEqual([mediaType, hasAudio], ['video/mp4', true]);
    const expectedMs = body().model.includes('avatar') ? 1_237 : 5_000;
    assert.ok(Math.abs(durationMs - expectedMs) <= 60, `it lasts ${durationMs} ms`);
    const cost = Math.round(durationMs * price * 1_000) / 1_000_000;
    const balance = Math.round((10 - cost) * 1_000_000) / 1_000_000;
    assert.deepEqual(record, {
      id: record['id'],
      object: 'video',
      model: body().model,
      status: 'succeeded',
      created: record['created'],
      content: [{ video_url: url }],
      _local: { cost, balance },
    });
    const entries = (await gateway.get(`/v1/account/ledger?task_id=${String(record['id'])}`, bearer(key))).body['data'];
    assert.equal(entries[0].balance, balance, 'the balance is the one after the last entry of the task');
    const capture = (entries as { type: string }[]).find(({ type }) => type === 'capture');
    assert.deepEqual(capture, {
      ...capture,
      charged: cost,
      units: durationMs / 1000,
      unit: 'second',
      unit_price: price,
    });
    assert.deepEqual(await gateway.money(key), { balance, held: 0 });
  });
}

test('a video that is not done within the wait is a task in both deployments, whose record stays as it was made', async () => {
  const { key, account } = await gateway.newKey({ balance: '10' });
  const body = { model: 'sim-video-fast', prompt: '[sim:delay=1200ms]', ratio: '1:1', generate_audio: false };
  const creation = await gateway.post('/ai/v1/video/generations', body, { ...bearer(key), Prefer: 'wait=1' });
  const { id, created, message } = creation.body;
  assert.equal(creation.status, 202);
  assert.deepEqual(creation.body, {
    id,
    object: 'video',
    model: 'sim-video-fast',
    status: 'processing',
    created,
    message,
  });
  assert.match(String(message), /GET/);
  const { status, body: record } = await gateway.finished(`${path}/${String(id)}`, key);
  assert.deepEqual([status, record['status'], record['_local']], [200, 'succeeded', { cost: 0.5, balance: 9.5 }]);
  assert.equal((await openMedia(String(record['content'][0].video_url))).hasAudio, false);
  await gateway.core.ledger.credit(account, 1_000_000n as never, 'for a test');
  const later = (await gateway.get(`/ai/v1/video/generations/${String(id)}`, bearer(key))).body;
  assert.deepEqual(later['_local'], { cost: 0.5, balance: 9.5 });
});

for (const [what, body, status, code, param] of [
  ['that fails', () => ({ model: 'sim-video-fast', prompt: '[sim:fail=no luck]' }), 502, 'upstream_error', null],
  [
    'against the policy',
    () => ({ model: 'sim-video-fast', content: [{ type: 'text', text: '[sim:policy]' }] }),
    400,
    'content_policy_violation',
    'content[0].text',
  ],
  [
    'of an audio file that is none',
    () => ({ model: 'sim-avatar-video', content: [media('video_url', 'scene.mp4'), media('audio_url', 'letter.wav')] }),
    400,
    'invalid_parameter',
    'content[1].audio_url.url',
  ],
  [
    'of a file that is not there',
    () => ({ model: 'sim-avatar-video', content: [media('video_url', 'none.mp4'), media('audio_url', 'voice.wav')] }),
    400,
    'invalid_parameter',
    'content[0].video_url.url',
  ],
] as const) {
  test(`a video ${what} is its record under ${status}, and costs nothing`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    const answer = await gateway.post(path, body(), bearer(key));
    const { id, created, error } = answer.body;
    const record = { id, object: 'video', model: body().model, status: 'failed', created, error };
    assert.deepEqual({ status: answer.status, body: answer.body }, { status, body: record });
    assert.deepEqual(Object.keys(error as object).sort(), ['code', 'message', 'param', 'type']);
    assert.deepEqual([error.code, error.param], [code, param]);
    assert.equal(answer.headers.get('x-should-retry'), 'false');
    assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
    const later = await gateway.get(`${path}/${String(id)}`, bearer(key));
    assert.deepEqual({ status: later.status, body: later.body }, { status: 200, body: record });
  });
}

test('a video task is visible to its own account only', async () => {
  const { body } = await gateway.post(path, { model: 'sim-video-fast', prompt: '[sim:fail=x]' });
  const stranger = await gateway.newKey({ balance: '1', level: 'admin' });
  assertError(await gateway.get(`${path}/${String(body['id'])}`, bearer(stranger.key)), 'task_not_found');
  assertError(await gateway.get(`/v1/images/generations/${String(body['id'])}`), 'task_not_found');
});

async function openMedia(url: string) {
  const response = await fetch(url);
  assert.equal(response.headers.get('content-type'), 'video/mp4');
  const { durationMs, mediaType, hasAudio } = await probeMedia(bytesReader(Buffer.from(await response.arrayBuffer())));
  assert.ok(durationMs);
  return { durationMs, mediaType, hasAudio };
}
