import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';

const configuration = `
providers: { simulator: { kind: simulator } }
models:
  - { id: image, kind: image, owned_by: us, created: 1700000000, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
  - { id: vendor/family/video-1.5, kind: video, owned_by: vendor, capabilities: [video, vision], routes: [{ provider: simulator, model: m }], price: { per_second: 0.1 } }
  - { id: broken, kind: image, maintenance: true, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
  - { id: hidden, kind: image, published: false, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
`;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ configuration });
});
after(() => gateway.stop());

const image = { id: 'image', object: 'model', created: 1_700_000_000, owned_by: 'us' };
const video = { id: 'vendor/family/video-1.5', object: 'model', created: 1_767_225_600, owned_by: 'vendor' };

for (const root of ['/v1', '/ai/v1']) {
  test(`${root}/models lists what is published and not in maintenance`, async () => {
    const { status, body } = await gateway.get(`${root}/models`);
    assert.deepEqual({ status, body }, { status: 200, body: { object: 'list', data: [image, video] } });
  });

  test(`${root}/models/{id} gives one record, of an id with slashes too, written out or escaped`, async () => {
    assert.deepEqual((await gateway.get(`${root}/models/image`)).body, image);
    assert.deepEqual((await gateway.get(`${root}/models/vendor/family/video-1.5`)).body, video);
    assert.deepEqual((await gateway.get(`${root}/models/${encodeURIComponent(video.id)}`)).body, video);
    for (const id of ['hidden', 'broken', 'unknown', 'vendor', 'image/x', 'constructor']) {
      assertError(await gateway.get(`${root}/models/${id}`), 'model_not_found', 'model');
    }
  });
}

test('the allow-list of a key filters the list and the records', async () => {
  const { key } = await gateway.newKey({ models: [video.id, 'hidden'] });
  assert.deepEqual((await gateway.get('/v1/models', bearer(key))).body['data'], [video]);
  assert.deepEqual((await gateway.get(`/v1/models/${video.id}`, bearer(key))).body, video);
  assertError(await gateway.get('/v1/models/image', bearer(key)), 'model_not_found', 'model');
  assertError(await gateway.get('/v1/models/hidden', bearer(key)), 'model_not_found', 'model');
});

test('the health report needs no key, is at both addresses, and names published models only', async () => {
  for (const path of ['/api/models/health', '/ai/v1/models/health']) {
    const { status, body } = await answerOf(await gateway.fetch(path, { key: null }));
    assert.equal(status, 200, path);
    assert.deepEqual(Object.keys(body), ['health', 'capabilities', 'labels']);
    assert.deepEqual(Object.keys(body['health'] as object), ['image', video.id, 'broken']);
    for (const entry of Object.values(body['health'] as Record<string, Record<string, unknown>>)) {
      assert.deepEqual(Object.keys(entry).sort(), ['available', 'lastChecked', 'latencyMs']);
      assert.ok(
        Number.isSafeInteger(entry['lastChecked']) && Math.abs(Number(entry['lastChecked']) - Date.now()) < 120_000,
      );
      assert.equal(typeof entry['latencyMs'], 'number');
    }
    assert.deepEqual(
      [body['health'].image.available, body['health'][video.id].available, body['health'].broken.available],
      [true, true, false],
    );
    assert.deepEqual(body['capabilities'], { image: ['image'], [video.id]: ['video', 'vision'], broken: ['image'] });
    assert.deepEqual(body['labels'], {
      chat: '对话',
      vision: '视觉理解',
      reasoning: '深度思考',
      tools: '工具调用',
      code: '代码生成',
      image: '图像生成',
      video: '视频生成',
      avatar: '数字人',
      tts: '语音合成',
      asr: '语音识别',
    });
  }
});

test('three faults of its route in a row make a model unavailable, a mistake of the caller none, a success the opposite', async () => {
  const send = async (prompt: string) =>
    (await gateway.post('/v1/images/generations', { model: 'image', prompt, size: '1024x1024' })).status;
  const available = async (expected: boolean) => {
    for (let tries = 0; tries < 60; tries++) {
      const { body } = await gateway.get('/api/models/health');
      if (body['health'].image.available === expected) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  };
  assert.deepEqual(
    [await send('[sim:fail=x]'), await send('[sim:fail=x]'), await send('[sim:policy]')],
    [502, 502, 400],
  );
  await new Promise((resolve) => setTimeout(resolve, 1_100)); // the report is kept for a second
  assert.ok(await available(true), 'two faults are not enough');
  assert.equal(await send('[sim:fail=x]'), 502);
  assert.ok(await available(false), 'the third one is');
  assert.equal(await send('A toll gate'), 200);
  assert.ok(await available(true), 'a success makes it available again');
});

for (const [given, taken] of [
  ['my-request.1_A', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['with space', false],
  ['a/b', false],
  ['', false],
] as const) {
  test(`the request id '${given.slice(0, 20)}' of ${given.length} characters is ${taken ? 'taken over' : 'replaced'}`, async () => {
    for (const path of ['/v1/models', '/v1/nothing', '/healthz']) {
      const { headers } = await gateway.get(path, { 'X-Request-Id': given });
      const answered = headers.get('x-request-id') ?? '';
      if (taken) assert.equal(answered, given);
      else assert.match(answered, /^req_[0-9a-f]{32}$/);
    }
  });
}

test('the request id of a creation is on its ledger entries', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const headers = { ...bearer(key), 'X-Request-Id': 'mine-1' };
  await gateway.post('/v1/images/generations', { model: 'image', prompt: 'A gate', size: '1024x1024' }, headers);
  const { data } = (await gateway.get('/v1/account/ledger?request_id=mine-1', bearer(key))).body;
  assert.deepEqual(
    (data as { type: string }[]).map(({ type }) => type),
    ['capture', 'hold'],
  );
});

test('the process says that it is up and ready, without a key', async () => {
  const up = await answerOf(await gateway.fetch('/healthz', { key: null }));
  assert.deepEqual([up.status, up.body], [200, { status: 'ok' }]);
  const ready = await answerOf(await gateway.fetch('/readyz', { key: null }));
  assert.deepEqual([ready.status, ready.body], [200, { status: 'ok' }]);
});
