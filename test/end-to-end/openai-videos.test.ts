/** `POST /videos` and what goes with it: video tasks in the form of OpenAI. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { probeMedia } from '../../src/media/probe.ts';
import { bytesReader } from '../../src/media/reader.ts';
import { assertError } from '../support/errors.ts';
import { type Answer, answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { png, textFile } from '../support/media.ts';

let gateway: TestGateway;
const image = await png({ width: 64, height: 48 });
before(async () => {
  gateway = await startTestGateway({
    configuration: `
providers:
  local: { kind: simulator }
  far: { kind: fal, api_key: k, base_url: 'http://127.0.0.1:9' }
models:
  - id: sim-video
    kind: video
    routes: [{ provider: local, model: sim-video }]
    price: { per_second: 0.5, by_resolution: { 480p: 0.1, 720p: 0.2 } }
    # A second of video is made in a moment.
    limits: { durations: [1, 5, 8] }
  - id: listed
    kind: video
    routes: [{ provider: local, model: sim-video }]
    price: { per_second: 0.1 }
    limits: { durations: [4, 12], ratios: ['4:3', '16:9'], sizes: [640x480, 1792x1024] }
  - { id: framed, kind: video, routes: [{ provider: far, model: fal-ai/x }], price: { per_second: 0.1 } }
`,
  });
});
after(() => gateway.stop());

const create = (body: object, key = gateway.key, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.post('/v1/videos', { model: 'sim-video', prompt: 'A gate', ...body }, { ...bearer(key), ...headers });

async function completed(id: unknown, key = gateway.key): Promise<Answer> {
  await gateway.finished(`/v1/video/generations/${String(id)}`, key);
  return gateway.get(`/v1/videos/${String(id)}`, bearer(key));
}

test('a video is created at once, and is the same task under both paths', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const made = await create({ seconds: '1', size: '1280x720', prompt: '[sim:delay=300ms] A gate' }, key);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id, created_at: createdAt } = made.body;
  const queued = {
    ...{ id, object: 'video', model: 'sim-video', status: 'queued', progress: 0 },
    ...{ created_at: createdAt, completed_at: null, expires_at: null },
    ...{ prompt: '[sim:delay=300ms] A gate', seconds: '1', size: '1280x720' },
    ...{ remixed_from_video_id: null, error: null },
  };
  assert.deepEqual(made.body, queued);
  assert.deepEqual(
    await gateway.money(key),
    { balance: 9.8, held: 0.2 },
    'the hold is that of the size and the length',
  );
  const running = await gateway.get(`/ai/v1/videos/${String(id)}/content`, bearer(key));
  assertError(running, 'task_not_ended');
  assertError(await answerOf(await remove(id, key)), 'task_not_ended');
  const { body } = await completed(id, key);
  assert.deepEqual(body, {
    ...queued,
    ...{ status: 'completed', progress: 100, completed_at: body['completed_at'] },
    expires_at: Number(body['completed_at']) + 7 * 86_400,
    created_at: body['created_at'],
    _local: { cost: 0.2, balance: 9.8 },
  });
  const task = await gateway.get(`/v1/video/generations/${String(id)}`, bearer(key));
  assert.deepEqual([task.body['status'], task.body['_local']], ['succeeded', { cost: 0.2, balance: 9.8 }]);
});

test('the content is the MP4, whole or in ranges, of the size that was asked for', async () => {
  const { body } = await create({ seconds: 1, resolution: '720p', aspect_ratio: '9:16', generate_audio: false });
  await completed(body['id']);
  const address = `/v1/videos/${String(body['id'])}/content`;
  const whole = await gateway.fetch(`${address}?variant=video`);
  assert.deepEqual([whole.status, whole.headers.get('content-type')], [200, 'video/mp4']);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const { width, height } = await probeMedia(bytesReader(bytes));
  assert.deepEqual([width, height], [720, 1280]);
  const part = await gateway.fetch(address, { headers: { Range: 'bytes=4-7' } });
  assert.deepEqual([part.status, await part.text()], [206, 'ftyp']);
  assertError(await gateway.get(`${address}?variant=thumbnail`), 'invalid_parameter', 'variant');
  assertError(await gateway.get('/v1/videos/vid_none/content'), 'task_not_found');
});

test('a form with a file makes a task that has it as its first image', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'sim-video', prompt: 'A gate', seconds: '1', size: '720x720' }))
    form.append(name, value);
  form.append('input_reference', new Blob([new Uint8Array(image)]), 'gate.png');
  const made = await answerOf(await gateway.fetch('/v1/videos', { method: 'POST', body: form }));
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const stored = await gateway.core.database.pool.query(
    `select request -> 'content' -> 1 ->> 'url' as url, uploads -> 'image0' ->> 'mediaType' as type
     from tasks where id = $1`,
    [made.body['id']],
  );
  assert.deepEqual(stored.rows, [{ url: 'upload:image0', type: 'image/png' }]);
  assert.equal((await completed(made.body['id'])).body['status'], 'completed');
});

test('images in a JSON body are stored, frames and references too', async () => {
  const url = `data:image/png;base64,${image.toString('base64')}`;
  const { status, body } = await create({
    frame_images: [{ type: 'image_url', image_url: { url }, frame_type: 'last_frame' }],
    input_references: [{ type: 'image_url', image_url: { url } }],
    ...{ duration: 1, seed: 7 },
  });
  assert.equal(status, 200, JSON.stringify(body));
  const { rows } = await gateway.core.database.pool.query(
    `select request -> 'seed' as seed, (select array_agg(key order by key) from jsonb_object_keys(uploads) as key) as names
     from tasks where id = $1`,
    [body['id']],
  );
  assert.deepEqual(rows, [{ seed: 7, names: ['image0', 'image1'] }]);
});

test('the same body under one Idempotency-Key is one task, shown as it is by then', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const headers = { 'Idempotency-Key': 'video' };
  const first = await create({ seconds: '1' }, key, headers);
  await completed(first.body['id'], key);
  const second = await create({ seconds: '1' }, key, headers);
  assert.deepEqual([second.body['id'], second.body['status']], [first.body['id'], 'completed']);
  assertError(await create({ seconds: '8' }, key, headers), 'idempotency_key_reused');
});

test('the list goes on behind any video, in both orders, without those that were deleted', async () => {
  const { key } = await gateway.newKey({ balance: '100' });
  const ids: string[] = [];
  for (const prompt of ['[sim:fail=a]', '[sim:fail=b]', '[sim:fail=no luck]', 'made']) {
    const { body } = await create({ prompt, seconds: 1 }, key);
    ids.push(String(body['id']));
    await completed(body['id'], key);
  }
  const page = async (query: string) => (await gateway.get(`/v1/videos?${query}`, bearer(key))).body;
  const idsOf = (body: Answer['body']) => (body['data'] as { id: string }[]).map(({ id }) => id);
  const newest = await page('limit=3');
  assert.deepEqual(idsOf(newest), ids.slice(1).reverse());
  assert.deepEqual([newest['object'], newest['has_more']], ['list', true]);
  assert.deepEqual([newest['first_id'], newest['last_id']], [ids[3], ids[1]]);
  assert.equal((newest['data'] as { error: { code: string } | null }[])[1]?.error?.code, 'upstream_error');
  const rest = await page(`limit=3&after=${String(newest['last_id'])}`);
  assert.deepEqual([idsOf(rest), rest['has_more']], [[ids[0]], false]);
  assert.deepEqual(idsOf(await page(`order=asc&after=${ids[1]}`)), ids.slice(2));

  assert.deepEqual((await answerOf(await remove(ids[2], key))).body, {
    ...{ id: ids[2], object: 'video.deleted', deleted: true },
  });
  await remove(ids[3], key);
  assert.deepEqual(idsOf(await page('order=asc')), ids.slice(0, 2));
  for (const path of [`/v1/videos/${ids[3]}`, `/v1/videos/${ids[3]}/content`, `/v1/video/generations/${ids[3]}`])
    assertError(await gateway.get(path, bearer(key)), 'task_not_found');
  assertError(await answerOf(await remove(ids[3], key)), 'task_not_found');
  assert.deepEqual((await gateway.money(key)).held, 0);
  const blank = await gateway.get('/v1/videos', bearer((await gateway.newKey({ balance: '1' })).key));
  assert.deepEqual(blank.body, { object: 'list', data: [], first_id: null, last_id: null, has_more: false });
  assertError(await gateway.get('/v1/videos?after=vid_none', bearer(key)), 'invalid_parameter', 'after');
  assertError(await gateway.get('/v1/videos?order=up', bearer(key)), 'invalid_parameter', 'order');
});

test("a model's lists decide about lengths, ratios and sizes, in both forms of body", async () => {
  // They are only admitted: making them would take long.
  const prompt = '[sim:delay=60s] A gate';
  const listed = (body: object) => create({ model: 'listed', prompt, ...body });
  assertError(await listed({ seconds: '8' }), 'invalid_parameter', 'seconds');
  assertError(await listed({ size: '1280x720' }), 'invalid_parameter', 'size');
  assertError(await listed({ aspect_ratio: '1:1' }), 'invalid_parameter', 'aspect_ratio');
  assertError(await listed({ resolution: '480p' }), 'invalid_parameter', 'resolution');
  const made = await listed({ seconds: '12', size: '1792x1024' });
  assert.deepEqual([made.status, made.body['size']], [200, '1792x1024'], JSON.stringify(made.body));
  const smaller = await listed({ resolution: '480p', aspect_ratio: '4:3' });
  assert.deepEqual([smaller.body['size'], smaller.body['seconds']], ['640x480', '4']);
  const generations = (body: object) =>
    gateway.post('/ai/v1/video/generations', { model: 'listed', prompt, ...body }, { Prefer: 'wait=0' });
  assertError(await generations({ duration: 5 }), 'invalid_parameter', 'duration');
  assertError(await generations({ ratio: '9:16' }), 'invalid_parameter', 'ratio');
  assert.equal((await generations({ duration: 12, ratio: '4:3' })).status, 202);
  for (const [path, body] of [
    ['/videos', { model: 'listed', prompt: 'A', seconds: '12' }],
    ['/video/generations', { model: 'listed', prompt: 'A', duration: 12 }],
  ] as const) {
    assert.equal((await gateway.post('/v1/quotes', { path, body })).body['hold'], 1.2);
  }
});

test('what is wrong is refused by its name before anything is held or kept', async () => {
  const before = await gateway.blobs();
  const { key } = await gateway.newKey({ balance: '10' });
  const refused = async (body: object, code: string, param: string) =>
    assertError(await create(body, key), code, param);
  await refused({ prompt: undefined }, 'missing_parameter', 'prompt');
  await refused({ seconds: 'long' }, 'invalid_parameter', 'seconds');
  await refused({ seconds: '4' }, 'invalid_parameter', 'seconds');
  await refused({ size: 'large' }, 'invalid_parameter', 'size');
  await refused({ input_reference: { file_id: 'file-1' } }, 'missing_parameter', 'input_reference.image_url');
  const letter = `data:image/png;base64,${textFile.toString('base64')}`;
  await refused({ input_reference: { image_url: letter } }, 'invalid_parameter', 'input_reference');
  const frame = { type: 'image_url', image_url: { url: 'https://example.com/a.png' }, frame_type: 'last_frame' };
  await refused({ model: 'framed', frame_images: [frame] }, 'invalid_parameter', 'frame_images[0].image_url.url');
  await refused({ frame_images: [frame, frame] }, 'invalid_parameter', 'frame_images');
  assert.equal(await gateway.blobs(), before);
  assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
});

const remove = (id: unknown, key: string): Promise<Response> =>
  gateway.fetch(`/v1/videos/${String(id)}`, { method: 'DELETE', headers: bearer(key) });
