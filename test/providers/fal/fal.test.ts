/** fal's wire format, beyond what the contract suite asks of all: its paths, its models' ways, its errors, its outputs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GatewayError } from '../../../src/domain/errors.ts';
import type { Job } from '../../../src/providers/contract.ts';
import type { Polled, WireAnswer } from '../../../src/providers/http/wire.ts';
import { falWire } from '../../../src/providers/fal/wire.ts';
import { imageJob, talkJob, videoJob } from '../../support/jobs.ts';

const numbers = { timeoutMs: 1_000, idleTimeoutMs: 1_000, deadlineMs: 60_000 };
const settings = { name: 'up', kind: 'fal', secrets: { api_key: 'id:secret' }, numbers: {}, headers: {}, ...numbers };
const wire = falWire({ ...settings, baseUrl: 'http://fal.test' });
const image: Job = { ...imageJob(), model: 'fal-ai/flux/dev' };
const video: Job = { ...videoJob(), model: 'fal-ai/video' };
const talk: Job = { ...talkJob(), model: 'fal-ai/sync-lipsync/v2' };

const answer = (status: number, json?: unknown, headers: WireAnswer['headers'] = {}): WireAnswer => ({
  ...{ status, headers, json },
  text: json === undefined ? '<html>' : JSON.stringify(json),
});
const bodyOf = (job: Job): unknown => JSON.parse(wire.create(job).body ?? '');

describe('what is asked', () => {
  test('an image from text names no reference, and one from several names the first and all', () => {
    const size = { width: 1024, height: 1024 };
    assert.deepEqual(bodyOf(image), { prompt: 'a red fox', image_size: size, num_images: 1 });
    const urls = ['https://a.example/1.png', 'https://a.example/2.png'];
    const references = { image_url: urls[0], image_urls: urls };
    const body = { prompt: 'a red fox', image_size: size, num_images: 2, ...references };
    assert.deepEqual(bodyOf({ ...imageJob({ imageUrls: urls, n: 2 }), model: 'fal-ai/nano-banana/edit' }), body);
  });

  test('a video from one image names it, and one from several names all besides', () => {
    const content = ['1', '2'].map((name) => ({ type: 'image_url', url: `https://a.example/${name}.png` }) as const);
    const common = { duration: '8', aspect_ratio: '9:16', generate_audio: false };
    const request = { durationSeconds: 8, ratio: '9:16', generateAudio: false } as const;
    assert.deepEqual(bodyOf(videoJob({ ...request, content: content.slice(0, 1) })), {
      image_url: 'https://a.example/1.png',
      ...common,
    });
    assert.deepEqual(bodyOf(videoJob({ ...request, content })), {
      image_url: 'https://a.example/1.png',
      image_urls: ['https://a.example/1.png', 'https://a.example/2.png'],
      ...common,
    });
  });

  test('a route gives a field another name, leaves one out, and sets one to what its model wants', () => {
    const route = {
      fields: { aspect_ratio: 'ratio', generate_audio: null, duration: null },
      options: { duration: '8s' },
    };
    assert.deepEqual(bodyOf({ ...video, ...route }), { prompt: 'a red fox', ratio: '16:9', duration: '8s' });
  });

  test('a lip-synced video with a text is asked for with it', () => {
    const content = [
      { type: 'text', text: 'She smiles' },
      { type: 'image_url', url: 'https://a.example/face.png' },
      { type: 'audio_url', url: 'https://a.example/voice.wav' },
    ] as const;
    assert.deepEqual(bodyOf(videoJob({ content }, 'avatar-image')), {
      prompt: 'She smiles',
      image_url: 'https://a.example/face.png',
      audio_url: 'https://a.example/voice.wav',
    });
  });

  for (const [model, create, root] of [
    ['fal-ai/flux', '/fal-ai/flux', '/fal-ai/flux'],
    [
      'fal-ai/kling-video/v2.1/pro/image-to-video',
      '/fal-ai/kling-video/v2.1/pro/image-to-video',
      '/fal-ai/kling-video',
    ],
    ['workflows/me/flow', '/workflows/me/flow', '/workflows/me/flow'],
    ['comfy/me/flow/fast', '/comfy/me/flow/fast', '/comfy/me/flow'],
    ['/odd owner/app?x/', '/odd%20owner/app%3Fx', '/odd%20owner/app%3Fx'],
  ] as const) {
    test(`the model ${model} is asked at its path, and its requests at ${root}`, () => {
      const job = { ...image, model };
      assert.equal(wire.create(job).url.split('?')[0], `http://fal.test${create}`);
      assert.equal(wire.poll('r-1', job).url, `http://fal.test${root}/requests/r-1/status`);
      const { method, url } = wire.cancel?.('r-1', job) ?? {};
      assert.deepEqual([method, url], ['PUT', `http://fal.test${root}/requests/r-1/cancel`]);
    });
  }

  test('a hook is named where fal can call it, and to fal itself that is over https only', () => {
    const hooked = { ...image, hookUrl: 'https://gateway.example/hooks/img_1/0?k=1&s=2' };
    const encoded = encodeURIComponent(hooked.hookUrl);
    const public_ = falWire(settings);
    assert.equal(public_.create(hooked).url, `https://queue.fal.run/fal-ai/flux/dev?fal_webhook=${encoded}`);
    assert.equal(public_.create(image).url, 'https://queue.fal.run/fal-ai/flux/dev');
  });

  test('uploads that fal could not fetch are refused before anything is sent, for the next route to try', () => {
    const local = { ...talk, input: linked(talk.input, 'http://127.0.0.1:8080/files/avt_1/video') };
    assert.throws(
      () => falWire(settings).create(local),
      (error) => {
        assert.ok(error instanceof GatewayError);
        assert.deepEqual([error.code, error.message], ['upstream_error', 'The provider could not accept the task.']);
        assert.match(String(error.cause), /PUBLIC_URL/);
        return true;
      },
    );
    falWire(settings).create({ ...talk, input: linked(talk.input, 'https://gateway.example/files/avt_1/video') });
    wire.create(local);
  });
});

function linked(input: Job['input'], url: string): Job['input'] {
  assert.ok(input.kind === 'avatar_talk');
  return { ...input, audio: { ...input.audio, url }, video: { ...input.video, url } };
}

describe('where a request is', () => {
  const idOf = (urls: Record<string, unknown>, job = image, from = wire) => {
    const created = from.created(answer(200, { request_id: 'r-1', status: 'IN_QUEUE', ...urls }), job);
    assert.ok(created.outcome === 'accepted');
    return created.jobId;
  };

  test('it is where its model says, unless fal names another place at its own origin', () => {
    assert.equal(idOf({}), 'r-1');
    assert.equal(idOf({ status_url: 'http://fal.test/fal-ai/flux/requests/r-1/status' }), 'r-1');
    const moved = idOf({ status_url: 'http://fal.test/v2/other/requests/r-1/status?logs=0' });
    assert.equal(wire.poll(moved, image).url, 'http://fal.test/v2/other/requests/r-1/status');
    assert.equal(wire.cancel?.(moved, image).url, 'http://fal.test/v2/other/requests/r-1/cancel');
    assert.equal(asked(answer(200, { status: 'COMPLETED' }), image, moved), 'http://fal.test/v2/other/requests/r-1');
  });

  test('an address elsewhere is never asked, since the call would carry the key', () => {
    for (const statusUrl of [
      'http://evil.test/moved/requests/r-1/status',
      'https://fal.test/moved/requests/r-1/status',
      'http://fal.test:81/moved/requests/r-1/status',
      '//evil.test/status',
      'javascript:alert(1)',
      'not an address',
      7,
      null,
    ])
      assert.equal(idOf({ status_url: statusUrl }), 'r-1', String(statusUrl));
    const responseUrl = 'http://evil.test/moved/requests/r-1';
    const completed = answer(200, { status: 'COMPLETED', response_url: responseUrl });
    assert.equal(asked(completed, image, 'r-1'), 'http://fal.test/fal-ai/flux/requests/r-1');
    const slashed = idOf({ status_url: 'http://fal.test//evil.test/requests/r-1/status' });
    assert.equal(new URL(wire.poll(slashed, image).url).host, 'fal.test');
    const proxied = falWire({ ...settings, baseUrl: 'http://proxy.test/fal' });
    assert.equal(idOf({ status_url: 'http://proxy.test/other/requests/r-1/status' }, image, proxied), 'r-1');
    assert.equal(proxied.poll('r-1', image).url, 'http://proxy.test/fal/fal-ai/flux/requests/r-1/status');
  });

  test('the result is asked for where the status says', () => {
    const responseUrl = 'http://fal.test/fal-ai/flux/requests/r-1/response';
    assert.equal(asked(answer(200, { status: 'COMPLETED', response_url: responseUrl }), image, 'r-1'), responseUrl);
  });

  test('a create whose answer names no request that could be one leaves its outcome unknown', () => {
    for (const json of [undefined, null, {}, { request_id: '' }, { request_id: '../../x' }, { request_id: 7 }])
      assert.equal(wire.created(answer(200, json), image).outcome, 'unknown');
    assert.equal(wire.jobIdOf?.({ request_id: '/evil/path', status: 'OK' }), undefined);
  });

  function asked(status: WireAnswer, job: Job, jobId: string): string {
    const polled = wire.polled(status, job, jobId);
    assert.ok(polled.state === 'ask');
    return polled.call.url;
  }
});

/** What a completed request's result means. */
function read(result: WireAnswer, job: Job = image, said: Record<string, unknown> = {}): Polled | undefined {
  const polled = wire.polled(answer(200, { status: 'COMPLETED', ...said }), job, 'r-1');
  assert.ok(polled.state === 'ask');
  return polled.read(result);
}

