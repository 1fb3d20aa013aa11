/** What the contract suite doesn't cover of Ark: sizes, odd answers, ends of videos, and when a video may be stopped. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import type { ImageRequest } from '../../../src/domain/requests/image-request.ts';
import type { VideoRequest } from '../../../src/domain/requests/video-request.ts';
import type { Job, Poll, TaskProvider } from '../../../src/providers/contract.ts';
import { arkWire } from '../../../src/providers/ark/wire.ts';
import { imageJob, videoJob } from '../../support/jobs.ts';
import { providerOf } from '../contract/jobs.ts';
import { openStandIn, type StandIn } from '../contract/stand-in.ts';
import { arkFixture } from './fixture.ts';

const signal = new AbortController().signal;
const settings = {
  ...{ name: 'up', kind: 'ark', secrets: { api_key: 'k' }, numbers: {}, headers: {} },
  ...{ timeoutMs: 1_000, idleTimeoutMs: 1_000, deadlineMs: 1_000 },
};
const wire = arkWire(settings);

test('without a base URL it is the service in Beijing', () => {
  assert.equal(wire.create(imageJob()).url, 'https://ark.cn-beijing.volces.com/api/v3/images/generations');
  assert.equal(
    wire.probe().url,
    'https://ark.cn-beijing.volces.com/api/v3/contents/generations/tasks?page_num=1&page_size=1',
  );
});

for (const [what, request, expected] of [
  [
    'one image without references',
    { pixels: { mode: 'sized', width: 2304, height: 1728 } },
    { size: '2304x1728', sequential_image_generation: 'disabled' },
  ],
  [
    'one image from one reference',
    { imageUrls: ['https://caller/1'] },
    { image: 'https://caller/1', size: '1024x1024', sequential_image_generation: 'disabled' },
  ],
  [
    'ten images from two references',
    { n: 10, imageUrls: ['https://caller/1', 'https://caller/2'] },
    {
      image: ['https://caller/1', 'https://caller/2'],
      size: '1024x1024',
      sequential_image_generation: 'auto',
      sequential_image_generation_options: { max_images: 10 },
    },
  ],
] as const satisfies readonly (readonly [string, Partial<ImageRequest>, object])[]) {
  test(`${what} is asked for as documented`, () => {
    const common = { model: 'sim-image', prompt: 'a red fox', response_format: 'url', watermark: false };
    assert.deepEqual(bodyOf(imageJob(request)), { ...common, ...expected });
  });
}

test('options of the route stand over all, and fields can be left out', () => {
  const options = { watermark: true, output_format: 'png', response_format: 'b64_json' };
  const body = bodyOf({ ...imageJob(), options, fields: { sequential_image_generation: null } });
  assert.deepEqual(body, { model: 'sim-image', prompt: 'a red fox', size: '1024x1024', ...options });
});

test('upscaling is refused before anything is sent', () =>
  using(async ({ provider, standIn }) => {
    const pixels = { mode: 'upscale', longerSide: 4096 } as const;
    const submission = await provider.submit(imageJob({ pixels, imageUrls: ['https://caller/1'] }), signal);
    assert.ok(submission.outcome === 'refused');
    assert.deepEqual([submission.error.code, submission.error.param], ['invalid_parameter', 'upscale']);
    assert.deepEqual([standIn.paid.length, standIn.asked.length], [0, 0]);
  }));

test('the items of a video are sent as they came, with their roles, and flags whatever they are', () => {
  const content: VideoRequest['content'] = [
    { type: 'text', text: 'Cars pass', role: 'reference_image' },
    { type: 'image_url', url: 'https://caller/first' },
    { type: 'image_url', url: 'https://caller/1', role: 'reference_image' },
    { type: 'video_url', url: 'https://caller/2', role: 'reference_video' },
    { type: 'audio_url', url: 'https://caller/3', role: 'reference_audio' },
  ];
  const job = videoJob({ content, ratio: '9:16', durationSeconds: 8, generateAudio: false, watermark: true });
  assert.deepEqual(bodyOf(job), {
    model: 'sim-video',
    content: [
      { type: 'text', text: 'Cars pass' },
      { type: 'image_url', image_url: { url: 'https://caller/first' } },
      { type: 'image_url', image_url: { url: 'https://caller/1' }, role: 'reference_image' },
      { type: 'video_url', video_url: { url: 'https://caller/2' }, role: 'reference_video' },
      { type: 'audio_url', audio_url: { url: 'https://caller/3' }, role: 'reference_audio' },
    ],
    ratio: '9:16',
    duration: 8,
    generate_audio: false,
    watermark: true,
  });
});

test('only a hook that the service can reach is named', () => {
  const job = videoJob();
  assert.equal('callback_url' in bodyOf({ ...job, hookUrl: 'http://gateway/hooks/1' }), false);
  assert.deepEqual(bodyOf({ ...job, hookUrl: 'https://gateway/hooks/1' })['callback_url'], 'https://gateway/hooks/1');
});

const url = 'https://files.example/video.mp4';
for (const [what, content] of [
  ['an object', { video_url: url, last_frame_url: 'https://files.example/last.png' }],
  ['a list', [{ video_url: url }]],
  ['a list after something else', [null, { type: 'text' }, { video_url: url }]],
  ['an object with an object', { video_url: { url: 'x' } }],
  ['the address alone', url],
] as const) {
  const isVideo = what !== 'an object with an object';
  test(`a video whose content is ${what} is ${isVideo ? 'found' : 'no video'}`, () => {
    const polled = wire.polled(answer({ id: '1', status: 'succeeded', content }), videoJob(), 'job-1');
    if (isVideo) assert.deepEqual(polled, { state: 'succeeded', files: [{ url }] });
    else assert.deepEqual([polled.state, codeOf(polled)], ['failed', 'upstream_error']);
  });
}

for (const [status, body, state, code] of [
  ['queued', {}, 'processing', undefined],
  ['running', {}, 'processing', undefined],
  ['preparing, whatever that is', {}, 'processing', undefined],
  ['succeeded', {}, 'failed', 'upstream_error'],
  ['succeeded', { content: { video_url: null } }, 'failed', 'upstream_error'],
  ['succeeded', { content: { video_url: 'ftp://files.example/x' } }, 'failed', 'upstream_error'],
  ['cancelled', {}, 'failed', 'upstream_error'],
  ['expired', {}, 'failed', 'upstream_timeout'],
  ['failed', { error: null }, 'failed', 'upstream_error'],
  ['failed', { error: {} }, 'failed', 'upstream_error'],
  ['failed', { error: 'It broke.' }, 'failed', 'upstream_error'],
  ['failed', { error: { code: 'QuotaExceeded', message: 'x' } }, 'failed', 'upstream_error'],
  ['failed', { error: { code: 'InvalidParameter', message: 'x' } }, 'failed', 'invalid_parameter'],
  ['failed', { error: { code: 'OutputAudioSensitiveContentDetected' } }, 'failed', 'content_policy_violation'],
] as const) {
  test(`a video that is ${status} with ${JSON.stringify(body)} is ${state}`, () => {
    const polled = wire.polled(answer({ id: '1', status, ...body }), videoJob(), 'job-1');
    assert.deepEqual([polled.state, codeOf(polled)], [state, code]);
    if (polled.state === 'failed') assert.ok(polled.refusal.message !== undefined);
  });
}

for (const status of ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired']) {
  test(`stopping a video that is ${status} ${status === 'queued' ? 'deletes' : 'leaves'} its task`, () =>
    using(async ({ provider, standIn }) => {
      standIn.replyNext(1, { json: { id: 'cgt-1', status } });
      const isStopped = await provider.cancel?.('cgt-1', videoJob(), signal);
      assert.equal(isStopped, status !== 'running');
      const path = '/api/v3/contents/generations/tasks/cgt-1';
      const asked = standIn.asked.map((request) => [request.method, request.path]);
      assert.deepEqual(
        asked,
        status === 'queued'
          ? [
              ['GET', path],
              ['DELETE', path],
            ]
          : [['GET', path]],
      );
    }));
}

test('a video is not stopped while the service fails to report its state', () =>
  using(async ({ provider, standIn }) => {
    standIn.replyNext(1, { status: 503, json: { status: 'queued' } });
    await assert.rejects(async () => provider.cancel?.('cgt-1', videoJob(), signal), /answered a cancelling with 503/);
    for (const reply of [{ text: '<html>' }, { json: ['queued'] }]) {
      standIn.replyNext(1, reply);
      assert.equal(await provider.cancel?.('cgt-1', videoJob(), signal), false);
    }
    assert.deepEqual([...new Set(standIn.asked.map(({ method }) => method))], ['GET']);
  }));

test('images are read from addresses and base64, and one that failed is left out', () =>
  using(async ({ provider, standIn }) => {
    const data = [
      { error: { code: 'OutputImageSensitiveContentDetected', message: 'It may be sensitive.' } },
      { url: `${standIn.origin}/media/image/1/0`, size: '1024x1024' },
      { b64_json: Buffer.from('another image').toString('base64') },
      null,
    ];
    const result = await resultOf(provider, JSON.stringify({ model: 'm', data }));
    assert.ok(result.state === 'succeeded', JSON.stringify(result));
    const files = await Promise.all(
      result.parts.map(async (part) => (await buffer(await part.open(signal))).toString()),
    );
    assert.deepEqual(files, ['an image', 'another image']);
  }));

const policy = { code: 'OutputImageSensitiveContentDetected', message: 'It may be sensitive. Request id: 0217aa' };
for (const [what, text, code, message] of [
  [
    'whose images all failed',
    JSON.stringify({ data: [{ error: policy }, { error: { code: 'InternalServiceError', message: 'x' } }] }),
    'content_policy_violation',
    'It may be sensitive.',
  ],
  ['with an error alone', JSON.stringify({ error: policy }), 'content_policy_violation', 'It may be sensitive.'],
  [
    'with an error that names the key',
    JSON.stringify({ data: [], error: { code: 'Odd', message: 'ark-0d2f-operator-of-the-tests is at 10.0.0.1:80' } }),
    'upstream_error',
    '[removed] is at [removed]',
  ],
] as const) {
  test(`an answer ${what} is ${code}`, () =>
    using(async ({ provider }) => {
      const result = await resultOf(provider, text);
      assert.ok(result.state === 'failed', result.state);
      assert.deepEqual([result.error.code, result.error.message], [code, message]);
    }));
}

async function using(use: (bench: { provider: TaskProvider; standIn: StandIn }) => Promise<void>): Promise<void> {
  const standIn = await openStandIn(arkFixture, { image: Buffer.from('an image'), video: Buffer.from('a video') });
  const provider = providerOf(arkFixture, standIn.baseUrl);
  try {
    await use({ provider, standIn });
  } finally {
    await provider.close?.();
    await standIn.close();
  }
}

async function resultOf(provider: TaskProvider, text: string): Promise<Poll> {
  const bytes = Buffer.from(text);
  const read = (range?: { start: number; end: number }) =>
    Promise.resolve(Readable.from([bytes.subarray(range?.start ?? 0, range?.end)]));
  const answer = { bytes: bytes.length, read };
  const poll = await provider.resultOf?.(answer, imageJob());
  assert.ok(poll !== undefined);
  return poll;
}

const bodyOf = (job: Job) => JSON.parse(wire.create(job).body ?? '') as Record<string, unknown>;

const answer = (json: unknown) => ({ status: 200, headers: {}, json, text: JSON.stringify(json) });

const codeOf = (polled: ReturnType<typeof wire.polled>) =>
  polled.state === 'failed' ? polled.refusal.code : undefined;
