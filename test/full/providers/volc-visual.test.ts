/** Volcengine Visual through the public API, with a stand-in that speaks its format and checks its signatures. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openStandIn, type StandIn } from '../../providers/contract/stand-in.ts';
import { volcVisualFixture } from '../../providers/volc-visual/fixture.ts';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, png } from '../../support/media.ts';

const configurationFor = (baseUrl: string) => `
providers:
  volc: { kind: volc-visual, rate_limit_patience_seconds: 0, base_url: "${baseUrl}", access_key: ${volcVisualFixture.secrets['access_key']}, secret_key: "${volcVisualFixture.secrets['secret_key']}" }
models:
  - id: still
    kind: image
    routes: [{ provider: volc, model: jimeng_seedream46_cvtob }]
    price: { per_image: 0.25 }
    quality_scale: { low: 25, medium: 50, high: 75 }
  - { id: lips, kind: avatar-video, routes: [{ provider: volc, model: realman_change_lips }], price: { per_second: 0.05 } }
  - { id: portrait, kind: avatar-image, routes: [{ provider: volc, model: jimeng_realman_avatar_picture_omni_v15 }], price: { per_second: 0.1 } }
`;
const [video, audio, face] = [
  'http://caller.example/a.mp4',
  'http://caller.example/a.wav',
  'http://caller.example/a.png',
];

let gateway: TestGateway;
let standIn: StandIn;
before(async () => {
  const files = { image: await png({ width: 16, height: 16 }), video: await mp4({ seconds: 1 }) };
  standIn = await openStandIn(volcVisualFixture, files);
  gateway = await startTestGateway({ configuration: configurationFor(standIn.baseUrl) });
});
after(() => Promise.all([gateway.stop(), standIn.close()]));

for (const { name, path, request, sent, images = 1, cost } of [
  {
    name: 'an image of high quality has its scale',
    path: 'images',
    request: { model: 'still', prompt: 'A gate', quality: 'high', size: '2048x1024' },
    sent: {
      ...{ req_key: 'jimeng_seedream46_cvtob', prompt: 'A gate', width: 2048, height: 1024 },
      ...{ scale: 75, force_single: true },
    },
    cost: 0.25,
  },
  {
    name: 'of a group, as many images are charged as came',
    path: 'images',
    request: { model: 'still', prompt: 'Two gates', n: 4, image_urls: [face], resolution: '1k', ratio: '1:1' },
    sent: {
      ...{ req_key: 'jimeng_seedream46_cvtob', prompt: 'Two gates', image_urls: [face] },
      ...{ width: 1024, height: 1024, scale: 50, force_single: false },
    },
    images: 2,
    cost: 0.5,
  },
  {
    name: 'of a group, no more images are charged than were asked for',
    path: 'images',
    request: { model: 'still', prompt: 'Gates', n: 2, size: '1024x1024' },
    sent: {
      ...{ req_key: 'jimeng_seedream46_cvtob', prompt: 'Gates' },
      ...{ width: 1024, height: 1024, scale: 50, force_single: false },
    },
    images: 5,
    cost: 0.5,
  },
  {
    name: 'an image is upscaled by the model for that',
    path: 'images',
    request: { model: 'still', upscale: true, resolution: '8k', image_urls: [face] },
    sent: { req_key: 'jimeng_i2i_seed3_tilesr_cvtob', image_urls: [face], resolution: '8k' },
    cost: 0.25,
  },
  {
    name: 'an avatar video is made of the flat body',
    path: 'video',
    request: { model: 'lips', audioUrl: audio, videoUrl: video, modelVersion: 2 },
    sent: { req_key: 'realman_change_lips', url: video, pure_audio_url: audio },
    cost: 0.05,
  },
  {
    name: 'an avatar image is made of content, its image with the role of a video',
    path: 'video',
    request: {
      model: 'portrait',
      content: [
        { type: 'text', text: 'She smiles' },
        { type: 'image_url', image_url: { url: face }, role: 'reference_video' },
        { type: 'audio_url', audio_url: { url: audio }, role: 'reference_audio' },
      ],
    },
    sent: {
      ...{ req_key: 'jimeng_realman_avatar_picture_omni_v15', prompt: 'She smiles' },
      ...{ image_url: face, audio_url: audio },
    },
    cost: 0.1,
  },
]) {
  test(name, async () => {
    const { key } = await gateway.newKey({ balance: '10' });
    standIn.images = images;
    const before = standIn.paid.length;
    const { status, body } = await gateway.post(`/v1/${path}/generations`, request, bearer(key));
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      standIn.paid.slice(before).map(({ json }) => json),
      [sent],
    );
    for (const call of [...standIn.paid, ...standIn.asked]) volcVisualFixture.assertSigned(call);
    assert.ok(Math.abs(body['_local'].cost - cost) < 0.01, `it cost ${String(body['_local'].cost)}`);
    assert.deepEqual(await gateway.money(key), { balance: body['_local'].balance, held: 0 });
    const results = (body['data'] ?? body['content']) as { url?: string; video_url?: string }[];
    if (path === 'images') assert.equal(results.length * 0.25, cost);
    for (const { url, video_url } of results) {
      const link = String(url ?? video_url);
      assert.ok(link.startsWith(`${gateway.url}/files/`), 'the link is our own');
      const type = (await fetch(link)).headers.get('content-type');
      assert.equal(type, path === 'images' ? 'image/png' : 'video/mp4');
    }
  });
}

for (const [behaviour, status, code, param] of [
  ['refuses policy', 400, 'content_policy_violation', 'prompt'],
  ['refuses input', 400, 'invalid_parameter', null],
  ['is busy', 429, 'upstream_rate_limited', null],
  ['has an account failure', 502, 'upstream_error', null],
] as const) {
  test(`a service that ${behaviour} is a ${status} with the task record, and costs nothing`, async () => {
    const { key } = await gateway.newKey({ balance: '1' });
    standIn.creates(behaviour, 'takes');
    const request = { model: 'still', prompt: 'A gate', size: '1024x1024' };
    const answer = await gateway.post('/v1/images/generations', request, bearer(key));
    const { body } = answer;
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.deepEqual([body['status'], body['error'].code, body['error'].param], ['failed', code, param]);
    assert.equal(answer.headers.get('x-should-retry'), 'false');
    assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
  });
}