describe('how a request ends', () => {
  test('whatever is not completed is still being worked on', () => {
    for (const json of [undefined, null, [], {}, { status: 7 }, { status: 'IN_QUEUE' }, { status: 'PAUSED' }])
      assert.deepEqual(wire.polled(answer(202, json), image, 'r-1'), { state: 'processing' });
  });

  const file = (name: string) => ({ url: `https://v3.fal.media/files/${name}` });
  const outputs: [string, Job, unknown, string[]][] = [
    ['a list of images', image, { images: [file('1.png'), file('2.png')], seed: 1 }, ['1.png', '2.png']],
    ['an image', image, { image: file('1.png'), timings: {} }, ['1.png']],
    ['images beside a mask', image, { mask_image: file('mask.png'), images: [file('1.png')] }, ['1.png']],
    ['addresses in a list', image, { images: [file('1.png').url] }, ['1.png']],
    ['a video beside its thumbnail', video, { thumbnail: file('t.png'), video: file('f.mp4') }, ['f.mp4']],
    ['a list of videos', video, { videos: [file('f.mp4')] }, ['f.mp4']],
    ['the address of a video', video, { video_url: file('f.mp4').url }, ['f.mp4']],
    ['the output of a workflow', video, { output: { image: file('t.png'), video: file('f.mp4') } }, ['f.mp4']],
    ['a name of its own', video, { rendering: { full: file('f.mp4') }, seed: 4 }, ['f.mp4']],
  ];
  for (const [name, job, output, files] of outputs) {
    test(`${name} is found`, () =>
      assert.deepEqual(read(answer(200, output), job), { state: 'succeeded', files: files.map(file) }));
  }

  test('a file may stand in the answer itself', () => {
    const output = { images: [{ url: 'data:image/png;base64,QUJD', content_type: 'image/png' }] };
    assert.deepEqual(read(answer(200, output)), { state: 'succeeded', files: [{ base64: 'QUJD' }] });
  });

  test('images that the safety checker blacked out are no results, and with no other it is the policy', () => {
    const images = [file('1.png'), file('2.png')];
    const one = read(answer(200, { images, has_nsfw_concepts: [true, false] }));
    assert.deepEqual(one, { state: 'succeeded', files: [file('2.png')] });
    const none = read(answer(200, { images, has_nsfw_concepts: [true, true] }));
    assert.ok(none?.state === 'failed');
    assert.equal(none.refusal.code, 'content_policy_violation');
    const odd = read(answer(200, { images, has_nsfw_concepts: [true] }));
    assert.deepEqual(odd, { state: 'succeeded', files: images });
  });

  const model = (type: string, loc: unknown[] = ['body']) => ({ detail: [{ loc, msg: 'What was wrong.', type }] });
  const endings: [string, WireAnswer, Record<string, unknown>, string][] = [
    ['no file', answer(200, { seed: 7 }), {}, 'upstream_error'],
    ['no file, and the status said why', answer(200, {}), { error_type: 'request_timeout' }, 'upstream_timeout'],
    ['no media', answer(422, model('no_media_generated')), {}, 'upstream_error'],
    ['a failure of the model', answer(500, model('internal_server_error')), {}, 'upstream_error'],
    ['a failure behind the model', answer(400, model('downstream_service_error')), {}, 'upstream_error'],
    ['a model that took too long', answer(504, model('generation_timeout')), {}, 'upstream_timeout'],
    ['a policy', answer(422, model('content_policy_violation')), {}, 'content_policy_violation'],
    [
      'a policy, with a status of accounts',
      answer(403, model('content_policy_violation')),
      {},
      'content_policy_violation',
    ],
    [
      'an image that is too small',
      answer(422, model('image_too_small', ['body', 'image_url'])),
      {},
      'invalid_parameter',
    ],
    ['a time-out', answer(504, { detail: 'Timed out', error_type: 'request_timeout' }), {}, 'upstream_timeout'],
    ['a slow start', answer(504, { detail: 'Slow', error_type: 'startup_timeout' }), {}, 'upstream_timeout'],
    [
      'a time-out by its header',
      answer(504, { detail: 'Late' }, { 'x-fal-error-type': 'request_timeout' }),
      {},
      'upstream_timeout',
    ],
    ['a lost runner', answer(503, { detail: 'Gone', error_type: 'runner_disconnected' }), {}, 'upstream_error'],
    ['a path that the app lacks', answer(404, { detail: 'Path /dev not found' }), {}, 'upstream_error'],
    [
      'nothing, and the status said so',
      answer(503),
      { error: 'Runner lost', error_type: 'runner_disconnected' },
      'upstream_error',
    ],
  ];
  for (const [name, result, said, code] of endings) {
    test(`a request that ends with ${name} is reported as ${code}`, () => {
      const polled = read(result, image, said);
      // What `read` leaves open, a poll's rules for statuses decide.
      assert.ok(polled?.state === 'failed', JSON.stringify(polled));
      assert.equal(polled.refusal.code, code);
    });
  }

  test('a result that can not be had just now is asked for again', () => {
    for (const result of [
      answer(503),
      answer(502, { message: 'Bad gateway' }),
      answer(429, { detail: 'Too many requests' }),
      answer(401, { detail: 'Invalid key' }),
      answer(403, { detail: 'User is locked. Reason: Exhausted balance.' }),
    ])
      assert.equal(read(result), undefined, result.text);
    assert.deepEqual(read(answer(200)), { state: 'processing' });
    assert.deepEqual(read(answer(400, { detail: 'Request is still in progress' })), { state: 'processing' });
  });
});

