import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import type { UploadName } from '../../src/domain/tasks/uploads.ts';
import { signLink } from '../../src/tasks/provider-calls/signed-links.ts';
import { findTask, type Task } from '../../src/tasks/rows/task-rows.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';

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
const changed = (change: (link: URL) => void): URL => onto(url, change);

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
    () => new URL(signLink({ taskId: task, file: 2, expiresAtSeconds: now() + 60 }, gateway.core.secrets), gateway.url),
  ],
  [
    'a task that there is not',
    () =>
      new URL(
        signLink({ taskId: 'img_none' as TaskId, file: 0, expiresAtSeconds: now() + 60 }, gateway.core.secrets),
        gateway.url,
      ),
  ],
  [
    'an end that has passed',
    () => new URL(signLink({ taskId: task, file: 0, expiresAtSeconds: now() - 1 }, gateway.core.secrets), gateway.url),
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
    signLink({ taskId: task, file: 1, expiresAtSeconds: now() + 60 }, gateway.core.secrets),
    gateway.url,
  );
  const response = await fetch(other);
  assert.equal(response.status, 200);
  assert.notEqual(sha256(Buffer.from(await response.arrayBuffer())), sha256(whole));
});

describe("a provider's link to an upload", () => {
  const talks = '/v1/svctalk/generate';
  const voice = wav({ seconds: 1 });
  let footage: Buffer;
  let talk: Task;
  let audio: URL;
  let video: URL;
  const linkTo = (file: UploadName, expiresAtSeconds: number) =>
    new URL(signLink({ taskId: talk.id, file, expiresAtSeconds }, gateway.core.secrets), gateway.url);
  before(async () => {
    footage = await mp4({ seconds: 1, hasAudio: false });
    const form = new FormData();
    form.append('audio', new Blob([voice]), 'voice.bin');
    form.append('video', new Blob([footage]), 'footage.bin');
    const created = await answerOf(await gateway.fetch(talks, { method: 'POST', body: form }));
    const { id } = created.body;
    assert.deepEqual({ ...created.body }, { id, status: 'processing' });
    const found = await findTask(gateway.core.database, String(id));
    assert.ok(found);
    talk = found;
    [audio, video] = (['audio', 'video'] as const).map((file) => new URL(gateway.core.addresses.media(talk, file))) as [
      URL,
      URL,
    ];
  });

  test('opens the very bytes that the caller sent, typed by their content', async () => {
    for (const [link, bytes, type, name] of [
      [audio, voice, 'audio/wav', 'audio.wav'],
      [video, footage, 'video/mp4', 'video.mp4'],
    ] as const) {
      const { status, headers, body } = await read(link);
      assert.deepEqual([status, headers.get('content-type')], [200, type]);
      assert.match(headers.get('content-disposition') ?? '', new RegExp(`filename="${talk.id}-${name}"`));
      assert.equal(sha256(body), sha256(bytes));
    }
  });

  test('is good until the last deadline of the task, and a day for its submission', () => {
    const [route] = talk.terms.routes;
    const last = (talk.createdAt.getTime() + (route?.deadlineMs ?? 0)) / 1000 + 24 * 3600;
    const expiresAt = Number(audio.searchParams.get('e'));
    assert.ok(expiresAt >= last && expiresAt <= last + 2 * 3600, String(expiresAt - last));
  });

  test('gives ranges and heads like any file', async () => {
    const part = await read(audio, { headers: { Range: 'bytes=4-11' } });
    assert.deepEqual(
      [part.status, part.headers.get('content-range'), sha256(part.body)],
      [206, `bytes 4-11/${voice.length}`, sha256(voice.subarray(4, 12))],
    );
    const none = await read(video, { headers: { Range: 'bytes=99999999-' } });
    assert.deepEqual([none.status, none.headers.get('content-range')], [416, `bytes */${footage.length}`]);
    const head = await read(video, { method: 'HEAD' });
    assert.deepEqual(
      [head.status, head.headers.get('content-length'), head.body.length],
      [200, String(footage.length), 0],
    );
  });

  for (const [what, link] of [
    ['another signature', () => onto(audio, ({ searchParams }) => searchParams.set('s', 'A'.repeat(43)))],
    ['no signature', () => onto(audio, ({ searchParams }) => searchParams.delete('s'))],
    ['a later end', () => onto(audio, ({ searchParams }) => searchParams.set('e', String(now() + 999_999)))],
    ['the name of the other upload', () => onto(audio, (it) => (it.pathname = `/files/${talk.id}/video`))],
    ['the number of a result', () => onto(audio, (it) => (it.pathname = `/files/${talk.id}/0`))],
    ['another task', () => onto(audio, (it) => (it.pathname = `/files/${task}/audio`))],
    ['an end that has passed', () => linkTo('audio', now() - 1)],
    [
      'a task that has no uploads',
      () =>
        new URL(
          signLink({ taskId: task, file: 'audio', expiresAtSeconds: now() + 60 }, gateway.core.secrets),
          gateway.url,
        ),
    ],
  ] as const) {
    test(`with ${what} opens nothing, whatever key comes with it`, async () => {
      for (const key of [null, gateway.key]) {
        assertError(await answerOf(await gateway.fetch(link().href, { key })), 'route_not_found');
      }
    });
  }

  test('is never shown to callers, and opens nothing once the video was fetched and all was deleted', async () => {
    let running = await gateway.get(`${talks}/${talk.id}`);
    for (; running.body['status'] === 'processing'; running = await gateway.get(`${talks}/${talk.id}`)) {
      assert.deepEqual(running.body, { id: talk.id, status: 'processing' });
      assert.ok(![...running.headers.values()].some((value) => value.includes('/files/')));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(running.headers.get('content-type'), 'video/mp4');
    assert.ok(![...running.headers.values()].some((value) => value.includes('/files/')));
    while ((await read(audio)).status !== 404) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const link of [audio, video]) assertError(await answerOf(await fetch(link)), 'route_not_found');
  });
});

const onto = (link: URL, change: (link: URL) => void): URL => {
  const other = new URL(link);
  change(other);
  return other;
};
const read = async (link: URL, init: RequestInit = {}) => {
  const response = await fetch(link, init);
  const { status, headers } = response;
  return { status, headers, body: Buffer.from(await response.arrayBuffer()) };
};
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
