/** Image edits and variations: forms and JSON, through the same life as other image tasks. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openImage } from '../../src/simulator/encoding/read-image.ts';
import { removeOldResults } from '../../src/tasks/retention/retention.ts';
import { assertError } from '../support/errors.ts';
import { type FileServer, serveFiles } from '../support/file-server.ts';
import { type Answer, answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { jpg, maskPng, png, textFile } from '../support/media.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let files: FileServer;
const image = await png({ width: 64, height: 48 });
const mask = maskPng(64, 48, (x) => x < 32);
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  files = await serveFiles({ 'gate.jpg': { type: 'image/jpeg', bytes: jpg({ width: 64, height: 48 }) } });
  gateway = await startTestGateway({
    configuration: `
limits: { image_bytes: 65536 }
providers:
  local: { kind: simulator }
  there: { kind: openai, base_url: '${upstream.url}', api_key: sk-of-the-operator-1, deadline_seconds: 60 }
models:
  - { id: sim-image, kind: image, routes: [{ provider: local, model: sim-image }], price: { per_image: 0.2 } }
  - { id: few, kind: image, routes: [{ provider: local, model: sim-image }], price: { per_image: 0.2 }, limits: { references: 1, mask: false, variations: false } }
  - { id: gpt, kind: image, routes: [{ provider: there, model: gpt-image-2 }], price: { per_image: 0.2 } }
  - { id: old, kind: image, routes: [{ provider: there, model: dall-e-3 }], price: { per_image: 0.2 } }
  - { id: both, kind: image, routes: [{ provider: there, model: dall-e-3 }, { provider: local, model: sim-image }], price: { per_image: 0.2 } }
  - { id: sim-chat, kind: chat, routes: [{ provider: local, model: sim-chat }], price: { input_per_million: 1, output_per_million: 1 } }
`,
  });
});
after(async () => {
  await gateway.stop();
  await Promise.all([closeUpstream(), files.close()]);
});

type Part = string | { bytes: Buffer; name?: string };

/** A form of these parts, in their order. */
function formOf(parts: readonly (readonly [string, Part])[]): FormData {
  const form = new FormData();
  for (const [name, part] of parts) {
    if (typeof part === 'string') form.append(name, part);
    else form.append(name, new Blob([new Uint8Array(part.bytes)]), part.name ?? 'a.png');
  }
  return form;
}

async function send(
  path: string,
  parts: readonly (readonly [string, Part])[],
  headers: Record<string, string> = {},
): Promise<Answer> {
  return answerOf(await gateway.fetch(path, { method: 'POST', body: formOf(parts), headers }));
}

const edit = (...more: (readonly [string, Part])[]) =>
  [['model', 'sim-image'], ['prompt', 'Fog'], ['size', '1024x1024'], ...more] as const;
const file = (bytes: Buffer): Part => ({ bytes });

test('an edit is an image task: its references are kept outside the mask, and it is charged by the image', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const parts = edit(['n', '2'], ['image', file(image)], ['mask', file(mask)]);
  const { status, body } = await send('/v1/images/edits', parts, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(String(body['id']), /^img_/);
  assert.deepEqual([body['object'], body['_local']], ['image', { cost: 0.4, balance: 9.6 }]);
  const [first, second] = (body['data'] as { url: string }[]).map(({ url }) => url);
  const pixels = await pixelsOf(first);
  assert.notDeepEqual(pixels, await pixelsOf(second));
  // The gradient of the reference: red grows from left to right, blue is 128 throughout. A card has other colours.
  const at = (x: number, y: number) => [...(pixels[y]?.subarray(x * 3, x * 3 + 3) ?? [])];
  assert.ok(Math.abs((at(1000, 600)[0] ?? 0) - 249) < 8 && at(1000, 600)[2] === 128, String(at(1000, 600)));
  assert.notEqual(at(40, 600)[2], 128);
  const later = await gateway.get(`/v1/images/generations/${String(body['id'])}?model=sim-image`, bearer(key));
  assert.deepEqual([later.status, later.body['status']], [200, 'succeeded']);
});

test('several images come as image[] or as image, and each has its share', async () => {
  const parts = edit(['image[]', file(image)], ['image[]', file(image)], ['image', file(image)]);
  const { status, body } = await send('/v1/images/edits', parts);
  assert.equal(status, 200, JSON.stringify(body));
  const pixels = await pixelsOf(body['data'][0].url);
  // Red begins anew in each of the three.
  const red = (x: number) => pixels[600]?.[x * 3] ?? 0;
  assert.ok(red(330) > 200 && red(350) < 40 && red(675) > 200 && red(690) < 40);
});

