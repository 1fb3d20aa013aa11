/** The image creation request, parsed. */
import { z } from 'zod';
import type { ImageQuality, Model } from '../catalogue.ts';
import { imageBackgrounds, type ImageBackground, imageFormats, type ImageFormat } from '../tasks/image-outputs.ts';
import { imageAreaPixelsMax, imageAreaPixelsMin, imageSideRatioMax, imagesMax, referenceImagesMax } from '../limits.ts';
import {
  hasAllowedArea,
  hasAllowedSides,
  imageRatios,
  imageResolutions,
  type ImageResolution,
  type Pixels,
  pixelsOf,
} from '../tasks/pixels.ts';
import { flag, httpAddress, integerFrom, keptText, listOf, modelId, oneOf, text } from './fields.ts';
import { endpointKinds, invalid, list, missing, parseWith, requireKind } from './parse.ts';
import { requirePrompt, requirePromptLength } from './prompt.ts';

export interface ImageRequest {
  model: string;
  /** Empty only in upscale mode. */
  prompt: string;
  quality: ImageQuality;
  n: number;
  /** The references: addresses, or what stands for an upload (`tasks/uploads.ts`). */
  imageUrls: readonly string[];
  /** Where the model may change the first reference, likewise. */
  mask?: string;
  /** Absent: a generation. */
  form?: ImageForm;
  pixels: { mode: 'sized'; width: number; height: number } | { mode: 'upscale'; longerSide: 4096 | 8192 };
  webhookUrl?: string;
  /** The answers hold the images themselves; absent: links to them. */
  responseFormat?: 'b64_json';
  /** Absent: whatever the model makes. */
  outputFormat?: ImageFormat;
  background?: ImageBackground;
}

/** `edit` and `variation` came as forms with files, `json_edit` names its images. */
export const imageForms = ['edit', 'json_edit', 'variation'] as const;
export type ImageForm = (typeof imageForms)[number];

/** OpenAI's words besides ours; `auto` leaves the choice to the gateway, as if the field were absent. */
const qualities = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  auto: undefined,
  standard: 'medium',
  hd: 'high',
} as const satisfies Record<string, ImageQuality | undefined>;
const qualityNames = ['low', 'medium', 'high', 'auto', 'standard', 'hd'] as const satisfies (keyof typeof qualities)[];

/** What a body may look like, whatever the model; the rest of the rules is in `parseImageRequest`. */
export const imageBody = z.object({
  model: modelId,
  prompt: keptText.nullish(),
  quality: oneOf(qualityNames)
    .transform((name): ImageQuality | undefined => qualities[name])
    .nullish(),
  ratio: oneOf(imageRatios).nullish(),
  resolution: oneOf([...imageResolutions, '8k']).nullish(),
  size: text.meta({ pattern: '^(auto|[1-9]\\d{0,4}x[1-9]\\d{0,4})$' }).transform(readSize).nullish(),
  image_urls: listOf(httpAddress(), `must be an array of at most ${referenceImagesMax} http or https URLs`, {
    max: referenceImagesMax,
  }).nullish(),
  n: integerFrom(1, imagesMax).nullish(),
  upscale: flag.nullish(),
  response_format: oneOf(['url', 'b64_json']).nullish(),
  output_format: oneOf(imageFormats).nullish(),
  background: oneOf(['auto', ...imageBackgrounds]).nullish(),
  // An SDK that asks for a stream reads nothing from an answer that is none.
  stream: z.literal(false, 'must be false: images are not streamed').nullish(),
  webhook_url: httpAddress().nullish(),
});
type ImageBody = z.output<typeof imageBody>;

/**
 * The request of a body, with all defaults and the pixels worked out. Refuses with `missing_parameter` or
 * `invalid_parameter`: first the values by themselves, then how they go together and with the model.
 */
export function parseImageRequest(body: unknown, model: Model): ImageRequest {
  requireKind(model, endpointKinds.image);
  const fields = parseWith(imageBody, body);
  const prompt = promptOf(fields, model);
  const imageUrls = fields.image_urls ?? [];
  requireReferences(model, imageUrls.length, 'image_urls');
  const pixels = fields.upscale === true ? upscaling(fields) : sizedPixels(fields, model);
  return { ...commonOf(fields, model), prompt, imageUrls, pixels };
}

/** The name under which the caller sent the reference of this index, or all of them. */
export function referenceParam({ form }: Pick<ImageRequest, 'form'>, index?: number): string {
  if (form === 'edit' || form === 'variation') return 'image';
  const list = form === 'json_edit' ? 'images' : 'image_urls';
  if (index === undefined) return list;
  return form === 'json_edit' ? `${list}[${index}].image_url` : `${list}[${index}]`;
}

