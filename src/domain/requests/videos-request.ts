/**
 * The body of `POST /videos`, parsed: OpenAI's fields and OpenRouter's become the request of a video task. Where both name
 * the same thing, OpenAI's counts.
 */
import { z } from 'zod';
import type { Model } from '../catalogue.ts';
import { addressCharactersMax, referenceImagesMax, videoSecondsMax, videoSizes } from '../limits.ts';
import type { Pixels } from '../tasks/pixels.ts';
import { imageUploadName, uploadAddress, type UploadName } from '../tasks/uploads.ts';
import { flag, httpAddress, integerFrom, keptText, listOf, mediaAddress, modelId, oneOf, text } from './fields.ts';
import type { FieldTypes } from './form-fields.ts';
import type { InlineImage } from './image-edit.ts';
import { invalid, list, parseWith, requireKind } from './parse.ts';
import { requirePrompt } from './prompt.ts';
import { type ContentItem, durationFor, itemParam, ratioFor, type VideoRequest } from './video-request.ts';

const secondsRule = `must be a whole number of seconds from 1 to ${videoSecondsMax}, such as '8'`;
const seconds = z
  .union([z.string(secondsRule).regex(/^[1-9]\d{0,2}$/, secondsRule), z.int(secondsRule)], secondsRule)
  .transform(Number)
  .refine((value) => value >= 1 && value <= videoSecondsMax, secondsRule);

const image = mediaAddress(addressCharactersMax);
const imageObject = z.object({ url: image }, "must be an object with a 'url'");
const imageItem = { type: z.literal('image_url', "must be 'image_url'"), image_url: imageObject };
const references = z.object(imageItem, 'must be an object');
const frames = z.object({ ...imageItem, frame_type: oneOf(['first_frame', 'last_frame']) }, 'must be an object');
const framesMax = 2;

export const videosBody = z.object({
  model: modelId,
  prompt: keptText,
  seconds: seconds.nullish(),
  size: text.nullish(),
  input_reference: z.object({ image_url: image }, "must be a file, or an object with an 'image_url'").nullish(),
  duration: integerFrom(1, videoSecondsMax).nullish(),
  resolution: text.nullish(),
  aspect_ratio: text.nullish(),
  generate_audio: flag.nullish(),
  seed: integerFrom(0, 2 ** 32 - 1).nullish(),
  frame_images: listOf(frames, `must be an array of at most ${framesMax} items`, { max: framesMax }).nullish(),
  input_references: listOf(references, `must be an array of at most ${referenceImagesMax} items`, {
    max: referenceImagesMax,
  }).nullish(),
  callback_url: httpAddress().nullish(),
  webhook_url: httpAddress().nullish(),
});
type VideosBody = z.output<typeof videosBody>;

/** Of its form. */
export const videosFormTypes: FieldTypes = { duration: 'integer', seed: 'integer', generate_audio: 'flag' };

/**
 * The request of a body, and the images that the body itself holds. `hasFile`: its `input_reference` came as a file.
 * Refuses with `missing_parameter` or `invalid_parameter`.
 */
export function parseVideosBody(
  body: unknown,
  hasFile: boolean,
  model: Model,
): { request: VideoRequest; inline: InlineImage[] } {
  requireKind(model, ['video']);
  const fields = parseWith(videosBody, body);
  requirePrompt('prompt', fields.prompt, model);
  const size = sizeOf(fields, model);
  const { content, inline } = contentOf(fields, hasFile);
  const isSecond = fields.seconds !== undefined && fields.seconds !== null;
  const [param, duration] = isSecond
    ? (['seconds', fields.seconds] as const)
    : (['duration', fields.duration] as const);
  const webhookUrl = fields.webhook_url ?? fields.callback_url;
  const request: VideoRequest = {
    ...{ model: model.id, content, form: 'videos', watermark: false },
    generateAudio: fields.generate_audio ?? true,
    ratio: size ? ratioOf(size) : ratioFor('aspect_ratio', fields.aspect_ratio, model),
    ...(size && { size }),
    durationSeconds: durationFor(param, duration, model),
    ...(typeof fields.seed === 'number' && { seed: fields.seed }),
    ...(typeof webhookUrl === 'string' && { webhookUrl }),
  };
  return { request, inline };
}

/** `input_reference` is the first upload, wherever it comes from. */
function contentOf(fields: VideosBody, hasFile: boolean): { content: ContentItem[]; inline: InlineImage[] } {
  const content: ContentItem[] = [{ type: 'text', text: fields.prompt }];
  const uploads: { name: UploadName; index: number; dataUri: string }[] = [];
  const add = (address: string, role?: 'reference_image' | 'first_frame' | 'last_frame') => {
    const name = imageUploadName(content.length - 1);
    const isInline = /^data:/i.test(address);
    if (isInline) uploads.push({ name, index: content.length, dataUri: address });
    content.push({ type: 'image_url', url: isInline ? uploadAddress(name) : address, ...(role && { role }) });
  };
  if (hasFile) add(uploadAddress(imageUploadName(0)));
  else if (fields.input_reference) add(fields.input_reference.image_url);
  for (const frame of fields.frame_images ?? []) add(frame.image_url.url, frame.frame_type);
  for (const reference of fields.input_references ?? []) add(reference.image_url.url, 'reference_image');
  requireOneOfEach(fields, hasFile);
  const inline = uploads.map(({ name, index, dataUri }) => ({
    ...{ name, dataUri },
    param: itemParam({ content, form: 'videos' }, index),
  }));
  return { content, inline };
}

function requireOneOfEach({ frame_images: given, input_reference: reference }: VideosBody, hasFile: boolean): void {
  const types = (given ?? []).map(({ frame_type: type }) => type);
  if (new Set(types).size < types.length) throw invalid('frame_images', "must have one item of each 'frame_type'");
  if (types.includes('first_frame') && (hasFile || reference))
    throw invalid('frame_images', "must have no 'first_frame' beside 'input_reference', which is one");
}

/** The pixels asked for: by `size`, or by `resolution` at the ratio asked for. */
function sizeOf({ size, resolution, aspect_ratio: ratio }: VideosBody, model: Model): Pixels | undefined {
  const had = model.limits.sizes ?? videoSizes;
  const quoted = (values: readonly string[]) => list([...new Set(values)].map((value) => `'${value}'`));
  if (typeof size === 'string') {
    if (had.includes(size)) return pixelsOf(size);
    throw invalid('size', `must be ${quoted(had)} for the model '${model.id}'`);
  }
  if (typeof resolution !== 'string') return undefined;
  const wanted = ratioFor('aspect_ratio', ratio, model);
  const ofRatio = had.map(pixelsOf).filter((pixels) => ratioOf(pixels) === wanted);
  const found = ofRatio.find((pixels) => resolutionOf(pixels) === resolution.toLowerCase());
  if (found) return found;
  const allowed = quoted(ofRatio.map(resolutionOf));
  const atRatio = `at the ratio ${wanted} for the model '${model.id}'`;
  throw invalid('resolution', allowed === '' ? `can't be chosen ${atRatio}; omit it` : `must be ${allowed} ${atRatio}`);
}

/** The lines of a video, such as `720p`: its shorter side. */
export const resolutionOf = ({ width, height }: Pixels): string => `${Math.min(width, height)}p`;

function pixelsOf(size: string): Pixels {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}

function ratioOf({ width, height }: Pixels): string {
  const divisor = greatestDivisor(width, height);
  return `${width / divisor}:${height / divisor}`;
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));
