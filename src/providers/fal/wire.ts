/**
 * fal's queue as a wire format. A request that was submitted to a model lives below the model's owner and app
 * (`parseEndpointId` and `queue.ts` of its own client, fal-ai/fal-js), and there is no list of requests: the id of one
 * whose create was lost comes with its webhook only.
 */
import { z } from 'zod';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { secretOf } from '../definition.ts';
import { withOptions } from '../route-image-outputs.ts';
import { inputsOfFields } from '../route-inputs.ts';
import { canCallHook, requireReachableUploads } from '../inputs.ts';
import type { TaskWire, WireCall } from '../http/wire.ts';
import { inputOf } from './input.ts';
import { isOfFal, refusalOf } from './refusal.ts';
import { resultOf } from './result.ts';

const baseUrlDefault = 'https://queue.fal.run';
/** Whose models have an owner and an app behind them. */
const namespaces = ['workflows', 'comfy'];
/** fal's own models have an app `flux`; no account has this request. */
const probePath = '/fal-ai/flux/requests/00000000-0000-4000-8000-000000000000/status';

/**
 * No `x-fal-no-retry`: fal repeats what its own runners broke, under the same request and without charge. A job's id is
 * fal's, or the path of its request where that is not the one that follows from the model.
 */
export function falWire(settings: ProviderSettings): TaskWire {
  const { baseUrl = baseUrlDefault } = settings;
  const headers = { authorization: `Key ${secretOf(settings, 'api_key')}`, ...settings.headers };
  const call = (method: WireCall['method'], url: string): WireCall => ({ method, url, headers });
  // Not resolved as a reference: one that begins with two slashes would name another host.
  const at = (path: string): string => `${new URL(baseUrl).origin}${path}`;
  const rootOf = (jobId: string, model: string): string =>
    jobId.startsWith('/') ? at(jobId) : `${baseUrl}${requestsPathOf(model)}/${jobId}`;
  return {
    imageOutputs: (route) => withOptions({ formats: [], backgrounds: ['opaque'] }, route),
    inputs: (route) => inputsOfFields(route, ['image_url', 'image_urls'], 'mask_url'),
    abilities: { idempotent: false, lookup: false, cancel: true, webhook: true },
    pollsPerSecondMax: 20,
    pollPauseMsMax: 5_000,
    create: (job) => {
      requireReachableUploads(baseUrl, job);
      const hook = canCallHook(baseUrl, job) ? `?fal_webhook=${encodeURIComponent(job.hookUrl)}` : '';
      return { ...call('POST', `${baseUrl}${pathOf(job.model)}${hook}`), body: JSON.stringify(inputOf(job)) };
    },
    created: ({ json }, { model }) => {
      const { data } = submitted.safeParse(json);
      if (data === undefined) return { outcome: 'unknown', reason: 'the answer names no request' };
      const { request_id: id, status_url: statusUrl = '' } = data;
      const path = pathBelow(baseUrl, statusUrl.replace(/\/status(\?.*)?$/, ''));
      const isElsewhere = path !== undefined && at(path) !== rootOf(id, model);
      return { outcome: 'accepted', jobId: isElsewhere ? path : id };
    },
    poll: (jobId, { model }) => call('GET', `${rootOf(jobId, model)}/status`),
    polled: ({ json }, job, jobId) => {
      const { data } = status.safeParse(json);
      if (data?.status !== 'COMPLETED') return { state: 'processing' };
      const root = rootOf(jobId, job.model);
      const path = data.response_url === undefined ? undefined : pathBelow(baseUrl, data.response_url);
      const url = path === undefined ? root : at(path);
      return { state: 'ask', call: call('GET', url), read: (answer) => resultOf(answer, job, data) };
    },
    isOwnError: isOfFal,
    cancel: (jobId, { model }) => call('PUT', `${rootOf(jobId, model)}/cancel`),
    jobIdOf: (hookBody) => z.object({ request_id: requestId }).safeParse(hookBody).data?.request_id,
    probe: () => call('GET', `${baseUrl}${probePath}`),
    // There is no free address that answers 2xx; who has no good key gets 401 in its place.
    isProbeExpected: (answer) => [404, 422].includes(answer.status) && isOfFal(answer),
    refusal: refusalOf,
  };
}

const segmentsOf = (model: string): string[] =>
  model
    .split('/')
    .filter((segment) => segment !== '')
    .map(encodeURIComponent);

const pathOf = (model: string): string => `/${segmentsOf(model).join('/')}`;

/** `owner/app/requests`, without the rest of the model's path. */
function requestsPathOf(model: string): string {
  const segments = segmentsOf(model);
  const count = namespaces.includes(segments[0] ?? '') ? 3 : 2;
  return `/${segments.slice(0, count).join('/')}/requests`;
}

/** The path of an address at the provider's own origin and below its base; no other one is ever sent the key. */
function pathBelow(baseUrl: string, address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const [url, base] = [new URL(address), new URL(baseUrl)];
  const isBelow = url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`) && url.pathname.length > 1;
  return url.origin === base.origin && isBelow ? url.pathname : undefined;
}

/** Ids are UUIDs; what could be a path of its own is none. */
const requestId = z.string().regex(/^[\w-]{1,200}$/);

const words = z.string().min(1).optional().catch(undefined);

const submitted = z.object({ request_id: requestId, status_url: words });

const status = z.object({ status: z.string(), response_url: words, error: words, error_type: words });
