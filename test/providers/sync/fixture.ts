/** sync.so's API as its reference and its guide to idempotency describe it. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { sync } from '../../../src/providers/sync/sync.ts';
import type { ProviderFixture, StandInJob } from '../contract/fixture.ts';

const key = 'sk-sync_operator_key_of_the_tests';
const created = z.object({ model: z.string(), input: z.array(z.object({ type: z.string(), url: z.string() })) });

const inputs = (videoUrl: string, audioUrl: string) => [
  { type: 'video', url: videoUrl },
  { type: 'audio', url: audioUrl },
];

export const syncFixture: ProviderFixture = {
  definition: sync,
  secrets: { api_key: key },
  basePath: '',
  models: [
    {
      kind: 'avatar-video',
      model: 'lipsync-2-pro',
      options: { options: { sync_mode: 'loop' } },
      body: ({ videoUrl, audioUrl }) => ({
        ...{ model: 'lipsync-2-pro', input: inputs(videoUrl, audioUrl), outputFileName: 'tg-task_1' },
        options: { sync_mode: 'loop' },
      }),
    },
    {
      kind: 'avatar-talk',
      model: 'lipsync-2',
      body: ({ videoUrl, audioUrl }) => ({
        model: 'lipsync-2',
        input: inputs(videoUrl, audioUrl),
        outputFileName: 'tg-task_1',
      }),
    },
  ],
  isCreate: ({ method, path }) => method === 'POST' && path === '/v2/generate',
  assertSigned: ({ headers, method }) => {
    assert.equal(headers['x-api-key'], key);
    if (method === 'POST') assert.match(String(headers['idempotency-key']), /^[A-Za-z0-9._~-]{1,128}$/);
  },
  created: (_, job, behaviour) => {
    switch (behaviour) {
      case 'takes':
        return { status: 201, json: generationOf(job) };
      case 'refuses input':
        return { status: 400, json: { statusCode: 400, message: ['input must contain at least 2 elements'] } };
      case 'refuses policy':
        return {
          status: 422,
          json: {
            statusCode: 422,
            message: 'The input was rejected.',
            errorCode: 'generation_input_moderation_rejected',
          },
        };
      case 'is busy':
        return {
          status: 429,
          json: { statusCode: 429, message: 'Too many generations at once.', errorCode: 'concurrency_limit_reached' },
        };
      case 'has an account failure':
        return { status: 402, json: { statusCode: 402, message: 'An invoice is not paid; see sync.so/billing.' } };
      case 'breaks':
        return { status: 503, json: { statusCode: 503, message: 'The media could not be probed just now.' } };
    }
  },
  asked: ({ method, path }, { jobs }) => {
    if (path === '/v2/models') return { json: [{ name: 'lipsync-2', type: 'lipsync' }] };
    const job = jobs.get(/^\/v2\/generate\/([^/?]+)$/.exec(path)?.[1] ?? '');
    if (method !== 'GET' || job === undefined) return { status: 404, json: { statusCode: 404, message: 'Not found' } };
    job.polls++;
    return { json: generationOf(job) };
  },
  errors: [
    {
      name: 'a model that is not there',
      reply: { status: 404, json: { statusCode: 404, message: 'Model not found' } },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a model that the key may not use',
      reply: { status: 400, json: { statusCode: 400, message: 'model must be one of …', field: 'model' } },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a key of a form that the service does not take',
      reply: {
        status: 400,
        json: { statusCode: 400, message: 'The Idempotency-Key is malformed.', errorCode: 'INVALID_IDEMPOTENCY_KEY' },
      },
      ...{ code: 'upstream_error', fallOver: true },
    },
    {
      name: 'a video that is too large',
      reply: { status: 413, json: { statusCode: 413, message: 'The video is too large.' } },
      ...{ code: 'invalid_parameter', fallOver: false },
    },
  ],
};

function generationOf(job: StandInJob) {
  const { model, input } = created.parse(job.request.json);
  const common = { id: job.id, createdAt: '2026-09-01T00:00:00Z', model, input, outputUrl: null, error: null };
  if (job.polls < 2 || job.behaviour === 'runs on') {
    return { ...common, status: job.polls === 0 ? 'PENDING' : 'PROCESSING' };
  }
  switch (job.behaviour) {
    case 'succeeds':
      return { ...common, status: 'COMPLETED', outputUrl: job.files[0], outputDuration: 1.5 };
    case 'fails':
      return { ...common, status: 'FAILED', error: 'The pipeline failed.', error_code: 'generation_pipeline_failed' };
    case 'fails by policy':
      return { ...common, status: 'REJECTED', error: 'Rejected by moderation.' };
  }
}
