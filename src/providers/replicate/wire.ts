/**
 * Replicate's wire format. A create that was lost is found again by its webhook's address, which no other prediction
 * has: predictions carry it, and the list of them goes back newest first.
 */
import { z } from 'zod';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { resolutionOf } from '../../domain/requests/videos-request.ts';
import type { Job } from '../contract.ts';
import { secretOf } from '../definition.ts';
import { withOptions } from '../route-image-outputs.ts';
import { inputsOfFields } from '../route-inputs.ts';
import { canCallHook, inputsOf, namedFields, requireReachableUploads } from '../inputs.ts';
import { refusalOfStatus } from '../http/status-errors.ts';
import type { Polled, Refusal, TaskWire, WireAnswer, WireCall, WireFile } from '../http/wire.ts';

const baseUrlDefault = 'https://api.replicate.com/v1';

export function replicateWire(settings: ProviderSettings): TaskWire {
  const { baseUrl = baseUrlDefault } = settings;
  const headers = { authorization: `Bearer ${secretOf(settings, 'api_key')}`, ...settings.headers };
  const get = (path: string): WireCall => ({ method: 'GET', url: `${baseUrl}${path}`, headers });
  const post = (path: string, body?: unknown): WireCall => ({
    ...{ method: 'POST', url: `${baseUrl}${path}`, headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    imageOutputs: (route) => withOptions({ formats: [], backgrounds: ['opaque'] }, route),
    inputs: (route) => inputsOfFields(route, ['image', 'image_input'], 'mask'),
    abilities: { idempotent: false, lookup: true, cancel: true, webhook: true },
    pollsPerSecondMax: 25, // 3,000 calls a minute are allowed, over all processes
    pollPauseMsMax: 5_000,
    create: (job) => {
      requireReachableUploads(baseUrl, job);
      const { path, version } = targetOf(job.model);
      const hook = canCallHook(baseUrl, job) && { webhook: job.hookUrl, webhook_events_filter: ['completed'] };
      return post(path, { ...(version !== undefined && { version }), input: inputOf(job), ...hook });
    },
    created: ({ json }) => {
      const { data } = z.object({ id: z.string().min(1) }).safeParse(json);
      if (data === undefined) return { outcome: 'unknown', reason: 'the answer names no prediction' };
      return { outcome: 'accepted', jobId: data.id };
    },
    poll: (jobId) => get(`/predictions/${encodeURIComponent(jobId)}`),
    polled,
    isOwnError: ({ json }) => z.object({ detail: z.string() }).safeParse(json).success,
    cancel: (jobId) => post(`/predictions/${encodeURIComponent(jobId)}/cancel`),
    find: {
      first: (job) => (canCallHook(baseUrl, job) ? get('/predictions') : undefined),
      found: (answer, { hookUrl, isHook = (url) => url === hookUrl }) => {
        const { results, next } = page.parse(answer.json);
        const ours = results.find(({ webhook }) => typeof webhook === 'string' && isHook(webhook));
        if (ours !== undefined) return { jobId: ours.id };
        return next ? { next: { method: 'GET', url: sameOrigin(next, baseUrl), headers } } : undefined;
      },
    },
    jobIdOf: (hookBody) => z.object({ id: z.string() }).safeParse(hookBody).data?.id,
    probe: () => get('/account'),
    refusal: ({ status, text }, job) => {
      if (status !== 422) return undefined;
      return isOperators(text, job) ? refusalOfStatus(403) : refusalOf(text);
    },
  };
}

/** `owner/name` for official models, `owner/name:version` or a version for others, `deployments/owner/name`. */
function targetOf(model: string): { path: string; version?: string } {
  const version = /^(?:[\w.-]+\/[\w.-]+:)?([0-9a-f]{64})$/.exec(model)?.[1];
  if (version !== undefined) return { path: '/predictions', version };
  const path = model.split('/').map(encodeURIComponent).join('/');
  return { path: model.startsWith('deployments/') ? `/${path}/predictions` : `/models/${path}/predictions` };
}

/** The names most models use; a route's `fields` tell those of others. */
function inputOf(job: Job): Record<string, unknown> {
  const { input } = job;
  const { prompt, images, mask, lastFrame, video, audio } = inputsOf(job);
  const common = { prompt: prompt === '' ? undefined : prompt, mask, last_frame: lastFrame, video, audio };
  if (input.kind === 'image') {
    const { pixels, n } = input.request;
    const size = pixels.mode === 'sized' ? { width: pixels.width, height: pixels.height } : undefined;
    const references = images.length > 1 ? { image_input: images } : { image: images[0] };
    return namedFields(job, { ...common, ...size, num_outputs: n > 1 ? n : undefined, ...references });
  }
  if (input.kind === 'video' && job.kind === 'video') {
    const { durationSeconds, ratio, size, seed } = input.request;
    const resolution = size && resolutionOf(size);
    const asked = { duration: durationSeconds, aspect_ratio: ratio, resolution, seed };
    return namedFields(job, { ...common, image: images[0], ...asked });
  }
  return namedFields(job, { ...common, image: images[0] });
}

function polled({ json }: WireAnswer): Polled {
  const { data } = prediction.safeParse(json);
  if (data === undefined) return { state: 'processing' };
  switch (data.status) {
    case 'succeeded': {
      const files = filesIn(data.output);
      if (files.length > 0) return { state: 'succeeded', files };
      return { state: 'failed', refusal: failure('The provider returned no file.') };
    }
    case 'failed':
      return { state: 'failed', refusal: refusalOf(data.error ?? 'The prediction failed.', 'upstream_error') };
    case 'canceled':
      return { state: 'failed', refusal: failure('The prediction was cancelled at the provider.') };
    case 'aborted':
      return {
        state: 'failed',
        refusal: { ...failure('The prediction did not start in time.'), code: 'upstream_timeout' },
      };
    default:
      return { state: 'processing' };
  }
}

/** Models answer with an address, a list of them, or an object that holds some. What lies deeper is no result of a model. */
const depthMax = 5;

function filesIn(output: unknown, depth = 0): WireFile[] {
  if (typeof output === 'string') {
    const base64 = /^data:[^,]{0,200};base64,(.*)$/s.exec(output)?.[1];
    if (base64 !== undefined) return [{ base64 }];
    return /^https?:\/\//.test(output) ? [{ url: output }] : [];
  }
  if (typeof output !== 'object' || output === null || depth === depthMax) return [];
  return Object.values(output).flatMap((part) => filesIn(part, depth + 1));
}

/** Predictions say in words only that a safety filter stopped them. */
const isPolicy = (text: string): boolean => /nsfw|safety|sensitive|moderat|flagged/i.test(text);

const refusalOf = (text: string, otherwise: Refusal['code'] = 'invalid_parameter'): Refusal => ({
  code: isPolicy(text) ? 'content_policy_violation' : otherwise,
  fallOver: false,
  ...(otherwise === 'upstream_error' && { message: text }),
});

/** About the version, or only about inputs that the route's options set (`- input.seed: Invalid type`). */
function isOperators(text: string, { options }: Job): boolean {
  const named = [...text.matchAll(/\binput\.(\w+)/g)].map(([, name = '']) => name);
  if (named.length === 0) return /\bversion\b/i.test(text);
  return named.every((name) => Object.hasOwn(options, name));
}

const failure = (message: string): Refusal => ({ code: 'upstream_error', message, fallOver: false });

/** The next page as the provider names it, but never at another host: the call carries the key. */
function sameOrigin(next: string, baseUrl: string): string {
  const url = new URL(next, baseUrl);
  if (url.origin !== new URL(baseUrl).origin) throw new Error('the list goes on at another host');
  return url.href;
}

const prediction = z.object({
  status: z.string(),
  output: z.unknown(),
  error: z.string().nullish().catch(undefined),
});

const page = z.object({
  results: z.array(z.object({ id: z.string(), webhook: z.string().nullish().catch(undefined) })),
  next: z.string().nullish(),
});
