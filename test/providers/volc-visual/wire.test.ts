/** What Volcengine Visual's adapter makes of single jobs and answers, beyond what all adapters have in common. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import type { ImageRequest } from '../../../src/domain/requests/image-request.ts';
import type { Job } from '../../../src/providers/contract.ts';
import type { WireAnswer } from '../../../src/providers/http/wire.ts';
import { volcVisualWire } from '../../../src/providers/volc-visual/wire.ts';
import { imageJob, videoJob } from '../../support/jobs.ts';
import { providerOf } from '../contract/jobs.ts';
import { openStandIn } from '../contract/stand-in.ts';
import { volcVisualFixture } from './fixture.ts';

const settings = {
  ...{ name: 'up', kind: 'volc-visual', secrets: volcVisualFixture.secrets, numbers: {}, headers: { 'x-team': 'a' } },
  ...{ timeoutMs: 2_000, idleTimeoutMs: 2_000, deadlineMs: 60_000 },
};
const wire = volcVisualWire(settings, () => new Date('2026-03-04T05:06:07Z'));
const signal = new AbortController().signal;

const image = (request: Partial<ImageRequest> = {}, more: Partial<Job> = {}): Job => ({
  ...imageJob(request),
  ...{ model: 'jimeng_t2i_v40', ...more },
});
const lips = (form: 'flat' | 'content' = 'flat'): Job => ({
  ...videoJob({ form, content: [item('video_url'), item('audio_url')] }, 'avatar-video'),
  model: 'realman_change_lips',
});
const portrait = (): Job => ({
  ...videoJob(
    { content: [{ type: 'text', text: 'She smiles' }, item('image_url'), item('audio_url')] },
    'avatar-image',
  ),
  model: 'jimeng_realman_avatar_picture_omni_v15',
});
const item = (type: 'image_url' | 'video_url' | 'audio_url') => ({ type, url: `https://caller.example/${type}` });
const references = (count: number) => Array.from({ length: count }, (_, at) => `https://caller.example/${at}.png`);

const bodyOf = (job: Job): unknown => JSON.parse(wire.create(job).body ?? '');
const answerOf = (json: unknown, status = 200): WireAnswer => ({
  ...{ status, json, headers: { 'content-type': 'application/json' } },
  text: JSON.stringify(json),
});
const failed = (code: number, status = 400, message = 'Said by the service', data: unknown = null): WireAnswer =>
  answerOf({ code, message, data, request_id: 'r-1', status: code }, status);
const polled = (data: unknown, job = image()) => wire.polled(answerOf({ code: 10000, data }), job, '1');

test('an image without a scale has none; one that is alone is forced to be', () => {
  const sized = { prompt: 'a red fox', width: 1024, height: 1024 };
  assert.deepEqual(bodyOf(image()), { req_key: 'jimeng_t2i_v40', ...sized, force_single: true });
  const several = image({ n: 4, quality: 'high' }, { qualityScale: { low: 0.25, medium: 0.5, high: 0.75 } });
  assert.deepEqual(bodyOf(several), { req_key: 'jimeng_t2i_v40', ...sized, force_single: false, scale: 0.75 });
});

test('fields are renamed and left out as the route says, but the model is always the route’s', () => {
  const job = image({}, { fields: { force_single: null, prompt: 'text' }, options: { seed: 7, req_key: 'another' } });
  assert.deepEqual(bodyOf(job), { req_key: 'jimeng_t2i_v40', text: 'a red fox', width: 1024, height: 1024, seed: 7 });
});

test('upscaling goes to the model that the options name, and its task is asked about there', () => {
  const pixels = { mode: 'upscale', longerSide: 8192 } as const;
  const job = image(
    { prompt: '', imageUrls: references(1), pixels },
    { options: { upscale_req_key: 'larger', seed: 7 } },
  );
  assert.deepEqual(bodyOf(job), { req_key: 'larger', image_urls: references(1), resolution: '8k', seed: 7 });
  const asked: unknown = JSON.parse(wire.poll('42', job).body ?? '');
  assert.deepEqual(asked, { req_key: 'larger', task_id: '42', req_json: '{"return_url":true}' });
  const sized = image({}, { options: { upscale_req_key: 'larger' } });
  assert.equal(JSON.stringify(bodyOf(sized)).includes('larger'), false);
});

for (const [what, job, param] of [
  ['more images than Jimeng 4.0 takes', image({ imageUrls: references(11) }), 'image_urls'],
  [
    'an image for a model that takes none',
    image({ imageUrls: references(1) }, { model: 'jimeng_t2i_v31' }),
    'image_urls',
  ],
  ['anything but upscaling by a model for that', image({}, { model: 'jimeng_i2i_seed3_tilesr_cvtob' }), 'upscale'],
] as const) {
  test(`${what} is refused before anything is sent`, () => {
    assert.throws(() => wire.create(job), { code: 'invalid_parameter', param });
  });
}

test('Jimeng 4.6 takes 14 images, and so does a model that is not known', () => {
  for (const model of ['jimeng_seedream46_cvtob', 'another'])
    assert.doesNotThrow(() => wire.create(image({ imageUrls: references(14) }, { model })));
});

test('lip-sync has no field for a text; OmniHuman has', () => {
  const [url, pure_audio_url] = ['https://caller.example/video_url', 'https://caller.example/audio_url'];
  assert.deepEqual(bodyOf(lips()), { req_key: 'realman_change_lips', url, pure_audio_url });
  assert.deepEqual(bodyOf(portrait()), {
    ...{ req_key: 'jimeng_realman_avatar_picture_omni_v15', prompt: 'She smiles' },
    ...{ image_url: 'https://caller.example/image_url', audio_url: pure_audio_url },
  });
  assert.deepEqual(JSON.parse(wire.poll('42', lips()).body ?? ''), { req_key: 'realman_change_lips', task_id: '42' });
});

test('calls are signed at the time they are made, for the address that they go to', () => {
  let hour = 0;
  const dated = volcVisualWire(
    { ...settings, baseUrl: 'http://127.0.0.1:9/volc' },
    () => new Date(Date.UTC(2026, 0, 1, hour++)),
  );
  const [one, two] = [dated.create(image()), dated.create(image())];
  assert.equal(one.url, 'http://127.0.0.1:9/volc/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31');
  assert.deepEqual([one.headers['x-date'], two.headers['x-date']], ['20260101T000000Z', '20260101T010000Z']);
  assert.equal(one.headers['x-team'], 'a');
  assert.equal(wire.create(lips()).url, 'https://visual.volcengineapi.com/?Action=CVSubmitTask&Version=2022-08-31');
});

const one = image({ imageUrls: references(1) });
const refusals: [number, Job, ErrorCode, string | undefined, boolean][] = [
  [50200, one, 'invalid_parameter', undefined, false],
  [50201, one, 'invalid_parameter', undefined, false],
  [50204, one, 'invalid_parameter', undefined, false],
  [50205, one, 'invalid_parameter', 'image_urls[0]', false],
  [50206, one, 'invalid_parameter', 'image_urls[0]', false],
  [50207, image({ imageUrls: references(2) }), 'invalid_parameter', 'image_urls', false],
  [50209, lips(), 'invalid_parameter', 'videoUrl', false],
  [50210, lips('content'), 'invalid_parameter', 'content[0].video_url.url', false],
  [50211, lips(), 'invalid_parameter', 'videoUrl', false],
  [50213, lips(), 'invalid_parameter', undefined, false],
  [50214, lips(), 'invalid_parameter', 'videoUrl', false],
  [50215, lips(), 'invalid_parameter', undefined, false],
  [60102, lips(), 'invalid_parameter', 'videoUrl', false],
  [60102, portrait(), 'invalid_parameter', 'content[1].image_url.url', false],
  [50400, one, 'upstream_error', undefined, true],
  [50402, one, 'upstream_error', undefined, true],
  [50411, one, 'content_policy_violation', 'image_urls[0]', false],
  [50411, image(), 'content_policy_violation', undefined, false],
  [50412, one, 'content_policy_violation', 'prompt', false],
  [50413, portrait(), 'content_policy_violation', 'content[0].text', false],
  [50413, lips(), 'content_policy_violation', undefined, false],
  [50429, one, 'upstream_rate_limited', undefined, true],
  [50430, one, 'upstream_rate_limited', undefined, true],
  [50511, one, 'content_policy_violation', undefined, false],
  [50512, one, 'content_policy_violation', undefined, false],
  [50516, lips(), 'content_policy_violation', undefined, false],
  [50517, lips(), 'content_policy_violation', undefined, false],
  [50518, one, 'content_policy_violation', 'image_urls[0]', false],
  [50519, one, 'content_policy_violation', undefined, false],
  [50520, one, 'upstream_error', undefined, true],
  [50521, one, 'upstream_error', undefined, true],
  [50522, one, 'upstream_error', undefined, true],
];
for (const [code, job, meaning, param, fallOver] of refusals) {
  test(`${code} on ${job.model} is ${meaning}${param === undefined ? '' : ` of ${param}`}, under any status`, () => {
    const refusal = wire.refusal?.(failed(code), job);
    assert.ok(refusal, 'the code is known');
    assert.deepEqual(
      [refusal.code, refusal.param, refusal.fallOver, refusal.isCertain],
      [meaning, param, fallOver, true],
    );
    const created = wire.created(failed(code, 200), job);
    assert.deepEqual(created, { outcome: 'refused', refusal });
  });
}

test('an inside error, a code that is not known and an answer without a task leave a create unknown', async (context) => {
  const answers = [failed(50500, 200), failed(50501, 200), failed(99999, 200), answerOf({ code: 10000, data: {} })];
  for (const answer of answers) assert.equal(wire.created(answer, image()).outcome, 'unknown');
  const { standIn, provider } = await service(context);
  // Whatever the status: what the body leaves open, a 400 doesn't settle.
  standIn.creates({ reply: { status: 400, json: { code: 50500, message: 'Internal Error', data: null } } });
  assert.equal((await provider.submit(image(), signal)).outcome, 'unknown');
});

test('the id of a call is the body’s, from the service or the gateway before it', () => {
  const idIn = (json: unknown) => wire.requestIdOf?.(answerOf(json));
  assert.equal(idIn({ code: 10000, request_id: 'r-1', data: null }), 'r-1');
  assert.equal(idIn({ ResponseMetadata: { RequestId: 'r-2', Error: { Code: 'InvalidTimestamp' } } }), 'r-2');
  assert.equal(idIn({ code: 10000, request_id: 7 }), undefined);
  assert.equal(idIn('<html>'), undefined);
});

test('the body wins over the headers', async (context) => {
  const { standIn, provider } = await service(context);
  standIn.creates({ reply: { json: { code: 10000, data: { task_id: '1' }, request_id: 'in the body' } } });
  const submission = await provider.submit(image(), signal);
  assert.deepEqual(submission, { outcome: 'accepted', jobId: '1', requestId: 'in the body' });
});

test('the gateway’s own errors are the operator’s, but for its limits; those of its inside are left to the status', () => {
  const gateway = (Code: string, status: number) =>
    wire.refusal?.(answerOf({ ResponseMetadata: { Error: { Code, Message: 'AK AKLT' } } }, status), image());
  assert.deepEqual(
    [gateway('InvalidCredential', 400)?.code, gateway('InvalidCredential', 400)?.fallOver],
    ['upstream_error', true],
  );
  assert.equal(gateway('AccountFlowLimitExceeded', 429)?.code, 'upstream_rate_limited');
  assert.equal(gateway('InternalServiceTimeout', 504), undefined);
});

test('every state of a task is mapped', () => {
  for (const status of ['in_queue', 'generating', 'something new', undefined])
    assert.deepEqual(polled({ status }), { state: 'processing' });
  assert.deepEqual(polled(null), { state: 'processing' });
  assert.deepEqual(polled({ status: 'not_found' }), { state: 'missing' });
  const expired = polled({ status: 'expired' });
  assert.ok(expired.state === 'failed' && expired.refusal.code === 'upstream_timeout', 'another state');
  const empty = polled({ status: 'done', image_urls: [], binary_data_base64: null, resp_data: 'not JSON' });
  assert.ok(empty.state === 'failed' && empty.refusal.code === 'upstream_error', 'another state');
});

const [a, b] = ['https://files.example/a', 'https://files.example/b'];
for (const [what, data, files] of [
  ['a list of addresses', { image_urls: [a, b], binary_data_base64: ['aGk='] }, [{ url: a }, { url: b }]],
  [
    'base64',
    { image_urls: null, binary_data_base64: ['aGk=', 'data:image/png;base64,aG8='] },
    [{ base64: 'aGk=' }, { base64: 'aG8=' }],
  ],
  ['an address', { video_url: a, resp_data: `{"url":"${b}"}` }, [{ url: a }]],
  ['a JSON text with an address', { video_url: '', resp_data: `{"progress":100,"url":"${b}"}` }, [{ url: b }]],
  ['a JSON text with a list of them', { resp_data: `{"image_urls":["${a}","${b}"]}` }, [{ url: a }, { url: b }]],
] as const) {
  test(`a result is read from ${what}`, () => {
    assert.deepEqual(polled({ status: 'done', ...data }), { state: 'succeeded', files });
  });
}

test('an image that comes as base64 is its bytes', async (context) => {
  const { standIn, provider } = await service(context);
  standIn.replyNext(1, { json: { code: 10000, data: { status: 'done', binary_data_base64: ['aGVsbG8='] } } });
  const result = await provider.poll('1', image(), signal);
  assert.ok(result.state === 'succeeded', 'another state');
  const [part] = result.parts;
  assert.equal(String(part && (await buffer(await part.open(signal)))), 'hello');
});

test('an inside error of a query is believed the second time, and at once of a task that is done', () => {
  const answer = failed(50500, 500, 'Internal Error');
  const first = wire.polledError?.(answer, image(), '42');
  assert.ok(first?.state === 'ask', 'another state');
  assert.deepEqual(first.call, wire.poll('42', image()));
  const second = first.read(answer);
  assert.ok(second?.state === 'failed' && second.refusal.code === 'upstream_error', 'another state');
  assert.deepEqual(first.read(answerOf({ code: 10000, data: { status: 'generating' } })), { state: 'processing' });
  assert.deepEqual(first.read(answerOf('<html>', 502)), { state: 'processing', hasFailed: true });
  const done = wire.polledError?.(failed(50501, 500, '', { status: 'done' }), image(), '42');
  assert.equal(done?.state, 'failed');
});

test('a query that met a limit or an account failure is repeated', () => {
  for (const code of [50400, 50402, 50429, 50430]) {
    for (const answer of [failed(code, 200), failed(code, 400)]) {
      const polled =
        answer.status === 200 ? wire.polled(answer, image(), '1') : wire.polledError?.(answer, image(), '1');
      assert.deepEqual(polled, { state: 'processing', hasFailed: true });
    }
  }
  const signature = answerOf({ ResponseMetadata: { Error: { Code: 'InvalidTimestamp' } } }, 400);
  assert.deepEqual(wire.polledError?.(signature, image(), '1'), { state: 'processing', hasFailed: true });
});

test('a task that ended with a code that is not known failed', () => {
  const polled = wire.polled(failed(61234, 200, 'The gate is closed'), image(), '1');
  assert.ok(polled.state === 'failed' && polled.refusal.code === 'upstream_error', 'another state');
});

/** A stand-in and the adapter before it, which end with their test. */
async function service(context: TestContext) {
  const standIn = await openStandIn(volcVisualFixture, { image: Buffer.of(1), video: Buffer.of(1) });
  const provider = providerOf(volcVisualFixture, standIn.baseUrl);
  context.after(() => Promise.all([provider.close?.(), standIn.close()]));
  return { standIn, provider };
}
