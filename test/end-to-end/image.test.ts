import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { type Answer, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';

// Private addresses are refused here, as they are by default: our own links have to pass all the same.
let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'false' } });
});
after(() => gateway.stop());

const path = '/v1/images/generations';
const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };

test('an image that is done within the wait is answered with a link that serves the PNG', async () => {
  const { key } = await gateway.newKey({ balance: '100' });
  const before = Math.floor(Date.now() / 1000);
  const { status, headers, body } = await gateway.post(path, image, bearer(key));
  assert.equal(status, 200);
  assert.match(String(body['id']), /^img_[0-9a-f]{32}$/);
  assert.ok(body['created'] >= before && body['created'] <= Date.now() / 1000, 'created are Unix seconds');
  assert.equal(headers.get('x-should-retry'), null);
  const url = String(body['data'][0].url);
  assert.deepEqual(body, {
    id: body['id'],
    object: 'image',
    model: 'sim-image',
    status: 'succeeded',
    created: body['created'],
    data: [{ url }],
    success: true,
    _local: { cost: 0.2, balance: 99.8 },
  });
  assert.ok(url.startsWith(`${gateway.url}/files/${String(body['id'])}/0?`), 'the link is our own');
  assert.deepEqual(await pixelsOf(url), { type: 'image/png', width: 1024, height: 1024 });
  assert.deepEqual(await gateway.money(key), { balance: 99.8, held: 0 });
});

test('the second deployment answers at once with the id, and the image is there later', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const body = { ...image, prompt: 'Slow [sim:delay=300ms]' };
  const creation = await gateway.post('/ai/v1/images/generations', body, bearer(key));
  assertProcessing(creation);
  assert.deepEqual(await gateway.money(key), { balance: 0.8, held: 0.2 });
  const address = `/ai/v1/images/generations/${String(creation.body['id'])}`;
  const running = await gateway.get(address, bearer(key));
  assert.equal(running.status, 200);
  assert.equal(running.body['status'], 'processing');
  const { status, body: record } = await gateway.finished(address, key);
  assert.deepEqual([status, record['status'], record['success']], [200, 'succeeded', true]);
  assert.deepEqual(record['_local'], { cost: 0.2, balance: 0.8 });
  assert.equal((await pixelsOf(String(record['data'][0].url))).width, 1024);
});

test('an image that is not done within the wait of the call is a task, and GET gives it when it is done', async () => {
  const creation = await gateway.post(path, { ...image, prompt: '[sim:delay=2s]' }, { Prefer: 'wait=1' });
  assertProcessing(creation);
  const { status, body } = await gateway.finished(`${path}/${String(creation.body['id'])}`);
  assert.deepEqual([status, body['id'], body['status']], [200, creation.body['id'], 'succeeded']);
});

test('a wait makes the second deployment wait, and one that cannot be read changes nothing', async () => {
  assert.equal((await gateway.post('/ai/v1/images/generations', image, { Prefer: 'wait=60' })).status, 200);
  assert.equal((await gateway.post('/ai/v1/images/generations', image, { Prefer: 'wait=long' })).status, 202);
  assert.equal((await gateway.post(path, image, { Prefer: 'wait=-1' })).status, 200);
});

test('GET signs the links of a result afresh and repeats what it cost', async () => {
  const { key, account } = await gateway.newKey({ balance: '1' });
  const { body } = await gateway.post(path, image, bearer(key));
  await gateway.core.ledger.credit(account, 5_000_000n as never, 'for a test');
  const again = (await gateway.get(`${path}/${String(body['id'])}`, bearer(key))).body;
  assert.deepEqual({ ...again, data: body['data'] }, body);
  assert.equal((await pixelsOf(String(again['data'][0].url))).width, 1024);
});

test('three images are three links, and cost three times as much', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const { body } = await gateway.post(path, { ...image, n: 3 }, bearer(key));
  const urls = (body['data'] as { url: string }[]).map(({ url }) => url);
  assert.equal(new Set(urls).size, 3);
  for (const url of urls) assert.equal((await pixelsOf(url)).height, 1024);
  assert.deepEqual(body['_local'], { cost: 0.6, balance: 0.4 });
  const [capture, hold] = await ledgerOf(key);
  assert.deepEqual(
    [capture?.['type'], capture?.['amount'], capture?.['charged'], capture?.['units']],
    ['capture', 0, 0.6, 3],
  );
  assert.deepEqual([hold?.['type'], hold?.['amount'], hold?.['charged']], ['hold', -0.6, 0]);
});

for (const [asked, width, height] of [
  [{ resolution: '1k', ratio: '16:9' }, 1376, 768],
  [{ resolution: '1k', ratio: '1:1', size: '1536x1024' }, 1536, 1024],
] as const) {
  test(`${JSON.stringify(asked)} is an image of ${width}x${height}`, async () => {
    const { body } = await gateway.post(path, { model: 'sim-image', prompt: 'A toll gate', ...asked });
    assert.deepEqual(await pixelsOf(String(body['data'][0].url)), { type: 'image/png', width, height });
  });
}

test('an earlier result is upscaled by its own link, at its own ratio', async () => {
  const first = await gateway.post(path, { ...image, size: '1776x592' });
  const body = { model: 'sim-image', upscale: true, image_urls: [first.body['data'][0].url] };
  const second = await gateway.post(path, body);
  assert.equal(second.status, 200, JSON.stringify(second.body));
  assert.deepEqual(await pixelsOf(String(second.body['data'][0].url)), {
    type: 'image/png',
    width: 4096,
    height: 1365,
  });
});

