import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import { signLink } from '../../src/storage/links.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let url: URL;
let task: TaskId;
let whole: Buffer;
before(async () => {
  gateway = await startTestGateway();
  const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024', n: 2 };
  const { body } = await gateway.post('/v1/images/generations', image);
  url = new URL(String(body['data'][0].url));
  task = body['id'] as TaskId;
  whole = Buffer.from(await (await fetch(url)).arrayBuffer());
});
after(() => gateway.stop());

const now = () => Math.floor(Date.now() / 1000);
const changed = (change: (link: URL) => void): URL => {
  const link = new URL(url);
  change(link);
  return link;
};

test('a link is good for at least 24 hours', () => {
  assert.ok(Number(url.searchParams.get('e')) >= now() + 24 * 3600 - 60);
});

test('a file is whole, typed, and may be shown on any page, but not guessed to be anything else', async () => {
  const { status, headers } = await fetch(url);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'image/png');
  assert.equal(headers.get('content-length'), String(whole.length));
  assert.equal(headers.get('accept-ranges'), 'bytes');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
  assert.match(headers.get('content-disposition') ?? '', new RegExp(`filename="${task}-0\\.png"`));
  assert.match(headers.get('x-request-id') ?? '', /^req_/);
});

test('HEAD gives the headers of a file and nothing else', async () => {
  const response = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([response.status, response.headers.get('content-length')], [200, String(whole.length)]);
  assert.equal((await response.arrayBuffer()).byteLength, 0);
});

for (const [range, start, end] of [
  ['bytes=0-9', 0, 10],
  ['bytes=10-', 10, Infinity],
  ['bytes=-7', -7, Infinity],
  ['bytes=5-5', 5, 6],
  ['bytes=0-99999999', 0, Infinity],
  ['bytes=-99999999', 0, Infinity],
] as const) {
  test(`the range ${range} is those bytes`, async () => {
    const response = await fetch(url, { headers: { Range: range } });
    const expected = whole.subarray(start, end === Infinity ? undefined : end);
    assert.equal(response.status, 206);
    const first = start < 0 ? whole.length + start : start;
    assert.equal(
      response.headers.get('content-range'),
      `bytes ${first}-${first + expected.length - 1}/${whole.length}`,
    );
    assert.equal(response.headers.get('content-length'), String(expected.length));
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(expected));
  });
}

for (const range of ['bytes=99999999-', 'bytes=-0']) {
  test(`the range ${range} can't be given`, async () => {
    const response = await fetch(url, { headers: { Range: range } });
    assert.equal(response.status, 416);
    assert.equal(response.headers.get('content-range'), `bytes */${whole.length}`);
  });
}

for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-5', 'bytes=-', 'bytes=a-b']) {
  test(`the range ${range} is not one that is served, so that the whole file is`, async () => {
    const response = await fetch(url, { headers: { Range: range } });
    assert.equal(response.status, 200);
    assert.equal(sha256(Buffer.from(await response.arrayBuffer())), sha256(whole));
  });
}

for (const [what, link] of [
  ['another signature', () => changed(({ searchParams }) => searchParams.set('s', 'A'.repeat(43)))],
  ['no signature', () => changed(({ searchParams }) => searchParams.delete('s'))],
  ['a later end', () => changed(({ searchParams }) => searchParams.set('e', String(now() + 999_999)))],
  ['another file of the task', () => changed((it) => (it.pathname = `/files/${task}/1`))],
  ['another task', () => changed((it) => (it.pathname = `/files/img_${'0'.repeat(32)}/0`))],
  ['an unknown secret', () => changed(({ searchParams }) => searchParams.set('k', 'other'))],
  ['two signatures', () => changed(({ searchParams }) => searchParams.append('s', 'x'))],
  [
    'a file that the task has not',
    () =>
      new URL(signLink({ taskId: task, index: 2, expiresAtSeconds: now() + 60 }, gateway.core.secrets), gateway.url),
  ],
  [
    'a task that there is not',
    () =>
      new URL(
        signLink({ taskId: 'img_none' as TaskId, index: 0, expiresAtSeconds: now() + 60 }, gateway.core.secrets),
        gateway.url,
      ),
  ],
  [
    'an end that has passed',
    () => new URL(signLink({ taskId: task, index: 0, expiresAtSeconds: now() - 1 }, gateway.core.secrets), gateway.url),
  ],
] as const) {
  test(`a link with ${what} opens nothing, whatever key comes with it`, async () => {
    for (const key of [null, gateway.key]) {
      assertError(await answerOf(await gateway.fetch(link().href, { key })), 'route_not_found');
    }
  });
}

test('each image of a task has its own link', async () => {
  const other = new URL(
    signLink({ taskId: task, index: 1, expiresAtSeconds: now() + 60 }, gateway.core.secrets),
    gateway.url,
  );
  const response = await fetch(other);
  assert.equal(response.status, 200);
  assert.notEqual(sha256(Buffer.from(await response.arrayBuffer())), sha256(whole));
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
