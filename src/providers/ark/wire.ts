/**
 * Ark's wire format: Seedream's images, where the answer to the create is the result, and Seedance's videos as tasks.
 * Names and paths as in Ark's own SDK (github.com/volcengine/ark-runtime-python).
 *
 * A create that was lost can't be found: the filters of the task list are ids, model, status and tier, none of which is
 * our reference, and `safety_identifier`, which is echoed, names an end user to the provider. Nothing makes a create
 * idempotent either (`X-Client-Request-Id` is for tracing). A lost video is reported by the call to its hook,
 * which has no signature; so only the id is taken from it, and the task is polled.
 */
import { z } from 'zod';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { referenceImagesMax } from '../../domain/limits.ts';
import type { ImageOutputs, OutputRoute } from '../../domain/tasks/image-outputs.ts';
import type { ImageRequest } from '../../domain/requests/image-request.ts';
import type { ContentItem, VideoRequest } from '../../domain/requests/video-request.ts';
import { resolutionOf } from '../../domain/requests/videos-request.ts';
import type { Job } from '../contract.ts';
import { secretOf } from '../definition.ts';
import { refusalOfStatus } from '../http/status-errors.ts';
import type { Polled, Refusal, TaskWire, WireAnswer, WireCall } from '../http/wire.ts';
import { withOptions } from '../route-image-outputs.ts';
import { canCallHook, cannot, namedFields, requireReachableUploads } from '../inputs.ts';
import { arkErrorIn, refusalOf } from './errors.ts';

/** Volcengine's region; BytePlus has another address for the same API. */
export const arkBaseUrl = 'https://ark.cn-beijing.volces.com/api/v3';

const tasksPath = '/contents/generations/tasks';

export function arkWire(settings: ProviderSettings): TaskWire {
  const { baseUrl = arkBaseUrl } = settings;
  const headers = { authorization: `Bearer ${secretOf(settings, 'api_key')}`, ...settings.headers };
  const call = (method: WireCall['method'], path: string): WireCall => ({ method, url: `${baseUrl}${path}`, headers });
  const post = (path: string, body: unknown): WireCall => ({ ...call('POST', path), body: JSON.stringify(body) });
  const taskPath = (id: string) => `${tasksPath}/${encodeURIComponent(id)}`;
  return {
    abilities: { idempotent: false, lookup: false, cancel: true, webhook: true },
    pollsPerSecondMax: 20, // no limit is documented; videos take a minute and more
    pollPauseMsMax: 10_000,
    create: (job) => {
      const { input, model } = job;
      requireReachableUploads(baseUrl, job);
      if (input.kind === 'image') return post('/images/generations', { model, ...imageFields(job, input.request) });
      if (input.kind !== 'video') throw cannot('This provider only generates images and videos.', 'model');
      const hookUrl = canCallHook(baseUrl, job) ? job.hookUrl : undefined;
      return post(tasksPath, { model, ...videoFields(job, input.request, hookUrl) });
    },
    answersWithResult: ({ input }) => input.kind === 'image',
    imageOutputs,
    inputs: () => ({ references: referenceImagesMax, mask: false, variations: false, lastFrame: true }),
    created: ({ json }) => {
      const id = idIn(json);
      return id === undefined
        ? { outcome: 'unknown', reason: 'the answer names no task' }
        : { outcome: 'accepted', jobId: id };
    },
    poll: (jobId) => call('GET', taskPath(jobId)),
    polled,
    isOwnError: ({ json }) => (arkErrorIn(json)?.code ?? '') !== '',
    cancel: (jobId) => call('DELETE', taskPath(jobId)),
    // The same call deletes the record of a task that has ended, and is refused for one that runs.
    isCancellable: ({ json }) => task.safeParse(json).data?.status === 'queued',
    jobIdOf: idIn,
    probe: () => call('GET', `${tasksPath}?page_num=1&page_size=1`),
    refusal: ({ status, json }, job) => {
      const error = arkErrorIn(json);
      // An answer that is fine as a whole may hold an image that failed.
      return error && refusalOf(error, job, status < 400 ? unexplained : refusalOfStatus(status));
    },
  };
}

const unexplained: Refusal = { code: 'upstream_error', fallOver: false };

