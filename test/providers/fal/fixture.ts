/** fal's queue as its API reference and its own client describe it. */
import assert from 'node:assert/strict';
import { fal } from '../../../src/providers/fal/fal.ts';
import type { FixtureModel, ProviderFixture, Reply, SeenRequest, StandInJob } from '../contract/fixture.ts';

const key = 'fal-key-id:fal_operator_secret_of_the_tests';
const requests = /^\/((?:workflows\/)?[^/]+\/[^/]+)\/requests\/([^/?]+)(\/status|\/cancel)?$/;

const models: readonly FixtureModel[] = [
  {
    kind: 'image',
    model: 'maker/still/v2/edit',
    options: { seed: 7 },
    fields: { num_images: 'count' },
    body: ({ imageUrl }) => ({
      ...{ prompt: 'A toll gate at dawn', image_size: { width: 1024, height: 1024 }, count: 2, seed: 7 },
      ...{ image_url: imageUrl, image_urls: [imageUrl] },
    }),
  },
  {
    kind: 'image',
    model: 'maker/larger',
    options: { upscale_factor: 4 },
    upscales: true,
    body: ({ imageUrl }) => ({ prompt: 'A toll gate at dawn', image_url: imageUrl, upscale_factor: 4 }),
  },
  {
    ...{ kind: 'image', model: 'maker/still/fill', form: 'edit', masks: true },
    fields: { image_urls: null },
    body: ({ imageUrl, maskUrl }) => ({
      ...{ prompt: 'A toll gate at dawn', image_size: { width: 1024, height: 1024 }, num_images: 2 },
      ...{ image_url: imageUrl, mask_url: maskUrl },
    }),
  },
  {
    ...{ kind: 'image', model: 'maker/still/redux', form: 'variation' },
    body: ({ imageUrl }) => ({
      ...{ image_size: { width: 1024, height: 1024 }, num_images: 2, image_url: imageUrl, image_urls: [imageUrl] },
    }),
  },
  {
    kind: 'video',
    model: 'maker/clip/image-to-video',
    body: ({ imageUrl }) => ({
      ...{ prompt: 'Cars pass', image_url: imageUrl },
      ...{ duration: '5', aspect_ratio: '16:9', generate_audio: true },
    }),
  },
  {
    ...{ kind: 'video', model: 'maker/clip/first-last', isOfVideos: true },
    fields: { last_frame: 'end_image_url' },
    body: ({ imageUrl, maskUrl }) => ({
      ...{ prompt: 'Cars pass', image_url: imageUrl, end_image_url: maskUrl, seed: 7 },
      ...{ duration: '5', aspect_ratio: '9:16', resolution: '720p', generate_audio: true },
    }),
  },
  {
    kind: 'avatar-video',
    model: 'maker/lips',
    body: ({ videoUrl, audioUrl }) => ({ video_url: videoUrl, audio_url: audioUrl }),
  },
  {
    kind: 'avatar-image',
    model: 'maker/portrait/v1.5',
    body: ({ imageUrl, audioUrl }) => ({ image_url: imageUrl, audio_url: audioUrl }),
  },
  {
    kind: 'avatar-talk',
    model: 'workflows/maker/talk/fast',
    body: ({ videoUrl, audioUrl }) => ({ video_url: videoUrl, audio_url: audioUrl }),
  },
];

