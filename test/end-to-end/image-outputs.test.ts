/** What a caller may ask of the answer and the files of images: base64 in the answer, a format, a background. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { type Answer, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { png } from '../support/media.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const path = '/v1/images/generations';
const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };
const inline = { ...image, response_format: 'b64_json' };

let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
const file = await png({ width: 64, height: 48 });
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  gateway = await startTestGateway({
    configuration: `
providers:
  local: { kind: simulator }
  there: { kind: openai, base_url: '${upstream.url}', api_key: sk-of-the-operator-1, deadline_seconds: 60 }
models:
  - { id: sim-image, kind: image, routes: [{ provider: local, model: sim-image }], price: { per_image: 0.2 } }
  - id: both
    kind: image
    routes: [{ provider: local, model: sim-image }, { provider: there, model: gpt-image-2 }]
    price: { per_image: 0.2 }
  - id: old
    kind: image
    routes: [{ provider: there, model: dall-e-3 }]
    price: { per_image: 0.2 }
  - id: fixed
    kind: image
    routes: [{ provider: there, model: gpt-image-2, options: { output_format: webp } }]
    price: { per_image: 0.2 }
`,
  });
});
after(async () => {
  await gateway.stop();
  await closeUpstream();
});

test('base64 holds the very bytes that a link serves, in the answer to the creation and in later ones', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const headers = { ...bearer(key), 'Idempotency-Key': 'inline' };
  const made = await gateway.post(path, { ...inline, n: 2 }, headers);
  assert.equal(made.status, 200, JSON.stringify(made.body).slice(0, 300));
  const { data, ...record } = made.body;
  assert.deepEqual(record, {
    ...{ id: record['id'], object: 'image', model: 'sim-image', status: 'succeeded', created: record['created'] },
    ...{ success: true, _local: { cost: 0.4, balance: 9.6 } },
  });
  assert.equal(made.headers.get('content-length'), String(Buffer.byteLength(JSON.stringify(made.body))));
  const linked = await listed(key);
  assert.deepEqual(filesOf(data), await Promise.all(linked.map(bytesOf)));

  const later = await gateway.get(`${path}/${String(record['id'])}`, bearer(key));
  assert.deepEqual(later.body, made.body);
  const again = await gateway.post(path, { ...inline, n: 2 }, headers);
  assert.deepEqual(again.body, made.body);
  const head = await gateway.fetch(`${path}/${String(record['id'])}`, { method: 'HEAD', headers: bearer(key) });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, made.headers.get('content-length')]);
  assert.deepEqual(await gateway.money(key), { balance: 9.6, held: 0 });
});

test('a task that outlasts the wait is answered with its id, and GET gives the base64', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const accepted = await gateway.post('/ai/v1/images/generations', inline, bearer(key));
  assert.deepEqual([accepted.status, accepted.body['status']], [202, 'processing']);
  const { body } = await gateway.finished(`${path}/${String(accepted.body['id'])}`, key);
  assert.deepEqual(Object.keys(body['data'][0] as object), ['b64_json']);
});

test('images that can not be read for their answer are no error that buys them again: GET gives them', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const { files } = gateway.core.concurrencyLimits;
  files.acquire(files.max);
  const made = await gateway.post(path, inline, bearer(key)).finally(() => files.release(files.max));
  assert.deepEqual([made.status, made.body['status']], [202, 'processing']);
  const { body } = await gateway.get(`${path}/${String(made.body['id'])}`, bearer(key));
  assert.equal(filesOf(body['data']).length, 1);
});

test('a file that is lost breaks the answer to GET off before it begins', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const made = await gateway.post(path, inline, bearer(key));
  const id = String(made.body['id']);
  const { rows } = await gateway.core.database.pool.query('select files from tasks where id = $1', [id]);
  const [{ blobKey }] = (rows as { files: { blobKey: string }[] }[])[0]?.files as [{ blobKey: string }];
  await gateway.core.blobs.remove(blobKey);
  assertError(await gateway.get(`${path}/${id}`, bearer(key)), 'internal_error', null);
});

test('what no route can deliver is refused before anything is held, and says what can be had', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const tell = (body: object) => gateway.post(path, { ...image, ...body }, bearer(key));
  const webp = await tell({ output_format: 'webp' });
  assertError(webp, 'invalid_parameter', 'output_format');
  assert.match(String(webp.body['error'].message), /'png' for the model 'sim-image'/);
  const clear = await tell({ background: 'transparent' });
  assertError(clear, 'invalid_parameter', 'background');
  assert.match(String(clear.body['error'].message), /'auto' or 'opaque'/);
  assertError(await tell({ stream: true, partial_images: 1 }), 'invalid_parameter', 'stream');
  assertError(await tell({ model: 'old', output_format: 'jpeg' }), 'invalid_parameter', 'output_format');
  assertError(await tell({ model: 'fixed', output_format: 'png' }), 'invalid_parameter', 'output_format');
  const quoted = { path: '/images/generations', body: { ...image, output_format: 'webp' } };
  assertError(await gateway.post('/v1/quotes', quoted, bearer(key)), 'invalid_parameter', 'body.output_format');
  assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
  const { body: ledger } = await gateway.get('/v1/account/ledger', bearer(key));
  assert.deepEqual(
    (ledger['data'] as { type: string }[]).map(({ type }) => type),
    ['credit'],
  );

  const made = await tell({ output_format: 'png', background: 'opaque', stream: false, user: 'u', style: 'vivid' });
  assert.equal(made.status, 200, JSON.stringify(made.body));
});

test('only the routes that deliver the format are asked, and it goes along', async () => {
  upstream.answers({ json: { created: 1, data: [{ b64_json: file.toString('base64') }] } });
  const asked = upstream.requests.length;
  const made = await gateway.post(path, { ...image, model: 'both', background: 'transparent', output_format: 'png' });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.equal(upstream.requests.length, asked + 1);
  const { output_format: format, background } = upstream.requests.at(-1)?.json() as Record<string, unknown>;
  assert.deepEqual([format, background], ['png', 'transparent']);
});

test('a file of another format than asked for is no result, and costs nothing', async () => {
  upstream.answers({ json: { created: 1, data: [{ b64_json: file.toString('base64') }] } });
  const { key } = await gateway.newKey({ balance: '1' });
  const made = await gateway.post(path, { ...image, model: 'fixed', output_format: 'webp' }, bearer(key));
  assert.deepEqual([made.status, made.body['error'].code], [502, 'upstream_error'], JSON.stringify(made.body));
  assert.match(String(made.body['error'].message), /image\/png where 'output_format' is 'webp'/);
  assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
});

const filesOf = (data: unknown): Buffer[] =>
  (data as { b64_json: string }[]).map(({ b64_json: text }) => Buffer.from(text, 'base64'));

/** The addresses of the newest task, which lists tell. */
async function listed(key: string): Promise<string[]> {
  const { body }: Answer = await gateway.get('/v1/tasks', bearer(key));
  return (body['data'][0].data as { url: string }[]).map(({ url }) => url);
}

const bytesOf = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());