test('the second deployment answers at once, and GET has the result', async () => {
  const { status, body } = await send('/ai/v1/images/edits', edit(['image', file(image)]));
  assert.deepEqual([status, body['status']], [202, 'processing']);
  const done = await gateway.finished(`/ai/v1/images/generations/${String(body['id'])}`);
  assert.equal(done.body['status'], 'succeeded');
});

test('a JSON body names its images by address or holds them, and b64_json is answered as asked', async () => {
  const dataUri = (bytes: Buffer) => ({ image_url: `data:image/png;base64,${bytes.toString('base64')}` });
  const { status, body } = await gateway.post('/v1/images/edits', {
    ...{ model: 'sim-image', prompt: 'Fog', size: '1024x1024', response_format: 'b64_json', user: 'u' },
    images: [dataUri(image), { image_url: `${files.url}/gate.jpg` }],
    mask: dataUri(mask),
  });
  assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
  assert.match(String(body['data'][0].b64_json), /^iVBOR/);
});

test('a variation has one image and no prompt', async () => {
  const parts = [
    ['model', 'sim-image'],
    ['size', '1024x1024'],
    ['image', file(image)],
  ] as const;
  const { status, body } = await send('/v1/images/variations', parts);
  assert.equal(status, 200, JSON.stringify(body));
  const pixels = await pixelsOf(body['data'][0].url);
  assert.ok((pixels[600]?.[0] ?? 0) > 240, 'it is mirrored');
});

test('the same form under one Idempotency-Key is one task, and its files are not kept twice', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const headers = { ...bearer(key), 'Idempotency-Key': 'edit' };
  const first = await send('/v1/images/edits', edit(['image', file(image)]), headers);
  const count = await gateway.blobs();
  const second = await send('/v1/images/edits', edit(['image', file(image)]), headers);
  assert.equal(second.body['id'], first.body['id']);
  assert.equal(await gateway.blobs(), count);
  const other = await send('/v1/images/edits', edit(['image', file(mask)]), headers);
  assertError(other, 'idempotency_key_reused');
  assertError(await send('/v1/images/variations', edit(['image', file(image)]), headers), 'idempotency_key_reused');
  assert.deepEqual(await gateway.money(key), { balance: 9.8, held: 0 });
});

test('what is wrong is refused by its name before anything is held, and nothing of it is kept', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const before = await gateway.blobs();
  const refused = async (parts: readonly (readonly [string, Part])[], code: string, param: string | null) =>
    assertError(await send('/v1/images/edits', parts, bearer(key)), code, param);
  await refused(edit(['image', file(textFile)]), 'invalid_parameter', 'image');
  await refused(edit(['image', file(Buffer.alloc(0))]), 'invalid_parameter', 'image');
  await refused(edit(['image', file(Buffer.alloc(65_537))]), 'request_too_large', 'image');
  await refused(edit(), 'missing_parameter', 'image');
  await refused(edit(['image', file(image)], ['photo', file(image)]), 'invalid_parameter', 'photo');
  await refused(
    edit(['image', file(image)], ['mask', file(image)], ['mask', file(image)]),
    'invalid_parameter',
    'mask',
  );
  const otherSize = await png({ width: 32, height: 48 });
  await refused(edit(['image', file(image)], ['mask', file(otherSize)]), 'invalid_parameter', 'mask');
  await refused(edit(['image', file(image)], ['n', 'two']), 'invalid_parameter', 'n');
  await refused(edit(['image', file(image)], ['stream', 'true']), 'invalid_parameter', 'stream');
  await refused(edit(['image', file(image)], ['output_format', 'webp']), 'invalid_parameter', 'output_format');
  await refused(
    [
      ['model', 'sim-image'],
      ['image', file(image)],
    ],
    'missing_parameter',
    'prompt',
  );
  await refused(
    [
      ['prompt', 'Fog'],
      ['image', file(image)],
    ],
    'missing_parameter',
    'model',
  );
  await refused(
    [
      ['model', 'sim-chat'],
      ['prompt', 'Fog'],
      ['image', file(image)],
    ],
    'invalid_parameter',
    'model',
  );
  const json = { model: 'sim-image', prompt: 'Fog', size: '1024x1024' };
  const images = [{ image_url: `data:image/png;base64,${textFile.toString('base64')}` }];
  const broken = await gateway.post('/v1/images/edits', { ...json, images }, bearer(key));
  assertError(broken, 'invalid_parameter', 'images[0].image_url');
  const named = await gateway.post('/v1/images/edits', { ...json, images: [{ file_id: 'file-1' }] }, bearer(key));
  assertError(named, 'missing_parameter', 'images[0].image_url');
  assert.equal(await gateway.blobs(), before);
  assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
});

