/** Ark's service as its documentation and its SDK describe it. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { ark } from '../../../src/providers/ark/ark.ts';
import type { CreateBehaviour, ProviderFixture, Reply, StandInJob } from '../contract/fixture.ts';

const created = z.object({ callback_url: z.string().optional(), model: z.string() });
const tasks = '/api/v3/contents/generations/tasks';

export const arkFixture: ProviderFixture = {
  definition: ark,
  secrets: { api_key: 'ark-0d2f-operator-of-the-tests' },
  basePath: '/api/v3',
  models: [
    {
      kind: 'image',
      model: 'doubao-seedream-4-0-250828',
      options: { seed: 7 },
      polls: false,
      body: ({ imageUrl }) => ({
        model: 'doubao-seedream-4-0-250828',
        prompt: 'A toll gate at dawn',
        image: imageUrl,
        size: '1024x1024',
        sequential_image_generation: 'auto',
        sequential_image_generation_options: { max_images: 2 },
        response_format: 'url',
        watermark: false,
        seed: 7,
      }),
    },
    {
      ...{ kind: 'image', model: 'doubao-seedream-4-0-250828', polls: false, form: 'edit' },
      body: ({ imageUrl }) => ({
        ...{ model: 'doubao-seedream-4-0-250828', prompt: 'A toll gate at dawn', image: imageUrl, size: '1024x1024' },
        sequential_image_generation: 'auto',
        sequential_image_generation_options: { max_images: 2 },
        ...{ response_format: 'url', watermark: false },
      }),
    },
    {
      kind: 'video',
      model: 'doubao-seedance-2-0-260128',
      options: { resolution: '720p' },
      body: ({ imageUrl, hookUrl }) => ({
        model: 'doubao-seedance-2-0-260128',
        content: [
          { type: 'text', text: 'Cars pass' },
          { type: 'image_url', image_url: { url: imageUrl } },
        ],
        ratio: '16:9',
        duration: 5,
        generate_audio: true,
        watermark: false,
        callback_url: hookUrl,
        resolution: '720p',
      }),
    },
    {
      ...{ kind: 'video', model: 'doubao-seedance-2-0-260128', isOfVideos: true },
      body: ({ imageUrl, maskUrl, hookUrl }) => ({
        model: 'doubao-seedance-2-0-260128',
        content: [
          { type: 'text', text: 'Cars pass' },
          { type: 'image_url', image_url: { url: imageUrl } },
          { type: 'image_url', image_url: { url: maskUrl }, role: 'last_frame' },
        ],
        ...{ ratio: '9:16', resolution: '720p', duration: 5, seed: 7, generate_audio: true, watermark: false },
        callback_url: hookUrl,
      }),
    },
  ],
  isCreate: ({ method }) => method === 'POST',
  assertSigned: ({ headers }) => assert.equal(headers['authorization'], 'Bearer ark-0d2f-operator-of-the-tests'),
  created: ({ path }, job, behaviour) => {
    if (behaviour !== 'takes') return refusals[behaviour];
    if (path === tasks) return { json: { id: job.id } };
    assert.equal(path, '/api/v3/images/generations');
    const data = job.files.map((url) => ({ url, size: '1024x1024' }));
    const usage = { generated_images: data.length, output_tokens: 4_096, total_tokens: 4_096 };
    return { json: { model: 'doubao-seedream-4-0-250828', created: 1_790_000_000, data, usage } };
  },
  asked: ({ method, path }, { jobs }) => {
    if (path.startsWith(`${tasks}?`)) return { json: { total: 0, items: [] } };
    const job = jobs.get(path.slice(tasks.length + 1));
    if (job === undefined || !path.startsWith(`${tasks}/`)) return refused(404, 'NotFound.Task', 'The task is gone.');
    if (method === 'DELETE') {
      if (statusOf(job) !== 'queued') return refused(409, 'InvalidAction.RunningTaskDeletion', 'It is not queued.');
      job.isCancelled = true;
      return { json: {} };
    }
    job.polls++;
    return { json: taskOf(job) };
  },
  hookOf: (job) => {
    const { callback_url: url } = created.parse(job.request.json);
    return url === undefined ? undefined : { url, body: taskOf({ ...job, polls: 9 }) };
  },
  errors: [
    {
      name: 'a model that the account has not opened',
      reply: refused(404, 'ModelNotOpen', 'Your account 2100000001 has not activated the model. Request id: 0217'),
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a key that is wrong',
      reply: refused(401, 'AuthenticationError', 'The API key in the request is missing or invalid.'),
      ...{ code: 'upstream_error', fallOver: true },
    },
  ],
};

const refusals: Record<Exclude<CreateBehaviour, 'takes'>, Reply> = {
  'refuses input': refused(400, 'InvalidParameter', 'The parameter `size` specified in the request is not valid.'),
  'refuses policy': refused(400, 'InputTextSensitiveContentDetected', 'The input text may be sensitive. Request id: 0'),
  'is busy': refused(429, 'RateLimitExceeded.EndpointRPMExceeded', 'The limit of requests a minute was exceeded.'),
  'has an account failure': refused(
    403,
    'AccountOverdueError',
    'Your account has an overdue balance. Request id: 0217',
  ),
  breaks: refused(500, 'InternalServiceError', 'The service encountered an unexpected internal error.'),
};

function refused(status: number, code: string, message: string): Reply {
  return { status, json: { error: { code, message, param: '', type: 'BadRequest' } } };
}

function statusOf({ behaviour, isCancelled, polls }: StandInJob): string {
  if (isCancelled) return 'cancelled';
  if (polls < 2) return 'queued';
  if (behaviour === 'runs on') return 'running';
  return behaviour === 'succeeds' ? 'succeeded' : 'failed';
}

function taskOf(job: StandInJob) {
  const status = statusOf(job);
  const common = { id: job.id, model: 'doubao-seedance-2-0-260128', status, created_at: 1_790_000_000, ratio: '16:9' };
  if (status === 'succeeded') {
    return { ...common, content: { video_url: job.files[0] }, usage: { completion_tokens: 108_900 }, duration: 5 };
  }
  if (status !== 'failed') return common;
  const code = job.behaviour === 'fails' ? 'InternalServiceError' : 'OutputVideoSensitiveContentDetected';
  return { ...common, error: { code, message: `The video was not made (${code}). Request id: 0217` } };
}
