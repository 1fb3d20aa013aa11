/**
 * sync.so's wire format. Creates carry our reference as their `Idempotency-Key`, so that one whose answer was lost is sent
 * again as it was (https://sync.so/docs/api-reference/guides/idempotency); that says more than a webhook would, so none
 * is asked for.
 */
import { z } from 'zod';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import type { Job } from '../contract.ts';
import { secretOf } from '../definition.ts';
import { inputsOf, namedFields, paramOf, requireReachableUploads } from '../inputs.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { Created, Polled, Refusal, TaskWire, WireAnswer, WireCall } from '../http/wire.ts';

const baseUrlDefault = 'https://api.sync.so';

export function syncWire(settings: ProviderSettings): TaskWire {
  const { baseUrl = baseUrlDefault } = settings;
  const headers = { 'x-api-key': secretOf(settings, 'api_key'), ...settings.headers };
  const get = (path: string): WireCall => ({ method: 'GET', url: `${baseUrl}${path}`, headers });
  return {
    abilities: { idempotent: true, lookup: false, cancel: false, webhook: false },
    pollsPerSecondMax: 5, // 600 calls a minute are allowed, over all processes
    create: (job) => {
      requireReachableUploads(baseUrl, job);
      return {
        ...{ method: 'POST', url: `${baseUrl}/v2/generate` },
        headers: { ...headers, 'idempotency-key': job.reference },
        body: JSON.stringify(bodyOf(job)),
      };
    },
    created: ({ json }) => {
      const { data } = z.object({ id: z.string().min(1) }).safeParse(json);
      if (data === undefined) return { outcome: 'unknown', reason: 'the answer names no generation' };
      return { outcome: 'accepted', jobId: data.id };
    },
    createdOfError,
    poll: (jobId) => get(`/v2/generate/${encodeURIComponent(jobId)}`),
    polled,
    isOwnError: ({ json }) => ownError.safeParse(json).success,
    probe: () => get('/v2/models'),
    refusal,
  };
}

function bodyOf(job: Job): Record<string, unknown> {
  const { video, audio } = inputsOf(job);
  const input = [
    { type: 'video', url: video },
    { type: 'audio', url: audio },
  ];
  return namedFields(job, { model: job.model, input, outputFileName: job.reference });
}

/**
 * An error about the key means a create before this one: `IDEMPOTENCY_OUTCOME_UNKNOWN`, perhaps with the generation's
 * id, or a conflict with one that still runs. Neither is a refusal, and the key is never changed for another.
 */
function createdOfError({ status, json }: WireAnswer): Created | undefined {
  const { errorCode, error_code: code = errorCode, generationId } = errorBody.safeParse(json).data ?? {};
  if (status !== 409 && code?.startsWith('IDEMPOTENCY_') !== true) return undefined;
  if (generationId !== undefined) return { outcome: 'accepted', jobId: generationId };
  return { outcome: 'unknown', reason: `the provider answered ${status}${code === undefined ? '' : ` ${code}`}` };
}

function polled({ json, headers }: WireAnswer, job: Job): Polled {
  const { data } = generation.safeParse(json);
  if (data === undefined) return { state: 'processing' };
  switch (data.status) {
    case 'COMPLETED': {
      // A rename is under way; the old name stays as an alias.
      const url = data.outputUrl ?? data.outputMediaUrl;
      if (url !== undefined) return { state: 'succeeded', files: [{ url }] };
      return { state: 'failed', refusal: failure('The provider returned no file.') };
    }
    case 'FAILED':
      return { state: 'failed', refusal: ofFailure(data, job) };
    case 'REJECTED':
      return { state: 'failed', refusal: { ...failure(data.error ?? rejected), code: 'content_policy_violation' } };
    case 'TIMED_OUT':
      return { state: 'failed', refusal: { ...failure(data.error ?? timedOut), code: 'upstream_timeout' } };
    case 'CANCELED':
      return { state: 'failed', refusal: failure(data.error ?? 'The generation was cancelled at the provider.') };
    default: {
      const wait = retryAfterMs(headers, Date.now());
      return { state: 'processing', ...(wait !== undefined && { retryAfterMs: wait }) };
    }
  }
}

const rejected = "The provider's moderation rejected the input.";
const timedOut = 'The provider did not finish the task in time.';

/** Codes are `generation_…`, such as `generation_input_audio_inaccessible` and `generation_timeout`. */
function ofFailure({ error, errorCode, error_code: code = errorCode ?? '' }: Generation, job: Job): Refusal {
  const failed = failure(error ?? (code === '' ? 'The generation failed.' : `The generation failed: ${code}.`));
  if (/moderation|policy|nsfw/.test(code)) return { ...failed, code: 'content_policy_violation' };
  if (code.includes('timeout')) return { ...failed, code: 'upstream_timeout' };
  // Uploads are ours to hand over; what else is wrong with an input is the caller's to fix.
  const isOurs = job.input.kind === 'avatar_talk' && code.includes('inaccessible');
  if (!code.startsWith('generation_input_') || isOurs) return failed;
  return { ...failed, code: 'invalid_parameter', ...paramIn(code, job) };
}

/** What a create's error says beyond its status: the field that it is about. */
function refusal({ status, json }: WireAnswer, job: Job): Refusal | undefined {
  const { errorCode, error_code: code = errorCode, field } = errorBody.safeParse(json).data ?? {};
  if (status !== 400 && status !== 413 && status !== 422) return undefined;
  const isOperators = code === 'INVALID_IDEMPOTENCY_KEY' || (field !== undefined && /^(model|options)\b/.test(field));
  if (isOperators) return { code: 'upstream_error', fallOver: true };
  if (/moderation|policy|nsfw/i.test(code ?? '')) return { code: 'content_policy_violation', fallOver: false };
  return { code: 'invalid_parameter', fallOver: false, ...paramIn(field ?? code ?? '', job) };
}

/** The video is the first input and the audio the second. */
function paramIn(text: string, job: Job): { param?: string } {
  const isVideo = /video|^input[[.]0/.test(text);
  if (!isVideo && !/audio|^input[[.]1/.test(text)) return {};
  const param = paramOf(job, isVideo ? 'video' : 'audio');
  return param === undefined ? {} : { param };
}

const failure = (message: string): Refusal => ({ code: 'upstream_error', message, fallOver: false });

const words = z.string().min(1).optional().catch(undefined);

const errorBody = z.object({ errorCode: words, error_code: words, generationId: words, field: words });

/** `{statusCode, message}` of the API reference, or an error's code. */
const ownError = z.union([
  z.object({ statusCode: z.int() }),
  z.object({ errorCode: z.string().min(1) }),
  z.object({ error_code: z.string().min(1) }),
]);

const generation = z.object({
  ...{ status: z.string(), outputUrl: words, outputMediaUrl: words },
  ...{ error: words, errorCode: words, error_code: words },
});
type Generation = z.output<typeof generation>;