describe('what a refusal is about', () => {
  const refusal = (job: Job, type: string, loc: unknown[]) =>
    wire.refusal?.(answer(422, { detail: [{ loc, msg: 'What was wrong.', type }] }), job);
  const flat = { ...videoJob({ form: 'flat', content: items('video_url', 'audio_url') }, 'avatar-video') };
  const portrait = videoJob({ content: items('image_url', 'audio_url') }, 'avatar-image');
  const prompted = videoJob({ form: 'prompt', content: [{ type: 'text', text: 'x' }, ...items('image_url')] });

  for (const [job, field, param] of [
    [image, 'prompt', 'prompt'],
    [image, 'image_size', 'size'],
    [image, 'num_images', 'n'],
    [image, 'image_urls', 'image_urls'],
    [video, 'prompt', 'content[0].text'],
    [video, 'image_url', 'content'],
    [video, 'duration', 'duration'],
    [video, 'aspect_ratio', 'ratio'],
    [video, 'generate_audio', 'generate_audio'],
    [prompted, 'prompt', 'prompt'],
    [prompted, 'image_url', 'content[0].image_url.url'],
    [flat, 'video_url', 'videoUrl'],
    [flat, 'audio_url', 'audioUrl'],
    [portrait, 'image_url', 'content[0].image_url.url'],
    [talk, 'video_url', 'video'],
    [talk, 'audio_url', 'audio'],
    [{ ...image, fields: { num_images: 'count' } }, 'count', 'n'],
  ] as const) {
    test(`${field} of ${job.kind} is the caller's ${param}`, () =>
      assert.deepEqual(refusal(job, 'value_error', ['body', field, 0]), {
        ...{ code: 'invalid_parameter', param, fallOver: false },
      }));
  }

  test('a field that the caller has no part in is the fault of the route', () => {
    const fault = { code: 'upstream_error', fallOver: true };
    assert.deepEqual(refusal({ ...image, options: { image_size: 'huge' } }, 'enum', ['body', 'image_size']), fault);
    assert.deepEqual(refusal(image, 'missing', ['body', 'resolution']), fault);
    assert.deepEqual(refusal(video, 'extra_forbidden', ['body', 'generate_audio']), fault);
  });

  test('an error of no known form is left to its status', () => {
    for (const json of [undefined, null, [], { detail: 7 }, { detail: ['?'] }, { detail: [] }, { error: 'x' }])
      assert.equal(wire.refusal?.(answer(422, json), image), undefined);
    assert.deepEqual(refusal(image, 'odd', []), { code: 'invalid_parameter', fallOver: false });
  });
});

function items(...types: ('image_url' | 'video_url' | 'audio_url')[]) {
  return types.map((type) => ({ type, url: `https://a.example/${type}` }));
}
