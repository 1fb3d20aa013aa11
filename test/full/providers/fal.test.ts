/** Every kind of model that fal serves, through the public API, with a stand-in that speaks fal's format. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { probeMedia } from '../../../src/media/probe.ts';
import { bytesReader } from '../../../src/media/reader.ts';
import { openStandIn, type StandIn } from '../../providers/contract/stand-in.ts';
import { falFixture } from '../../providers/fal/fixture.ts';
import { assertError } from '../../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, png, wav } from '../../support/media.ts';

let gateway: TestGateway;
let standIn: StandIn;
let videoFile: Buffer;
let videoSeconds: number;
before(async () => {
  videoFile = await mp4({ seconds: 2 });
  videoSeconds = ((await probeMedia(bytesReader(videoFile))).durationMs ?? 0) / 1000;
  standIn = await openStandIn(falFixture, { image: await png({ width: 64, height: 64 }), video: videoFile });
  const configuration = configurationOf(standIn.baseUrl);
  gateway = await startTestGateway({ configuration, env: { OPERATORS_TOKEN: 'token-of-the-operator' } });
});
after(() => Promise.all([gateway.stop(), standIn.close()]));

const configurationOf = (baseUrl: string) => `
providers:
  fal: { kind: fal, base_url: "${baseUrl}", api_key: "${String(falFixture.secrets['api_key'])}" }
models:
  - { id: still, kind: image, routes: [{ provider: fal, model: maker/still/v2/edit }], price: { per_image: 0.25 } }
  - id: licensed
    kind: image
    routes: [{ provider: fal, model: maker/still/v2, options: { license: "\${OPERATORS_TOKEN}", more: ["x-\${OPERATORS_TOKEN}"], plain: "$\${NAME}" } }]
    price: { per_image: 0.25 }
  - { id: clip, kind: video, routes: [{ provider: fal, model: maker/clip/image-to-video }], price: { per_second: 0.1 } }
  - { id: lips, kind: avatar-video, routes: [{ provider: fal, model: maker/lips }], price: { per_second: 0.05 } }
  - { id: portrait, kind: avatar-image, routes: [{ provider: fal, model: maker/portrait/v1.5 }], price: { per_second: 0.05 } }
  - { id: talk, kind: avatar-talk, routes: [{ provider: fal, model: workflows/maker/talk/fast }], price: { per_second: 0.05 } }
`;

const item = (type: 'image_url' | 'video_url' | 'audio_url') => ({ type, [type]: { url: `http://127.0.0.1/${type}` } });
const micro = (money: number) => Math.round(money * 1_000_000) / 1_000_000;
const lastBody = () => standIn.paid.at(-1)?.json as Record<string, unknown>;

test('two images are made, stored and charged by the image', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const body = {
    model: 'still',
    prompt: 'A toll gate',
    size: '1024x1024',
    n: 2,
    image_urls: ['http://127.0.0.1/a.png'],
  };
  const { status, body: record } = await gateway.post('/v1/images/generations', body, bearer(key));
  assert.equal(status, 200, JSON.stringify(record));
  assert.deepEqual(record['_local'], { cost: 0.5, balance: 9.5 });
  assert.equal(record['data'].length, 2);
  for (const { url } of record['data'] as { url: string }[]) {
    assert.ok(url.startsWith(`${gateway.url}/files/`));
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), await png({ width: 64, height: 64 }));
  }
  const { image_size, num_images, image_url } = lastBody();
  assert.deepEqual([image_size, num_images, image_url], [{ width: 1024, height: 1024 }, 2, 'http://127.0.0.1/a.png']);
});

test('a secret in the options of a route reaches the provider, and is not kept with the task', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const body = { model: 'licensed', prompt: 'A toll gate', size: '1024x1024' };
  const { status, body: record } = await gateway.post('/v1/images/generations', body, bearer(key));
  assert.equal(status, 200, JSON.stringify(record));
  const { license, more, plain } = lastBody();
  const token = 'token-of-the-operator';
  assert.deepEqual([license, more, plain], [token, [`x-${token}`], '${NAME}']);
  const { rows } = await gateway.core.database.pool.query('select tasks::text as row from tasks where id = $1', [
    record['id'],
  ]);
  assert.match(String(rows[0]?.['row']), /OPERATORS_TOKEN/);
  assert.ok(!String(rows[0]?.['row']).includes(token));
});

for (const [model, content, price] of [
  ['clip', [{ type: 'text', text: 'Cars' }, item('image_url')], 0.1],
  ['lips', [item('video_url'), item('audio_url')], 0.05],
  ['portrait', [item('image_url'), item('audio_url')], 0.05],
] as const) {
  test(`a video of ${model} is made, stored and charged by its stored length`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    const { status, body } = await gateway.post('/v1/video/generations', { model, content }, bearer(key));
    assert.equal(status, 200, JSON.stringify(body));
    const cost = micro(videoSeconds * price);
    assert.deepEqual(body['_local'], { cost, balance: micro(10 - cost) });
    const stored = await fetch(String(body['content'][0].video_url));
    assert.deepEqual(Buffer.from(await stored.arrayBuffer()), videoFile);
    assert.deepEqual(await gateway.money(key), { balance: micro(10 - cost), held: 0 });
  });
}

test('an avatar-talk task is made from the uploads, which fal fetches by their links', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const before = standIn.paid.length;
  const jobsBefore = new Set(standIn.jobs.keys());
  const [voice, footage] = [wav({ seconds: 1.5 }), await mp4({ seconds: 1, hasAudio: false })];
  standIn.jobsEnd('runs on');
  const form = new FormData();
  form.append('audio', new Blob([voice]), 'voice.wav');
  form.append('video', new Blob([footage]), 'footage.mp4');
  const creation = await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form });
  const { body: created } = await answerOf(creation);
  await standIn.received(before + 1);
  standIn.jobsEnd('succeeds');
  const { audio_url: audio, video_url: video } = lastBody();
  for (const [link, bytes] of [
    [audio, voice],
    [video, footage],
  ] as const) {
    const download = await fetch(String(link));
    assert.equal(download.status, 200);
    assert.deepEqual(Buffer.from(await download.arrayBuffer()), bytes);
  }
  for (const job of standIn.jobs.values()) if (!jobsBefore.has(job.id)) job.behaviour = 'succeeds';
  const response = await gateway.fetchedVideo(`/v1/svctalk/generate/${String(created['id'])}`, key);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), videoFile);
  const cost = micro(videoSeconds * 0.05);
  assert.equal(Number(response.headers.get('x-cost')), cost);
  assert.deepEqual(await gateway.money(key), { balance: micro(10 - cost), held: 0 });
});

test('a lip-synced video that is longer than the audio that was held for fails, and costs nothing', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds: 0.9 })]), 'voice.wav');
  form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'footage.mp4');
  const creation = await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form });
  const { body: created } = await answerOf(creation);
  const { body } = await gateway.finished(`/v1/svctalk/generate/${String(created['id'])}`, key);
  assert.deepEqual(
    [body['status'], body['error'].code, body['error'].message],
    ['error', 'upstream_error', `The result is ${videoSeconds} s long; the maximum for this audio is 1.918 s.`],
  );
  assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
});

test('a refusal or failure of fal is reported in our words, and costs nothing', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const create = () => gateway.post('/v1/video/generations', { model: 'clip', prompt: 'Cars' }, bearer(key));
  standIn.creates('refuses input', 'has an account failure', 'takes');
  const refused = await create();
  assert.equal(refused.status, 400);
  assert.deepEqual([refused.body['error'].code, refused.body['error'].param], ['invalid_parameter', 'prompt']);
  const locked = await create();
  assert.deepEqual([locked.status, locked.body['error'].code], [502, 'upstream_error']);
  assert.doesNotMatch(JSON.stringify(locked.body), /locked|balance\b.*top up|fal/i);
  standIn.jobsEnd('fails by policy');
  const stopped = await create();
  standIn.jobsEnd('succeeds');
  assert.deepEqual([stopped.status, stopped.body['error'].code], [400, 'content_policy_violation']);
  assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
  assertError(await gateway.get('/v1/video/generations/vid_none', bearer(key)), 'task_not_found');
});
