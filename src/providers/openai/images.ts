/**
 * The images of the OpenAI API: text to image as JSON, and with references as a form to `/images/edits`. The answer to
 * the create is the result (`stored-images.ts`), and there is no job to ask for afterwards.
 */
import { z } from 'zod';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import {
  imageBackgrounds,
  imageFormats,
  type ImageOutputs,
  type OutputRoute,
} from '../../domain/tasks/image-outputs.ts';
import { editImagesMax } from '../../domain/limits.ts';
import { type ImageRequest, maskParam, referenceParam } from '../../domain/requests/image-request.ts';
import type { InputRoute, RouteInputs } from '../../domain/tasks/route-inputs.ts';
import type { Job } from '../contract.ts';
import type { ProviderTools } from '../definition.ts';
import { fetchInputFiles, type InputBounds } from '../http/input-files.ts';
import { formOf } from '../http/multipart-body.ts';
import type { Refusal, TaskWire, WireAnswer, WireUpload } from '../http/wire.ts';
import { withOptions } from '../route-image-outputs.ts';
import { cannot, namedFields, openInput, paramOf } from '../inputs.ts';
import { commonHeaders } from './headers.ts';

const baseUrlDefault = 'https://api.openai.com/v1';

/**
 * The API reference of `/images/edits`: up to 16 files of less than 50 MB each, PNG, WebP or JPEG; the type of each
 * part is required. The bound for all together is ours.
 */
const referenceBounds: InputBounds = {
  mediaTypes: ['image/png', 'image/jpeg', 'image/webp'],
  bytesMax: 50_000_000 - 1,
  allBytesMax: 200_000_000,
  timeoutMs: 15_000,
};

/** Throws for headers in the settings that can't be sent. */
export function imagesWire(settings: ProviderSettings, tools: Pick<ProviderTools, 'fetchFile' | 'tempDir'>): TaskWire {
  const baseUrl = (settings.baseUrl ?? baseUrlDefault).replace(/\/+$/, '');
  const headers = Object.fromEntries(pairsOf(commonHeaders(settings)));
  const to = (path: string) => ({ method: 'POST', url: `${baseUrl}${path}`, headers }) as const;
  return {
    abilities: { idempotent: false, lookup: false, cancel: false, webhook: false },
    pollsPerSecondMax: 1,
    answersWithResult: () => true,
    imageOutputs,
    create: (job) => ({ ...to('/images/generations'), body: JSON.stringify(fieldsOf(job, requestOf(job))) }),
    createWithFiles: (job, signal) => {
      const request = requestOf(job);
      return request.imageUrls.length === 0 ? undefined : withFiles(job, request, signal);
    },
    inputs,
    created: () => ({ outcome: 'unknown', reason: 'an answer without a result' }),
    poll: () => {
      throw new TypeError('there are no jobs to ask for');
    },
    polled: () => ({ state: 'missing' }),
    probe: () => ({ method: 'GET', url: `${baseUrl}/models`, headers }),
    refusal,
  };

  /** The form of an edit or a variation. */
  async function withFiles(job: Job, request: ImageRequest, signal: AbortSignal): Promise<WireUpload> {
    const fields = fieldsOf(job, request);
    const { imageUrls, mask } = request;
    const name = referencesName(job, request);
    const inputs = imageUrls.map((url, at) => ({ url, param: referenceParam(request, at) }));
    if (mask !== undefined) inputs.push({ url: mask, param: maskParam(request) });
    const opened = { ...tools, fetchFile: (url: string, param: string) => openInput(job, url, param, tools) };
    const { files, close } = await fetchInputFiles(inputs, opened, referenceBounds, signal);
    const parts = files.map((file, at) => {
      const [partName, title] = at < imageUrls.length ? [name, `reference-${at}`] : [maskName(job), 'mask'];
      return { name: partName, file, fileName: `${title}.${file.mediaType.slice('image/'.length)}` };
    });
    const form = formOf(Object.entries(fields).flatMap(asText), parts);
    return { ...to(request.form === 'variation' ? '/images/variations' : '/images/edits'), body: { ...form, close } };
  }
}

function requestOf({ input }: Job): ImageRequest {
  if (input.kind !== 'image') throw cannot('This provider only generates images.');
  if (input.request.pixels.mode === 'upscale') {
    throw cannot('This model does not support upscaling.', 'upscale');
  }
  return input.request;
}