/** `max_images` is no more than a bound: the model may make fewer, and only those are charged. */
function imageFields(job: Job, { prompt, imageUrls, pixels, n, outputFormat }: ImageRequest): Record<string, unknown> {
  if (pixels.mode === 'upscale') throw cannot('The provider of this model does not support upscaling.', 'upscale');
  return namedFields(job, {
    prompt,
    // A string for one and a list for several, as clients of every version send them.
    image: imageUrls.length > 1 ? imageUrls : imageUrls[0],
    size: `${pixels.width}x${pixels.height}`,
    sequential_image_generation: n > 1 ? 'auto' : 'disabled',
    sequential_image_generation_options: n > 1 ? { max_images: n } : undefined,
    response_format: 'url',
    output_format: takesFormats(job.model) ? outputFormat : undefined,
    watermark: false, // sent always: sources name different defaults
  });
}

/** Of the family of 5.0 and later; 4.x always make JPEG. What other names stand for isn't known. */
const takesFormats = (model: string): boolean => /seedream-[5-9]/.test(model);

function imageOutputs(route: OutputRoute): ImageOutputs {
  if (takesFormats(route.model)) return withOptions({ formats: ['jpeg', 'png'], backgrounds: ['opaque'] }, route);
  const isOlder = /seedream-4/.test(route.model);
  return withOptions({ formats: isOlder ? ['jpeg'] : [], backgrounds: ['opaque'] }, route);
}

function videoFields(job: Job, request: VideoRequest, hookUrl: string | undefined): Record<string, unknown> {
  return namedFields(job, {
    content: request.content.map(itemOf),
    ratio: request.ratio,
    resolution: request.size && resolutionOf(request.size),
    duration: request.durationSeconds,
    seed: request.seed,
    // Both sent always: sources name different defaults.
    generate_audio: request.generateAudio,
    watermark: request.watermark,
    callback_url: hookUrl,
  });
}

/** An image without a role is the first frame; texts have none. */
function itemOf(item: ContentItem): Record<string, unknown> {
  if (item.type === 'text') return { type: 'text', text: item.text };
  return { type: item.type, [item.type]: { url: item.url }, ...(item.role !== undefined && { role: item.role }) };
}

function polled({ json }: WireAnswer, job: Job): Polled {
  const { data } = task.safeParse(json);
  if (data === undefined) return { state: 'processing' };
  switch (data.status) {
    case 'succeeded': {
      const url = videoUrlIn(data.content, 0);
      if (url !== undefined) return { state: 'succeeded', files: [{ url }] };
      return { state: 'failed', refusal: failure('The provider returned no video.') };
    }
    case 'failed': {
      const error = arkErrorIn(json);
      if (error === undefined)
        return { state: 'failed', refusal: failure('The provider could not generate the video.') };
      return { state: 'failed', refusal: refusalOf(error, job, unexplained) };
    }
    case 'cancelled':
      return { state: 'failed', refusal: failure('The task was cancelled at the provider.') };
    // Not in the SDK's list of statuses, but in the documentation: it was not done within the task's own time there.
    case 'expired':
      return { state: 'failed', refusal: refusalOfStatus(504) };
    default:
      return { state: 'processing' };
  }
}

/** `{"video_url":"…"}` as documented; resellers of the format have lists of that, or the address alone. */
function videoUrlIn(content: unknown, depth: number): string | undefined {
  if (typeof content === 'string') return /^https?:\/\//.test(content) ? content : undefined;
  if (typeof content !== 'object' || content === null || depth > 3) return undefined;
  const inner = Array.isArray(content) ? content : [videoContent.safeParse(content).data?.video_url];
  for (const one of inner) {
    const url = videoUrlIn(one, depth + 1);
    if (url !== undefined) return url;
  }
  return undefined;
}

const failure = (message: string): Refusal => ({ code: 'upstream_error', message, fallOver: false });

const idIn = (json: unknown): string | undefined => named.safeParse(json).data?.id;

const named = z.object({ id: z.string().min(1) });
const task = z.object({ status: z.string(), content: z.unknown().optional() });
const videoContent = z.object({ video_url: z.unknown().optional() });
