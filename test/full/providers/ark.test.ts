/** Ark behind the public API: chat, images and videos, with a stand-in that has the documented wire format. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { probeMedia } from '../../../src/media/probe.ts';
import { bytesReader } from '../../../src/media/reader.ts';
import { arkFixture } from '../../providers/ark/fixture.ts';
import { openStandIn, type StandIn } from '../../providers/contract/stand-in.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, png } from '../../support/media.ts';
import { assertLedgerAddsUp } from '../../support/money.ts';
import { chatAnswer } from '../../support/upstream.ts';

let gateway: TestGateway;
let standIn: StandIn;
before(async () => {
  const [image, video] = await Promise.all([png({ width: 64, height: 48 }), mp4({ seconds: 2 })]);
  standIn = await openStandIn(arkFixture, { image, video });
  gateway = await startTestGateway({ configuration: configurationOf(standIn.baseUrl) });
});
after(async () => {
  await gateway.stop();
  await standIn.close();
});

const images = '/v1/images/generations';
const videos = '/v1/video/generations';
const policy = {
  code: 'OutputImageSensitiveContentDetected',
  message: 'The output image may contain sensitive information. Request id: 0217abc',
};

test('three images of which one failed are two, at the price of two', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const urls = [0, 1].map((at) => ({ url: `${standIn.origin}/media/image/1/${at}`, size: '2304x1728' }));
  standIn.creates({ reply: { json: { created: 1_790_000_000, data: [urls[0], { error: policy }, urls[1]] } } });
  const asked = { model: 'ark-image', prompt: 'Three moods', n: 3, size: '2304x1728' };
  const { status, body } = await gateway.post(images, asked, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  const links = (body['data'] as { url: string }[]).map(({ url }) => url);
  assert.equal(new Set(links).size, 2);
  for (const link of links) {
    const response = await fetch(link);
    assert.equal(response.headers.get('content-type'), 'image/png');
    const { width, height } = await probeMedia(bytesReader(Buffer.from(await response.arrayBuffer())));
    assert.deepEqual([width, height], [64, 48]);
  }
  assert.deepEqual(body['_local'], { cost: 0.5, balance: 9.5 });
  assert.deepEqual(await gateway.money(key), { balance: 9.5, held: 0 });
  assert.deepEqual(standIn.paid.at(-1)?.json, {
    ...{ model: 'doubao-seedream-4-0-250828', prompt: 'Three moods', size: '2304x1728' },
    ...{ sequential_image_generation: 'auto', sequential_image_generation_options: { max_images: 3 } },
    ...{ response_format: 'url', watermark: false },
  });
});

test('an Ark video costs the seconds that it lasts, not those that were asked for', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  standIn.creates('takes');
  const { status, body } = await gateway.post(videos, { model: 'ark-video', prompt: 'Cars pass' }, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  const response = await fetch(String(body['content'][0].video_url));
  assert.equal(response.headers.get('content-type'), 'video/mp4');
  const { durationMs } = await probeMedia(bytesReader(Buffer.from(await response.arrayBuffer())));
  assert.ok(durationMs !== undefined && Math.abs(durationMs - 2_000) < 100, `it lasts ${durationMs} ms`);
  const cost = Math.round(durationMs * 100) / 1_000_000;
  assert.deepEqual(body['_local'], { cost, balance: Math.round((10 - cost) * 1_000_000) / 1_000_000 });
  assert.deepEqual(await gateway.money(key), { balance: body['_local'].balance, held: 0 });
});

for (const [what, path, asked] of [
  ['an image', images, { model: 'ark-image', prompt: 'Something bad', size: '1024x1024' }],
  ['a video', videos, { model: 'ark-video', prompt: 'Something bad' }],
] as const) {
  test(`${what} against the policy is its record under 400, and costs nothing`, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    standIn.creates('refuses policy');
    const { status, body } = await gateway.post(path, asked, bearer(key));
    assert.deepEqual([status, body['status']], [400, 'failed'], JSON.stringify(body));
    assert.deepEqual(body['error'], {
      message: 'The input text may be sensitive.',
      type: 'invalid_request_error',
      param: null,
      code: 'content_policy_violation',
    });
    assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
  });
}

test('when all images of an Ark task fail, the first error is reported and nothing is charged', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  standIn.creates({ reply: { json: { data: [{ error: policy }, { error: policy }] } } });
  const asked = { model: 'ark-image', prompt: 'Two moods', n: 2, size: '1024x1024' };
  const { status, body } = await gateway.post(images, asked, bearer(key));
  assert.deepEqual([status, body['error'].code], [400, 'content_policy_violation']);
  assert.equal(body['error'].message, 'The output image may contain sensitive information.');
  assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
});

test('upscaling is refused without asking the provider', async () => {
  const asked = { model: 'ark-image', upscale: true, image_urls: [`${standIn.origin}/media/image/1/0`] };
  const before = standIn.paid.length;
  const { status, body } = await gateway.post(images, asked);
  assert.deepEqual([status, body['error'].code, body['error'].param], [400, 'invalid_parameter', 'upscale']);
  assert.equal(standIn.paid.length, before);
});

test('chat goes through as it is, and is charged by the token', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  standIn.creates({ reply: { json: chatAnswer('Hello!').json } });
  const messages = [{ role: 'user', content: 'Hello' }];
  const { status, body } = await gateway.post('/v1/chat/completions', { model: 'ark-chat', messages }, bearer(key));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body['choices'][0].message.content, 'Hello!');
  const sent = standIn.paid.at(-1);
  assert.ok(sent !== undefined);
  assert.equal(sent.path, '/api/v3/chat/completions');
  assert.deepEqual(sent.json, { model: 'doubao-seed-1-6', messages });
  arkFixture.assertSigned(sent);
  for (let tries = 0; tries < 500 && (await gateway.money(key)).held > 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(await gateway.money(key), { balance: 9.988, held: 0 }); // 12 tokens at a thousandth
});

test('the ledger adds up', () => assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger));

const configurationOf = (baseUrl: string): string => `
providers:
  ark: { kind: ark, base_url: '${baseUrl}', api_key: '${arkFixture.secrets['api_key'] ?? ''}' }
models:
  - id: ark-chat
    kind: chat
    routes: [{ provider: ark, model: doubao-seed-1-6 }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: ark-image
    kind: image
    routes: [{ provider: ark, model: doubao-seedream-4-0-250828 }]
    price: { per_image: 0.25 }
  - id: ark-video
    kind: video
    routes: [{ provider: ark, model: doubao-seedance-2-0-260128, options: { resolution: 720p } }]
    price: { per_second: 0.1 }
`;