/**
 * GPT image models always answer with base64 and refuse `response_format` as unknown; DALL·E models answer with
 * addresses unless asked otherwise, and their `quality` has other words (API reference of `/images/generations`).
 */
function fieldsOf(job: Job, request: ImageRequest): Record<string, unknown> {
  const { prompt, n, quality, pixels, outputFormat, background } = request;
  const isDallE = isOfDallE(job.model);
  return namedFields(job, {
    ...{ model: job.model, prompt: request.form === 'variation' ? undefined : prompt, n },
    size: pixels.mode === 'sized' ? `${pixels.width}x${pixels.height}` : undefined,
    quality: isDallE || request.form === 'variation' ? undefined : quality,
    response_format: isDallE ? 'b64_json' : undefined,
    output_format: isDallE ? undefined : outputFormat,
    background: isDallE ? undefined : background,
  });
}

const isOfDallE = (model: string): boolean => /^dall-e/i.test(model);

/** DALL·E models make PNG and know neither field. */
function imageOutputs(route: OutputRoute): ImageOutputs {
  const known: ImageOutputs = isOfDallE(route.model)
    ? { formats: ['png'], backgrounds: ['opaque'] }
    : { formats: imageFormats, backgrounds: imageBackgrounds };
  return withOptions(known, route);
}

/** As OpenAI's own clients write it, where the route doesn't say otherwise. */
function referencesName({ fields }: Job, request: ImageRequest): string {
  const { image = request.imageUrls.length === 1 ? 'image' : 'image[]' } = fields;
  if (image === null) throw cannot('This model does not support reference images.', referenceParam(request));
  return image;
}

const maskName = ({ fields }: Job): string => fields['mask'] ?? 'mask';

/**
 * GPT image models edit with up to 16 images and a mask, and make no variations; of the DALL·E models the second edits one
 * image and makes variations, the third does neither (API reference). What other models do isn't known.
 */
function inputs({ model, fields }: InputRoute): RouteInputs {
  const takesImages = fields['image'] !== null && !/^dall-e-3/i.test(model);
  const isOfGpt = /^(?:chat)?gpt-/i.test(model);
  return {
    references: takesImages ? (isOfDallE(model) ? 1 : editImagesMax) : 0,
    mask: fields['mask'] !== null && takesImages,
    variations: takesImages && !isOfGpt && (isOfDallE(model) || undefined),
    lastFrame: false,
  };
}

/** A field of a form; what has no value is left out. */
function asText([name, value]: [string, unknown]): [string, string][] {
  if (value === undefined || value === null) return [];
  return [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
}

/**
 * `moderation_blocked` is what GPT image models say, `content_policy_violation` what DALL·E said; older answers have
 * the words only. A wrong model, and money that ran out, are the operator's failures, whatever the status.
 */
function refusal({ status, json }: WireAnswer, job: Job): Refusal | undefined {
  const { data } = errorBody.safeParse(json);
  if (data === undefined) return undefined;
  const { code, type, param, message } = data.error;
  const word = code ?? type ?? '';
  const isPolicy =
    /moderation_blocked|content_policy|content_filter/.test(word) ||
    (status < 500 && /safety system|content polic/i.test(message ?? ''));
  if (isPolicy) return { code: 'content_policy_violation', fallOver: false, isCertain: true };
  const isOperators = /quota|billing|spend_limit|usage_limit|model_not_found/.test(word) || param === 'model';
  if (isOperators && status < 500) {
    return { code: 'upstream_error', message: 'The provider could not accept the task.', fallOver: true };
  }
  if (status !== 400) return undefined;
  const ours = ourParam((param ?? '').replace(/\[.*$/, ''), job);
  return { code: 'invalid_parameter', fallOver: false, ...(ours !== undefined && { param: ours }) };
}

const sameParams = ['prompt', 'size', 'quality', 'n', 'output_format', 'background'];

function ourParam(theirs: string, job: Job): string | undefined {
  if (theirs === 'image' || theirs === 'images') return paramOf(job, 'images');
  if (theirs === 'mask') return paramOf(job, 'mask');
  return sameParams.includes(theirs) ? theirs : undefined;
}

const word = z.string().nullish().catch(undefined);
const errorBody = z.object({ error: z.object({ code: word, type: word, param: word, message: word }) });

function pairsOf(flat: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}