export const falFixture: ProviderFixture = {
  definition: fal,
  secrets: { api_key: key },
  basePath: '',
  models,
  isCreate: ({ method }) => method === 'POST',
  assertSigned: ({ headers }) => assert.equal(headers['authorization'], `Key ${key}`),
  created: (request, job, behaviour) => {
    switch (behaviour) {
      case 'takes':
        return { json: { status: 'IN_QUEUE', request_id: job.id, queue_position: 0, ...addressesOf(request, job) } };
      case 'refuses input':
        return { status: 422, json: { detail: [tooLong] } };
      case 'refuses policy':
        return { status: 422, json: { detail: [flagged] } };
      case 'is busy':
        return { status: 429, json: { detail: 'Concurrent requests limit of 10 reached.' } };
      case 'has an account failure':
        return {
          status: 403,
          json: { detail: 'User is locked. Reason: Exhausted balance. Top up at fal.ai/billing.' },
        };
      case 'breaks':
        return { status: 503, json: { detail: 'Service unavailable' } };
    }
  },
  asked: ({ method, path }, { jobs }) => {
    const [, app, id, verb] = requests.exec(path) ?? [];
    if (id === '00000000-0000-4000-8000-000000000000') return { status: 404, json: { detail: 'Request not found' } };
    const job = jobs.get(id ?? '');
    if (job === undefined) return id === undefined ? undefined : { status: 404, json: { detail: 'Request not found' } };
    if (app !== appOf(job.request)) return undefined;
    if (verb === '/cancel') {
      assert.equal(method, 'PUT');
      job.isCancelled = true;
      return { status: 202, json: { status: 'CANCELLATION_REQUESTED' } };
    }
    if (verb === undefined) return resultOf(job);
    job.polls++;
    const common = { request_id: job.id, ...addressesOf(job.request, job) };
    if (job.polls === 1) return { status: 202, json: { status: 'IN_QUEUE', queue_position: 1, ...common } };
    if (job.polls === 2 || job.behaviour === 'runs on')
      return { status: 202, json: { status: 'IN_PROGRESS', ...common } };
    return { json: { status: 'COMPLETED', logs: null, metrics: { inference_time: 3.7 }, ...common } };
  },
  hookOf: (job) => {
    const hook = new URL(job.request.path, 'http://fal').searchParams.get('fal_webhook');
    if (hook === null) return undefined;
    const body = { request_id: job.id, gateway_request_id: job.id, status: 'OK', payload: resultOf(job).json };
    return { url: hook, body };
  },
  errors: [
    {
      name: 'a model that is not there',
      reply: { status: 404, json: { detail: 'Application "image" not found' } },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a field that only the operator can set',
      reply: {
        status: 422,
        json: { detail: [{ loc: ['body', 'seed'], msg: 'Input should be less than 5', type: 'less_than' }] },
      },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a refusal in a sentence',
      reply: { status: 400, json: { detail: 'Invalid request: the image could not be read.' } },
      ...{ code: 'invalid_parameter', fallOver: false },
    },
    {
      name: 'a safety filter without a type',
      reply: { status: 400, json: { detail: 'The content was flagged by a content checker.' } },
      ...{ code: 'content_policy_violation', fallOver: false },
    },
  ],
};

const tooLong = {
  loc: ['body', 'prompt'],
  msg: 'String should have at most 2500 characters',
  type: 'string_too_long',
  ctx: { max_length: 2500 },
  input: 'nsfw, as a prompt may say',
};

const flagged = {
  loc: ['body', 'prompt'],
  msg: 'The content could not be processed because it contained material flagged by a content checker.',
  type: 'content_policy_violation',
  url: 'https://docs.fal.ai/errors#content_policy_violation',
};

/** Status and result are below the owner and the app. */
function appOf({ path }: SeenRequest): string {
  const segments = new URL(path, 'http://fal').pathname.split('/').slice(1);
  return segments.slice(0, segments[0] === 'workflows' ? 3 : 2).join('/');
}

function addressesOf(request: SeenRequest, { id }: StandInJob) {
  const root = `http://${String(request.headers['host'])}/${appOf(request)}/requests/${id}`;
  return { response_url: root, status_url: `${root}/status`, cancel_url: `${root}/cancel` };
}

function resultOf(job: StandInJob): Reply {
  if (job.behaviour === 'fails')
    return {
      status: 500,
      json: { detail: [{ loc: ['body'], msg: 'Internal server error', type: 'internal_server_error' }] },
    };
  if (job.behaviour === 'fails by policy') return { status: 422, json: { detail: [flagged] } };
  const files = job.files.map((url) => ({ url, file_name: 'output', file_size: 9, content_type: 'of/some-kind' }));
  if (appOf(job.request) === 'maker/larger') return { json: { image: files[0], seed: 7 } };
  return files[0]?.url.includes('/video/') === true
    ? { json: { video: files[0], thumbnail: { url: 'http://nowhere.example/thumbnail.png' }, seed: 7 } }
    : { json: { images: files, has_nsfw_concepts: files.map(() => false), prompt: 'A toll gate at dawn', seed: 7 } };
}
