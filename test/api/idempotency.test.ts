import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };
const create = (key: string, idempotencyKey: string, body: object = image, path = '/v1/images/generations') =>
  gateway.post(path, body, { ...bearer(key), 'Idempotency-Key': idempotencyKey, Prefer: 'wait=60' });
const ledgerOf = async (key: string) =>
  ((await gateway.get('/v1/account/ledger?limit=100', bearer(key))).body['data'] as { type: string }[]).map(
    ({ type }) => type,
  );

test('fifty equal calls at once with one key are one task, one charge and fifty equal answers', async () => {
  const { key } = await gateway.newKey({ balance: '100', callLimits: [{ calls: 1, per: 'total' }] });
  const fifty = () => Promise.all(Array.from({ length: 50 }, () => create(key, 'once')));
  const hour = () => Math.floor(Date.now() / 3_600_000);
  const started = hour();
  // Links end at a full hour: should another one begin just now, the same task is asked for again.
  const answers = await fifty().then((some) => (hour() === started ? some : fifty()));
  const [first] = answers;
  assert.ok(first);
  assert.equal(first.status, 200);
  assert.match(String(first.body['data'][0].url), /^http/);
  for (const { status, body } of answers) {
    assert.equal(status, 200);
    assert.deepEqual(body, first.body);
  }
  assert.deepEqual(await ledgerOf(key), ['capture', 'hold', 'credit']);
  assert.deepEqual(await gateway.money(key), { balance: 99.8, held: 0 });
});

test('the order of names and the spaces of a body make no difference', async () => {
  const { key } = await gateway.newKey({ balance: '100' });
  const headers = { ...bearer(key), 'Idempotency-Key': 'order', Prefer: 'wait=0' };
  const first = await gateway.post(
    '/v1/images/generations',
    '{"model":"sim-image","prompt":"A \\u0067ate","n":1}',
    headers,
  );
  const second = await gateway.post(
    '/v1/images/generations',
    '{ "n": 1.0,\n "prompt": "A gate", "model": "sim-image" }',
    headers,
  );
  assert.match(String(first.body['id']), /^img_/);
  assert.equal(second.body['id'], first.body['id']);
});

test('both deployments are one service: a key that one bound answers on the other', async () => {
  const { key } = await gateway.newKey({ balance: '100' });
  const first = await create(key, 'roots');
  const second = await create(key, 'roots', image, '/ai/v1/images/generations');
  assert.equal(second.body['id'], first.body['id']);
});

test('another body, or another endpoint, under the same key is a conflict', async () => {
  const { key } = await gateway.newKey({ balance: '100' });
  await create(key, 'used');
  assertError(await create(key, 'used', { ...image, prompt: 'Another gate' }), 'idempotency_key_reused');
  assertError(await create(key, 'used', { ...image, unknown: 1 }), 'idempotency_key_reused');
  const video = { model: 'sim-video-fast', prompt: 'A toll gate' };
  assertError(await create(key, 'used', video, '/v1/video/generations'), 'idempotency_key_reused');
  assert.deepEqual(await ledgerOf(key), ['capture', 'hold', 'credit']);
});

test('two accounts may use the same key', async () => {
  const [one, two] = [await gateway.newKey({ balance: '1' }), await gateway.newKey({ balance: '1' })];
  const [first, second] = [await create(one.key, 'mine'), await create(two.key, 'mine')];
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.notEqual(first.body['id'], second.body['id']);
});

test('two keys of one account share what an idempotency key bound', async () => {
  const one = await gateway.newKey({ balance: '1' });
  const two = await gateway.newKeyOf(one.account);
  assert.equal((await create(two.key, 'shared')).body['id'], (await create(one.key, 'shared')).body['id']);
});

test('what was refused binds nothing', async () => {
  const { key, account } = await gateway.newKey({ balance: '0.1' });
  assertError(await create(key, 'poor'), 'insufficient_balance');
  await gateway.core.ledger.credit(account, 1_000_000n as never, 'for a test');
  assert.equal((await create(key, 'poor')).status, 200);
});

test('a task that failed keeps its key: the same record comes back, and nothing runs again', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const failing = { ...image, prompt: '[sim:fail=no luck]' };
  const first = await create(key, 'failed', failing);
  const second = await create(key, 'failed', failing);
  assert.equal(first.status, 502);
  assert.deepEqual(second.body, first.body);
  assert.deepEqual([second.status, second.headers.get('x-should-retry')], [502, 'false']);
  assert.deepEqual(await ledgerOf(key), ['release', 'hold', 'credit']);
});

test('a bound key is answered even when the limits or the money are used up', async () => {
  const { key } = await gateway.newKey({ balance: '0.2', callLimits: [{ calls: 1, per: 'total' }] });
  const first = await create(key, 'last');
  const again = await create(key, 'last');
  assert.deepEqual([again.status, again.body['id']], [200, first.body['id']]);
  assertError(await create(key, 'next'), 'call_limit_exceeded');
});

for (const [what, value, good] of [
  ['empty', '', false],
  ['one of spaces', '   ', false],
  ['of 255 characters', 'k'.repeat(255), true],
  ['of 256 characters', 'k'.repeat(256), false],
] as const) {
  test(`an idempotency key that is ${what} is ${good ? 'taken' : 'refused'}`, async () => {
    const { key } = await gateway.newKey({ balance: '1' });
    const answer = await create(key, value);
    if (good) assert.equal(answer.status, 200);
    else assertError(answer, 'invalid_parameter', 'Idempotency-Key');
  });
}

test('uploads are compared by what they hold: the same files are the same task, stored once', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const [audio, video] = [wav({ seconds: 1 }), await mp4({ seconds: 1, hasAudio: false })];
  const send = async (recording: Buffer, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('audio', new Blob([recording]), `${Math.random()}.wav`);
    form.append('video', new Blob([video]), 'video.mp4');
    const headers = { ...bearer(key), 'Idempotency-Key': 'upload' };
    return answerOf(await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers, body: form }));
  };
  const stored = await gateway.blobs();
  const [first, second] = await Promise.all([send(audio), send(audio)]);
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.deepEqual(second.body, first.body);
  assertError(await send(wav({ seconds: 1, hz: 220 })), 'idempotency_key_reused');
  assertError(await send(audio, { template_name: 'another' }), 'idempotency_key_reused');
  assert.deepEqual((await ledgerOf(key)).filter((type) => type === 'hold').length, 1);
  // The two uploads, and the result when it is there.
  const [least, most] = [stored + 2, stored + 3];
  const now = await gateway.blobs();
  assert.ok(now >= least && now <= most, `${now - stored} files are stored`);
});
