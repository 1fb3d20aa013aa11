/** Images of an upstream that speaks the OpenAI API, through the public API: answers that are the result themselves. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FileServer, serveFiles } from '../../support/file-server.ts';
import { type Answer, bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { assertLedgerAddsUp } from '../../support/money.ts';
import { png } from '../../support/media.ts';
import { errorAnswer, openUpstream, type Upstream } from '../../support/upstream.ts';

const path = '/v1/images/generations';
const images = [await png({ width: 64, height: 48 }), await png({ width: 48, height: 64 })];
const [first, second] = images.map((file) => ({ b64_json: file.toString('base64') }));
const blocked = { error: { code: 'moderation_blocked', message: 'This image was rejected by the safety system.' } };
const image = { model: 'still', prompt: 'A toll gate', size: '1536x1024', quality: 'high' };

let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
let server: FileServer;
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  server = await serveFiles({ 'reference.png': { type: 'image/png', bytes: images[0] ?? Buffer.alloc(0) } });
  gateway = await startTestGateway({
    configuration: `
providers:
  first: { kind: openai, base_url: '${upstream.url}', api_key: sk-of-the-operator-1, deadline_seconds: 60 }
models:
  - id: still
    kind: image
    routes: [{ provider: first, model: gpt-image-2, options: { moderation: low } }]
    price: { per_image: 0.3 }
`,
  });
});
after(async () => {
  await assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger);
  await gateway.stop();
  await server.close();
  await closeUpstream();
});

test('two images are charged as two, and their links deliver the very bytes', async () => {
  upstream.answers({ json: { created: 1, data: [first, second], usage: { total_tokens: 9 } } });
  const { key } = await gateway.newKey({ balance: '1' });
  const { status, body } = await gateway.post(path, { ...image, n: 2 }, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body['_local'], { cost: 0.6, balance: 0.4 });
  assert.deepEqual(await filesOf(body), images);
  const request = upstream.requests.at(-1);
  assert.equal(request?.path, '/v1/images/generations');
  assert.deepEqual(request.json(), {
    ...{ model: 'gpt-image-2', prompt: 'A toll gate', n: 2, size: '1536x1024', quality: 'high', moderation: 'low' },
  });
});

test('an image that failed is not charged', async () => {
  upstream.answers({ json: { created: 1, data: [blocked, second] } });
  const { key } = await gateway.newKey({ balance: '1' });
  const { status, body } = await gateway.post(path, { ...image, n: 2 }, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body['_local'], { cost: 0.3, balance: 0.7 });
  assert.deepEqual(await filesOf(body), images.slice(1));
});

test('an image made from a reference is sent the bytes of it', async () => {
  upstream.answers({ json: { created: 1, data: [first] } });
  const body = { ...image, image_urls: [`${server.url}/reference.png`] };
  const { status } = await gateway.post(path, body);
  assert.equal(status, 200);
  const request = upstream.requests.at(-1);
  assert.equal(request?.path, '/v1/images/edits');
  assert.ok(request.body.includes(images[0] ?? 'nothing'));
  assert.ok(!request.body.includes(server.url));
});

for (const [name, answer, code, status, param] of [
  [
    'a refused size',
    errorAnswer(400, 'Invalid size.', { param: 'size', code: 'invalid_value' }),
    ...(['invalid_parameter', 400, 'size'] as const),
  ],
  ['images that were all blocked', { json: { data: [blocked] } }, 'content_policy_violation', 400, null],
  ['what is no JSON', { json: 'nonsense' }, 'upstream_error', 502, null],
  ['not a readable image', { json: { data: [{ b64_json: '!!!' }] } }, 'upstream_error', 502, null],
  ['base64 of what is no image', { json: { data: [{ b64_json: 'aGVsbG8=' }] } }, 'upstream_error', 502, null],
  [
    "the operator's money gone",
    errorAnswer(429, 'Quota.', { code: 'insufficient_quota' }),
    'upstream_error',
    502,
    null,
  ],
] as const) {
  test(`${name} is reported as ${code}, and costs nothing`, async () => {
    upstream.answers(answer);
    const { key } = await gateway.newKey({ balance: '1' });
    const { status: reported, body } = await gateway.post(path, image, bearer(key));
    assert.deepEqual([reported, body['status']], [status, 'failed'], JSON.stringify(body));
    assert.deepEqual([body['error'].code, body['error'].param], [code, param]);
    assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
  });
}

test('upscaling is refused, and the upstream never hears of it', async () => {
  const asked = upstream.requests.length;
  const body = { model: 'still', upscale: true, image_urls: [`${server.url}/reference.png`] };
  const { status, body: reported } = await gateway.post(path, body);
  assert.equal(status, 400);
  assert.deepEqual([reported['error'].code, reported['error'].param], ['invalid_parameter', 'upscale']);
  assert.equal(upstream.requests.length, asked);
});

const filesOf = (body: Answer['body']): Promise<Buffer[]> =>
  Promise.all(
    (body['data'] as { url: string }[]).map(async ({ url }) => {
      const response = await fetch(url);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'image/png');
      return Buffer.from(await response.arrayBuffer());
    }),
  );
