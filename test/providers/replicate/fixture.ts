/** Replicate's service as its HTTP reference describes it. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { replicate } from '../../../src/providers/replicate/replicate.ts';
import type { ProviderFixture, StandInJob } from '../contract/fixture.ts';

const created = z.object({ webhook: z.string().optional(), input: z.record(z.string(), z.unknown()) });

export const replicateFixture: ProviderFixture = {
  definition: replicate,
  secrets: { api_key: 'r8_operator_key_of_the_tests' },
  basePath: '/v1',
  models: [
    {
      kind: 'image',
      model: 'maker/still',
      options: { seed: 7 },
      fields: { num_outputs: 'count' },
      body: ({ imageUrl, hookUrl }) => ({
        input: { prompt: 'A toll gate at dawn', width: 1024, height: 1024, count: 2, image: imageUrl, seed: 7 },
        ...hooked(hookUrl),
      }),
    },
    {
      ...{ kind: 'image', model: 'maker/fill', form: 'edit', masks: true },
      body: ({ imageUrl, maskUrl, hookUrl }) => ({
        input: {
          ...{ prompt: 'A toll gate at dawn', width: 1024, height: 1024, num_outputs: 2 },
          ...{ image: imageUrl, mask: maskUrl },
        },
        ...hooked(hookUrl),
      }),
    },
    {
      ...{ kind: 'image', model: 'maker/redux', form: 'variation' },
      fields: { image: 'redux_image' },
      body: ({ imageUrl, hookUrl }) => ({
        input: { width: 1024, height: 1024, num_outputs: 2, redux_image: imageUrl },
        ...hooked(hookUrl),
      }),
    },
    {
      kind: 'video',
      model: 'maker/clip',
      body: ({ imageUrl, hookUrl }) => ({
        input: { prompt: 'Cars pass', image: imageUrl, duration: 5, aspect_ratio: '16:9' },
        ...hooked(hookUrl),
      }),
    },
    {
      ...{ kind: 'video', model: 'maker/clip', isOfVideos: true },
      fields: { last_frame: 'last_frame_image' },
      body: ({ imageUrl, maskUrl, hookUrl }) => ({
        input: {
          ...{ prompt: 'Cars pass', image: imageUrl, last_frame_image: maskUrl },
          ...{ duration: 5, aspect_ratio: '9:16', resolution: '720p', seed: 7 },
        },
        ...hooked(hookUrl),
      }),
    },
    {
      kind: 'avatar-video',
      model: 'maker/lips',
      body: ({ videoUrl, audioUrl, hookUrl }) => ({ input: { video: videoUrl, audio: audioUrl }, ...hooked(hookUrl) }),
    },
    {
      kind: 'avatar-image',
      model: 'maker/portrait',
      body: ({ imageUrl, audioUrl, hookUrl }) => ({ input: { image: imageUrl, audio: audioUrl }, ...hooked(hookUrl) }),
    },
    {
      kind: 'avatar-talk',
      model: `maker/talk:${'a1'.repeat(32)}`,
      body: ({ videoUrl, audioUrl, hookUrl }) => ({
        version: 'a1'.repeat(32),
        input: { video: videoUrl, audio: audioUrl },
        ...hooked(hookUrl),
      }),
    },
  ],
  isCreate: ({ method, path }) => method === 'POST' && path.endsWith('/predictions'),
  assertSigned: ({ headers }) => assert.equal(headers['authorization'], 'Bearer r8_operator_key_of_the_tests'),
  created: (_, job, behaviour) => {
    switch (behaviour) {
      case 'takes':
        return { status: 201, json: predictionOf(job) };
      case 'refuses input':
        return { status: 422, json: { detail: '- input.width: Must be less than or equal to 1440\n' } };
      case 'refuses policy':
        return { status: 422, json: { detail: 'The prompt was flagged by our moderation.' } };
      case 'is busy':
        return { status: 429, headers: { 'retry-after': '3' }, json: { detail: 'Request was throttled.' } };
      case 'has an account failure':
        return { status: 402, json: { title: 'Insufficient credit', detail: 'You have no credit.', status: 402 } };
      case 'breaks':
        return { status: 500, json: { detail: 'Internal server error' } };
    }
  },
  asked: ({ method, path }, { jobs }) => {
    if (path === '/v1/account') return { json: { type: 'user', username: 'operator' } };
    if (path === '/v1/predictions')
      return { json: { results: [...jobs.values()].reverse().map(predictionOf), next: null } };
    const [, id, verb] = /^\/v1\/predictions\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    const job = jobs.get(id ?? '');
    if (job === undefined) return { status: 404, json: { detail: 'Not found.' } };
    if (verb !== undefined && method === 'POST') job.isCancelled = true;
    else job.polls++;
    return { json: predictionOf(job) };
  },
  hookOf: (job) => {
    const { webhook } = created.parse(job.request.json);
    return webhook === undefined ? undefined : { url: webhook, body: predictionOf({ ...job, polls: 9 }) };
  },
  errors: [
    {
      name: 'a version that is not there',
      reply: { status: 422, json: { detail: 'The specified version does not exist (or perhaps you can not see it).' } },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: "an input that only the route's options set",
      reply: { status: 422, json: { detail: '- input.seed: Invalid type. Expected: string, given: integer\n' } },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a model that is not there',
      reply: { status: 404, json: { detail: 'The requested resource could not be found.' } },
      ...{ code: 'upstream_error', fallOver: true },
    },
  ],
};

const hooked = (hookUrl: string) => ({ webhook: hookUrl, webhook_events_filter: ['completed'] });

function predictionOf(job: StandInJob) {
  const { input, webhook } = created.parse(job.request.json);
  const common = { id: job.id, model: 'maker/model', version: 'hidden', input, logs: '', webhook, error: null };
  if (job.isCancelled) return { ...common, status: 'canceled', output: null };
  if (job.polls < 2 || job.behaviour === 'runs on') {
    return { ...common, status: job.polls === 0 ? 'starting' : 'processing', output: null };
  }
  if (job.behaviour === 'succeeds') {
    const output = job.files.length === 1 ? job.files[0] : job.files;
    return { ...common, status: 'succeeded', output, metrics: { predict_time: 1.5 } };
  }
  const error = job.behaviour === 'fails' ? 'CUDA out of memory' : 'NSFW content detected. Try a different prompt.';
  return { ...common, status: 'failed', output: null, error };
}