test('a model that can not do it is refused by the name of what it can not take', async () => {
  const refused = async (path: string, model: string, more: readonly (readonly [string, Part])[], param: string) => {
    const parts = [['model', model], ['prompt', 'Fog'], ['size', '1024x1024'], ...more] as const;
    const answer = await send(path, parts);
    assertError(answer, 'invalid_parameter', param);
    assert.match(String(answer.body['error'].message), new RegExp(`'${model}'`));
  };
  const one = [['image', file(image)]] as const;
  await refused('/v1/images/edits', 'old', one, 'image');
  await refused('/v1/images/edits', 'few', [...one, ...one], 'image');
  await refused('/v1/images/edits', 'few', [...one, ['mask', file(mask)]], 'mask');
  await refused('/v1/images/variations', 'few', one, 'model');
  await refused('/v1/images/variations', 'gpt', one, 'model');
  const quote = { path: '/images/variations', body: { model: 'few' } };
  assertError(await gateway.post('/v1/quotes', quote), 'invalid_parameter', 'body.model');
  const able = await send('/v1/images/edits', [['model', 'both'], ['prompt', 'Fog'], ...one]);
  assert.equal(able.status, 200, 'by the route that can');
});

test('quotes say what an edit, its form and a variation hold', async () => {
  const common = { model: 'sim-image', n: 3 };
  for (const [path, body] of [
    ['/images/edits', { ...common, prompt: 'Fog', images: [{ image_url: 'https://example.com/a.png' }] }],
    ['/images/edits', { ...common, prompt: 'Fog' }],
    ['/images/variations', common],
  ] as const) {
    const quote = await gateway.post('/v1/quotes', { path, body });
    assert.deepEqual([quote.status, quote.body['hold']], [200, 0.6], JSON.stringify(quote.body));
  }
});

test('a provider that wants the files themselves gets them as a form, mask included', async () => {
  upstream.answers({ json: { created: 1, data: [{ b64_json: image.toString('base64') }] } });
  const parts = [
    ['model', 'gpt'],
    ['prompt', 'Fog'],
    ['image', file(image)],
    ['mask', file(mask)],
  ] as const;
  const { status, body } = await send('/v1/images/edits', parts);
  assert.equal(status, 200, JSON.stringify(body));
  const asked = upstream.requests.at(-1);
  assert.equal(asked?.path, '/v1/images/edits');
  for (const part of [image, mask]) assert.ok(asked.body.includes(part));
  assert.match(
    asked.body.toString('latin1'),
    /name="model"\r\n\r\ngpt-image-2\r\n[^]*name="mask"; filename="mask.png"/,
  );
});

test('the files of an edit are deleted together with its result', async () => {
  const { body } = await send('/v1/images/edits', edit(['image', file(image)]));
  const keys = await keysOf(String(body['id']));
  assert.equal(keys.length, 2);
  const { database, blobs } = gateway.core;
  await removeOldResults({ database, blobs, retentionMs: 0, fetchWindowMs: 0 });
  for (const key of keys) await assert.rejects(blobs.size(key), { name: 'BlobNotFound' });
  const { rows } = await database.pool.query('select request, uploads from tasks where id = $1', [body['id']]);
  assert.deepEqual(rows, [{ request: null, uploads: null }]);
});

/** The blobs of a task: its uploads and its results. */
async function keysOf(id: string): Promise<string[]> {
  const { rows } = await gateway.core.database.pool.query<{ key: string }>(
    `select value ->> 'blobKey' as key from tasks, jsonb_each(uploads) where id = $1
     union all select value ->> 'blobKey' from tasks, jsonb_array_elements(files) where id = $1`,
    [id],
  );
  return rows.map(({ key }) => key);
}

/** The rows of an image, three bytes a pixel. */
async function pixelsOf(url: string | undefined): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-pixels-'));
  try {
    await writeFile(join(folder, 'image'), Buffer.from(await (await fetch(String(url))).arrayBuffer()));
    const rows: Buffer[] = [];
    for await (const row of (await openImage(join(folder, 'image'))).rows) rows.push(Buffer.from(row));
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}