/** The name under which the caller sent the mask. */
export const maskParam = ({ form }: Pick<ImageRequest, 'form'>): string =>
  form === 'json_edit' ? 'mask.image_url' : 'mask';

/** Refuses with `invalid_parameter` more references than the model takes. */
export function requireReferences({ id, limits: { references } }: Model, count: number, param: string): void {
  if (references === undefined || count <= references) return;
  const most = references === 0 ? 'no reference images' : `at most ${references} reference images`;
  throw invalid(param, `has ${count} items; the model '${id}' takes ${most}`);
}

/** What generations, edits and variations have in common. */
export type ImageFields = Omit<ImageBody, 'prompt' | 'image_urls' | 'upscale'>;

/** What a request has of them, but for its pixels. */
export function commonOf(fields: ImageFields, model: Model) {
  return {
    model: model.id,
    quality: fields.quality ?? 'medium',
    n: fields.n ?? 1,
    ...(typeof fields.webhook_url === 'string' ? { webhookUrl: fields.webhook_url } : {}),
    ...outputOf(fields),
  } as const;
}

export const sizedPixels = (fields: ImageFields, model: Model): ImageRequest['pixels'] => ({
  mode: 'sized',
  ...pixelsAskedFor(fields, model),
});

function outputOf({ response_format: responseFormat, output_format: outputFormat, background }: ImageFields) {
  if (background === 'transparent' && outputFormat === 'jpeg') {
    throw invalid('background', "can't be 'transparent' with JPEG: use 'png' or 'webp' as 'output_format'");
  }
  return {
    ...(responseFormat === 'b64_json' && { responseFormat }),
    ...(outputFormat && { outputFormat }),
    ...(background && background !== 'auto' && { background }),
  };
}

function promptOf({ prompt, upscale }: ImageBody, model: Model): string {
  if (upscale === true) {
    requirePromptLength('prompt', prompt ?? '', model);
    return prompt ?? '';
  }
  if (prompt === undefined || prompt === null)
    throw missing('prompt', 'describes the image; only upscaling works without it');
  requirePrompt('prompt', prompt, model);
  return prompt;
}

/** One reference becomes one larger image; what asks for anything else is refused rather than ignored. */
function upscaling({ image_urls: imageUrls, n, resolution, size }: ImageBody): ImageRequest['pixels'] {
  if (!imageUrls?.length) throw missing('image_urls', 'names the image to upscale');
  if (imageUrls.length > 1) throw invalid('image_urls', 'must name exactly one image in upscale mode');
  if (n !== undefined && n !== null && n > 1) throw invalid('n', 'must be 1 in upscale mode');
  if (size) {
    throw invalid(
      'size',
      "can't be combined with 'upscale': use 'resolution' '4k' or '8k'; the result keeps the reference's ratio",
    );
  }
  if (resolution === '1k' || resolution === '2k') throw invalid('resolution', "must be '4k' or '8k' in upscale mode");
  return { mode: 'upscale', longerSide: resolution === '8k' ? 8192 : 4096 };
}

function pixelsAskedFor({ size, resolution, ratio }: ImageFields, model: Model): Pixels {
  if (resolution === '8k') {
    throw invalid('resolution', `must be ${quoted(imageResolutions)}; '8k' is only for upscaling`);
  }
  if (size) return size;
  if (!resolution) return pixelsOf(defaultResolution(model), ratio ?? '1:1');
  if (!ratio) throw missing('ratio', `must be sent with 'resolution', one of ${quoted(imageRatios)}`);
  const had = model.limits.resolutions;
  if (had && !had.includes(resolution)) {
    throw invalid('resolution', `must be ${quoted(had)} for the model '${model.id}'`);
  }
  return pixelsOf(resolution, ratio);
}

/** `2k`, or the first that a model without it has. */
function defaultResolution({ limits: { resolutions } }: Model): ImageResolution {
  if (!resolutions || resolutions.includes('2k')) return '2k';
  return imageResolutions.find((resolution) => resolution === resolutions[0]) ?? '2k';
}

/** `auto` is what an absent size is. */
function readSize(size: string, context: z.RefinementCtx): Pixels | undefined {
  if (size === 'auto') return undefined;
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size);
  if (!match) return refuse("must be '<width>x<height>' in pixels, such as '2048x2048', or 'auto'");
  const pixels = { width: Number(match[1]), height: Number(match[2]) };
  if (!hasAllowedArea(pixels)) {
    return refuse(`must have an area of ${imageAreaPixelsMin} to ${imageAreaPixelsMax} pixels`);
  }
  if (!hasAllowedSides(pixels)) {
    return refuse(`must have a ratio of width to height from 1/${imageSideRatioMax} to ${imageSideRatioMax}`);
  }
  return pixels;
}

const quoted = (values: readonly string[]) => list(values.map((value) => `'${value}'`));
