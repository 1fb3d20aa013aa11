/** The public suite's part about tasks: every kind, waited for and asked for, fetched by link, notified by webhook, cancelled, and once under a key. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { probeMedia } from '../../../src/media/probe.ts';
import { bytesReader } from '../../../src/media/reader.ts';
import { type FileServer, serveFiles } from '../file-server.ts';
import { answerOf } from '../gateway.ts';
import { jpg, mp4, png, wav } from '../media.ts';
import { until } from '../process.ts';
import { withUpstream } from '../upstream.ts';
import { assertDelivery } from '../webhooks.ts';
import { admin, type Caller, downloaded, itemsOf, newCaller, type Site } from './site.ts';

const images = '/v1/images/generations';
const videos = '/v1/video/generations';
const talks = '/v1/svctalk/generate';

export function testTasks(site: () => Site): void {
  for (const [what, body, cost, files] of [
    ['one of a size', { size: '1024x1280' }, 0.2, ['1024x1280']],
    ['three at once', { n: 3, resolution: '1k', ratio: '16:9' }, 0.6, ['1376x768', '1376x768', '1376x768']],
  ] as const) {
    test(`an image, ${what}, comes with its links, which any API serves`, async () => {
      const caller = await newCaller(site());
      const answer = await caller.post(images, { model: 'sim-image', prompt: 'A toll gate', ...body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.body['_local'].cost, cost);
      const links = itemsOf(answer).map(({ url }) => new URL(String(url)));
      for (const api of [site().url, ...site().apis]) {
        const sizes = await Promise.all(
          links.map(async ({ pathname, search }) => sizeOf(await downloaded(`${api}${pathname}${search}`))),
        );
        assert.deepEqual(sizes, files);
      }
    });
  }

  test('an image is upscaled, fetched from where its caller keeps it', () =>
    withFiles(async (files) => {
      const caller = await newCaller(site());
      const body = { model: 'sim-image', upscale: true, resolution: '4k', image_urls: [`${files.url}/face.jpg`] };
      const { status, body: record } = await caller.post(images, body);
      assert.equal(status, 200, JSON.stringify(record));
      assert.match(sizeOf(await downloaded(record['data'][0].url)), /^4096x/);
    }));

  for (const [path, fields] of [
    ['/v1/images/edits', { prompt: 'The gate in the fog', size: '1024x1024' }],
    ['/v1/images/variations', { size: '1024x1024' }],
  ] as const) {
    test(`POST ${path} makes an image of one that is uploaded`, async () => {
      const caller = await newCaller(site());
      const form = new FormData();
      for (const [name, text] of Object.entries({ model: 'sim-image', ...fields })) form.set(name, text);
      form.set('image', new Blob([new Uint8Array(await png({ width: 64, height: 48 }))]), 'gate.png');
      const answer = await answerOf(await caller.fetch(path, { method: 'POST', body: form }));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const [item] = itemsOf(answer);
      assert.equal(sizeOf(await downloaded(item?.['url'])), '1024x1024');
      assert.deepEqual(await chargedFor(site(), String(answer.body['id'])), ['capture', 'hold']);
    });
  }

  test('a video in the form of OpenAI is made at one API, listed, fetched and deleted at the other', async () => {
    const caller = await newCaller(site());
    const [first = '', second = ''] = site().apis;
    const wanted = { model: 'sim-video-fast', prompt: 'A gate opens', seconds: '5', size: '1280x720' };
    const created = await caller.at(first).post('/v1/videos', wanted);
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const path = `/v1/videos/${String(created.body['id'])}`;
    await until('its end', async () => {
      const { body } = await caller.at(second).get(path);
      assert.notEqual(body['status'], 'failed', JSON.stringify(body));
      return body['status'] === 'completed' ? true : undefined;
    });
    assert.ok(itemsOf(await caller.at(second).get('/v1/videos')).some(({ id }) => id === created.body['id']));
    const content = await caller.at(second).fetch(`${path}/content`);
    const facts = await probeMedia(bytesReader(Buffer.from(await content.arrayBuffer())));
    assert.deepEqual([facts.mediaType, facts.durationMs], ['video/mp4', 5_000]);
    const deleted = await caller.at(second).send('DELETE', path);
    assert.deepEqual([deleted.status, deleted.body['deleted']], [200, true]);
    assert.equal((await caller.at(first).get(path)).status, 404);
    assert.deepEqual(await chargedFor(site(), String(created.body['id'])), ['capture', 'hold']);
  });

  test('a video is accepted at once, and asked for until it is there', async () => {
    const caller = await newCaller(site());
    const body = { model: 'sim-video-fast', prompt: 'A gate opens', duration: 5 };
    const accepted = await caller.post(videos, body, { Prefer: 'wait=0' });
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    assert.equal(accepted.body['status'], 'processing');
    const path = `${videos}/${String(accepted.body['id'])}`;
    for (const url of site().apis) {
      const record = await caller.at(url).finished(path);
      assert.equal(record['status'], 'succeeded', JSON.stringify(record));
      const [item] = record['content'] as { video_url: string }[];
      const facts = await probeMedia(bytesReader(await downloaded(item?.video_url)));
      assert.deepEqual([facts.mediaType, facts.durationMs], ['video/mp4', 5_000]);
      assert.equal((record['_local'] as { cost: number }).cost, 0.5);
    }
  });

  for (const [model, body] of [
    ['sim-avatar-video', (at: string) => ({ audioUrl: `${at}/voice.wav`, videoUrl: `${at}/scene.mp4` })],
    [
      'sim-avatar-image',
      (at: string) => ({
        content: [
          { type: 'image_url', image_url: { url: `${at}/face.jpg` } },
          { type: 'audio_url', audio_url: { url: `${at}/voice.wav` } },
        ],
      }),
    ],
  ] as const) {
    test(`a video of ${model} lasts as long as its audio`, () =>
      withFiles(async (files) => {
        const caller = await newCaller(site());
        const { status, body: record } = await caller.post(videos, { model, ...body(files.url) });
        assert.equal(status, 200, JSON.stringify(record));
        assert.equal(record['_local'].cost, 0.06185, '1.237 s at 0.05 a second');
      }));
  }

  test('an avatar-talk is uploaded to one API, and fetched once from the other', async () => {
    const caller = await newCaller(site());
    const [first = '', second = ''] = site().apis;
    const created = await talk(caller.at(first));
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const path = `${talks}/${String(created.body['id'])}`;
    const video = await fetchedTalk(caller.at(second), path);
    assert.equal(video.headers.get('x-video-duration'), '2');
    assert.equal(video.headers.get('x-cost'), '0.1');
    const facts = await probeMedia(bytesReader(Buffer.from(await video.arrayBuffer())));
    assert.equal(facts.durationMs, 2_000);
    await until('its end', async () => ((await caller.get(path)).status === 404 ? true : undefined));
  });

  test('a task that is cancelled at the other API costs nothing', async () => {
    const caller = await newCaller(site());
    const [first = '', second = ''] = site().apis;
    const body = { model: 'sim-image', prompt: 'A gate [sim:delay=120s]' };
    const { body: accepted } = await caller.at(first).post(images, body, { Prefer: 'wait=1' });
    assert.equal(accepted['status'], 'processing');
    const path = `${images}/${String(accepted['id'])}`;
    const ended = await caller.at(second).send('DELETE', path);
    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    assert.equal(ended.body['error'].code, 'cancelled');
    assert.equal((await caller.at(first).send('DELETE', path)).status, 409);
    assert.deepEqual(await chargedFor(site(), String(accepted['id'])), ['hold', 'release']);
  });

  test('under one Idempotency-Key both APIs make one task, and wait for it together', async () => {
    const caller = await newCaller(site());
    const header = { 'Idempotency-Key': randomUUID() };
    const body = { model: 'sim-image', prompt: 'A gate [sim:delay=500ms]' };
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => caller.at(site().apis[at % 2] ?? '').post(images, body, header)),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const [id, ...others] = new Set(answers.map((answer) => String(answer.body['id'])));
    assert.deepEqual(others, []);
    assert.deepEqual(await chargedFor(site(), id ?? ''), ['capture', 'hold']);
  });

  test('what fails says why, and costs nothing', async () => {
    const caller = await newCaller(site());
    const failed = await caller.post(images, { model: 'sim-image', prompt: 'A gate [sim:policy]' });
    assert.equal(failed.status, 400, JSON.stringify(failed.body));
    assert.equal(failed.body['error'].code, 'content_policy_violation');
    assert.deepEqual(await chargedFor(site(), String(failed.body['id'])), ['hold', 'release']);
  });

  test('the end of a task is sent to its webhook, signed', () =>
    withUpstream(async (receiver) => {
      receiver.answers({ status: 204 });
      const caller = await newCaller(site());
      const webhook = { webhook_url: `${receiver.url}/ended` };
      const { body } = await caller.post(images, { model: 'sim-image', prompt: 'A gate', ...webhook });
      const seen = await until('the webhook', () => receiver.requests[0]);
      const { body: kept } = await admin(site()).get('/v1/account/webhook-secret');
      const { event } = assertDelivery(seen, [String(kept['secret'])]);
      assert.equal(event.type, 'image.succeeded');
      assert.equal(event.data['id'], body['id']);
    }));
}

async function withFiles(use: (files: FileServer) => Promise<void>): Promise<void> {
  const files = await serveFiles({
    'voice.wav': { type: 'audio/wav', bytes: wav({ seconds: 1.237 }) },
    'scene.mp4': { type: 'video/mp4', bytes: await mp4({ seconds: 1 }) },
    'face.jpg': { type: 'image/jpeg', bytes: jpg({ width: 640, height: 480 }) },
  });
  try {
    await use(files);
  } finally {
    await files.close();
  }
}

export async function talk(caller: Caller, headers: Record<string, string> = {}) {
  const form = new FormData();
  form.append('template_name', 'none');
  form.append('audio', new Blob([new Uint8Array(wav({ seconds: 2 }))]), 'voice.wav');
  form.append('video', new Blob([new Uint8Array(await mp4({ seconds: 1, hasAudio: false }))]), 'scene.mp4');
  return answerOf(await caller.fetch(talks, { method: 'POST', body: form, headers }));
}

function fetchedTalk(caller: Caller, path: string): Promise<Response> {
  return until('the video', async () => {
    const answer = await caller.fetch(path);
    if (answer.headers.get('content-type') === 'video/mp4') return answer;
    const { body } = await answerOf(answer);
    assert.equal(body['status'], 'processing', JSON.stringify(body));
    return undefined;
  });
}

/** The types of a task's ledger entries, without releases of nothing. */
async function chargedFor(site: Site, taskId: string): Promise<string[]> {
  const entries = itemsOf(await admin(site).get(`/v1/account/ledger?task_id=${taskId}`));
  return entries.map(({ type }) => String(type)).sort();
}

/** Of a PNG or a JPEG, read from their headers. */
function sizeOf(bytes: Buffer): string {
  if (bytes.subarray(1, 4).toString() === 'PNG') return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
  for (let at = 2; at < bytes.length - 9; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xc2) return `${bytes.readUInt16BE(at + 7)}x${bytes.readUInt16BE(at + 5)}`;
  }
  return assert.fail('neither a PNG nor a JPEG');
}
