/** sync.so's wire format, beyond what the contract suite asks of all: idempotent creates, each ending, each error. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from '../../../src/providers/contract.ts';
import type { WireAnswer } from '../../../src/providers/http/wire.ts';
import { syncWire } from '../../../src/providers/sync/wire.ts';
import { talkJob, videoJob } from '../../support/jobs.ts';

const numbers = { timeoutMs: 1_000, idleTimeoutMs: 1_000, deadlineMs: 60_000 };
const settings = { name: 'up', kind: 'sync', secrets: { api_key: 'sk-1' }, numbers: {}, headers: {}, ...numbers };
const wire = syncWire({ ...settings, baseUrl: 'http://sync.test' });
const talk: Job = { ...talkJob(), model: 'lipsync-2' };
const flat: Job = videoJob(
  {
    form: 'flat',
    content: [
      { type: 'video_url', url: 'https://a.example/video.mp4' },
      { type: 'audio_url', url: 'https://a.example/voice.wav' },
    ],
  },
  'avatar-video',
);

const answer = (status: number, json?: unknown, headers: WireAnswer['headers'] = {}): WireAnswer => ({
  ...{ status, headers, json },
  text: json === undefined ? '<html>' : JSON.stringify(json),
});

describe('a create', () => {
  test('carries the same key and body every time, and no address to call', () => {
    const [one, two] = [wire.create(talk), wire.create(talk)];
    assert.deepEqual(one, two);
    assert.equal(one.headers['idempotency-key'], talk.reference);
    assert.doesNotMatch(one.body ?? '', /hooks/);
  });

  test('takes options beside the fields, as they are on the route', () => {
    const options = { options: { sync_mode: 'cut_off', temperature: 0.4 }, outputFileName: 'ours' };
    assert.deepEqual(JSON.parse(wire.create({ ...flat, model: 'lipsync-2-pro', options }).body ?? ''), {
      model: 'lipsync-2-pro',
      input: [
        { type: 'video', url: 'https://a.example/video.mp4' },
        { type: 'audio', url: 'https://a.example/voice.wav' },
      ],
      ...options,
    });
  });

  test('of uploads that the service could not fetch is refused before it is sent', () => {
    assert.throws(() => syncWire(settings).create(linked('http://10.0.0.7/files/avt_1/video')), {
      code: 'upstream_error',
    });
    assert.throws(() => syncWire(settings).create(linked('http://localhost:8080/files/avt_1/video')));
    syncWire(settings).create(linked('https://gateway.example/files/avt_1/video'));
    syncWire(settings).create(flat);
  });

  const unknown503 = { statusCode: 503, message: 'Unknown.', errorCode: 'IDEMPOTENCY_OUTCOME_UNKNOWN' };
  for (const [name, status, json] of [
    ['an outcome that the service does not know', 503, unknown503],
    ['one whose code has its old name', 503, { error_code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' }],
    ['a conflict with one that still runs', 409, { statusCode: 409, message: 'In progress' }],
    ['a conflict in no form', 409, undefined],
    ['another word about the key', 422, { errorCode: 'IDEMPOTENCY_PAYLOAD_MISMATCH' }],
  ] as const) {
    test(`that meets ${name} is sent again later`, () =>
      assert.equal(wire.createdOfError?.(answer(status, json))?.outcome, 'unknown'));
  }

  test('whose outcome is unknown but whose generation is named was accepted', () =>
    assert.deepEqual(wire.createdOfError?.(answer(503, { ...unknown503, generationId: 'gen-7' })), {
      ...{ outcome: 'accepted', jobId: 'gen-7' },
    }));

  test('that meets any other error is judged by it', () => {
    for (const [status, json] of [
      [400, { errorCode: 'INVALID_IDEMPOTENCY_KEY' }],
      [429, { errorCode: 'concurrency_limit_reached' }],
      [503, { message: 'The media could not be probed.' }],
      [500, undefined],
    ] as const)
      assert.equal(wire.createdOfError?.(answer(status, json)), undefined);
  });

  for (const [job, json, param] of [
    [talk, { message: 'Too long.', field: 'input[1].url' }, 'audio'],
    [talk, { message: 'No face.', errorCode: 'generation_input_video_no_face' }, 'video'],
    [flat, { message: 'Too long.', field: 'input.0.url' }, 'videoUrl'],
    [flat, { message: 'No audio.', errorCode: 'generation_input_audio_invalid' }, 'audioUrl'],
  ] as const) {
    test(`refused with ${JSON.stringify(json)} names ${param}`, () =>
      assert.deepEqual(wire.refusal?.(answer(422, json), job), {
        ...{ code: 'invalid_parameter', param, fallOver: false },
      }));
  }
});

function linked(url: string): Job {
  assert.ok(talk.input.kind === 'avatar_talk');
  const { audio, video } = talk.input;
  return { ...talk, input: { ...talk.input, audio: { ...audio, url }, video: { ...video, url } } };
}

describe('a generation', () => {
  const polled = (json: unknown, job = talk, headers = {}) => wire.polled(answer(200, json, headers), job, 'gen-1');

  test('is worked on until it says otherwise, and is asked again when the service wishes', () => {
    for (const json of [undefined, null, [], {}, { status: 7 }, { status: 'PENDING' }, { status: 'RESUMING' }])
      assert.deepEqual(polled(json), { state: 'processing' });
    assert.deepEqual(polled({ status: 'PROCESSING' }, talk, { 'retry-after': '2' }), {
      ...{ state: 'processing', retryAfterMs: 2_000 },
    });
  });

  test('is done when it is completed, under the old name of its address or the new one', () => {
    const url = 'https://cdn.example/out.mp4?sig=1';
    const done = { state: 'succeeded', files: [{ url }] };
    for (const json of [
      { outputUrl: url, outputMediaUrl: null },
      { outputMediaUrl: url },
      { outputUrl: url, segmentOutputUrl: 'https://cdn.example/part.mp4' },
    ])
      assert.deepEqual(polled({ status: 'COMPLETED', ...json }), done);
    const empty = polled({ status: 'COMPLETED', segmentOutputUrl: 'https://cdn.example/part.mp4' });
    assert.ok(empty.state === 'failed');
    assert.equal(empty.refusal.code, 'upstream_error');
  });

  for (const [name, json, job, code, param] of [
    ['failed', { status: 'FAILED' }, talk, 'upstream_error'],
    ['failed in the pipeline', { status: 'FAILED', error_code: 'generation_pipeline_failed' }, talk, 'upstream_error'],
    ['took too long', { status: 'FAILED', errorCode: 'generation_timeout' }, talk, 'upstream_timeout'],
    ['timed out', { status: 'TIMED_OUT' }, talk, 'upstream_timeout'],
    ['was rejected', { status: 'REJECTED', error: 'Not allowed.' }, talk, 'content_policy_violation'],
    ['was cancelled', { status: 'CANCELED' }, talk, 'upstream_error'],
    [
      'could not fetch an address of the caller',
      { status: 'FAILED', error_code: 'generation_input_audio_inaccessible' },
      ...([flat, 'invalid_parameter', 'audioUrl'] as const),
    ],
    [
      'could not fetch an upload',
      { status: 'FAILED', error_code: 'generation_input_video_inaccessible' },
      ...([talk, 'upstream_error'] as const),
    ],
    [
      'found an upload at fault',
      { status: 'FAILED', error_code: 'generation_input_validation_failed' },
      ...([talk, 'invalid_parameter'] as const),
    ],
  ] as const) {
    test(`that ${name} is reported as ${code}`, () => {
      const result = polled(json, job);
      assert.ok(result.state === 'failed', result.state);
      assert.deepEqual([result.refusal.code, result.refusal.param], [code, param]);
      assert.ok((result.refusal.message ?? '').length > 10);
    });
  }
});