test('a reference that leads inwards is refused, and one of our own that is forged fails the task and costs nothing', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  for (const url of [
    'http://127.0.0.1:1/a.png',
    'http://[::1]/a.png',
    'http://localhost/a.png',
    'http://169.254.169.254/',
  ]) {
    assertError(
      await gateway.post(path, { ...image, image_urls: [url] }, bearer(key)),
      'invalid_parameter',
      'image_urls[0]',
    );
  }
  const forged = `${gateway.url}/files/img_none/0?e=9999999999&k=x&s=x`;
  const { status, headers, body } = await gateway.post(
    path,
    { model: 'sim-image', upscale: true, image_urls: [forged] },
    bearer(key),
  );
  assert.equal(status, 400);
  assert.equal(headers.get('x-should-retry'), 'false');
  assert.deepEqual(
    [body['status'], body['error'].code, body['error'].param],
    ['failed', 'invalid_parameter', 'image_urls[0]'],
  );
  assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
});

for (const [prompt, status, message, error] of [
  ['[sim:fail=no luck today]', 502, /^no luck today$/, { type: 'upstream_error', param: null, code: 'upstream_error' }],
  ['[sim:policy]', 400, /policy/, { type: 'invalid_request_error', param: 'prompt', code: 'content_policy_violation' }],
] as const) {
  test(`a task that ends with ${error.code} within the wait is its record under ${status}, and costs nothing`, async () => {
    const { key } = await gateway.newKey({ balance: '1' });
    const answer = await gateway.post(path, { ...image, prompt }, bearer(key));
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('x-should-retry'), 'false');
    const { body } = answer;
    assert.deepEqual(body, {
      id: body['id'],
      object: 'image',
      model: 'sim-image',
      status: 'failed',
      created: body['created'],
      success: false,
      error: { message: body['error'].message, ...error },
    });
    assert.match(String(body['error'].message), message);
    assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
    assert.deepEqual(
      (await ledgerOf(key)).map(({ type, amount }) => [type, amount]),
      [
        ['release', 0.2],
        ['hold', -0.2],
        ['credit', 1],
      ],
    );
    const later = await gateway.get(`${path}/${String(body['id'])}`, bearer(key));
    assert.deepEqual({ status: later.status, body: later.body }, { status: 200, body });
    assert.equal(later.headers.get('x-should-retry'), null);
  });
}

test('a caller that goes away does not stop its task', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const leaving = new AbortController();
  const body = JSON.stringify({ ...image, prompt: '[sim:delay=500ms]' });
  const headers = { ...bearer(key), 'Content-Type': 'application/json' };
  const call = gateway.fetch(path, { method: 'POST', headers, body, signal: leaving.signal });
  let id: unknown;
  while (typeof id !== 'string') id = (await ledgerOf(key))[0]?.['task_id'];
  leaving.abort();
  await assert.rejects(call);
  assert.equal((await gateway.finished(`${path}/${id}`, key)).body['status'], 'succeeded');
  assert.deepEqual(await gateway.money(key), { balance: 0.8, held: 0 });
});

test('the query for a task may name its model, and no other', async () => {
  const { body } = await gateway.post('/ai/v1/images/generations', image);
  for (const root of ['/v1', '/ai/v1']) {
    const address = `${root}/images/generations/${String(body['id'])}`;
    assert.equal((await gateway.get(`${address}?model=sim-image`)).status, 200);
    assertError(await gateway.get(`${address}?model=sim-video-fast`), 'task_not_found');
    assertError(await gateway.get(`${address}?model=`), 'task_not_found');
  }
});

test('an image task is visible to its own account only, and only under its own kind', async () => {
  const { body } = await gateway.post('/ai/v1/images/generations', image);
  const stranger = await gateway.newKey({ balance: '1', level: 'admin' });
  const id = String(body['id']);
  for (const root of ['/v1', '/ai/v1']) {
    assertError(await gateway.get(`${root}/images/generations/${id}`, bearer(stranger.key)), 'task_not_found');
    for (const other of ['video/generations', 'svctalk/generate']) {
      assertError(await gateway.get(`${root}/${other}/${id}`, bearer(stranger.key)), 'task_not_found');
      assertError(await gateway.get(`${root}/${other}/${id}`), 'task_not_found');
    }
  }
  assertError(await gateway.get(`${path}/img_${'0'.repeat(32)}`), 'task_not_found');
  const reader = await gateway.newKey({ level: 'read' });
  assert.equal(
    (await gateway.get(`${path}/${id}`, bearer(reader.key))).status,
    200,
    'another key of the account sees it',
  );
});

function assertProcessing({ status, body, headers }: Answer): void {
  assert.equal(status, 202);
  const { id, created, message } = body;
  assert.deepEqual(body, { id, object: 'image', model: 'sim-image', status: 'processing', created, message });
  assert.match(String(id), /^img_/);
  assert.match(String(message), new RegExp(`GET .*${String(id)}`));
  assert.equal(headers.get('x-should-retry'), null);
}

const ledgerOf = async (key: string) =>
  (await gateway.get('/v1/account/ledger', bearer(key))).body['data'] as Record<string, unknown>[];

async function pixelsOf(url: string) {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  const file = Buffer.from(await response.arrayBuffer());
  assert.equal(file.length, Number(response.headers.get('content-length')));
  assert.equal(file.toString('latin1', 1, 4), 'PNG');
  return { type: response.headers.get('content-type'), width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}
