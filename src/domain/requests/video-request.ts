/** The video creation request, parsed: all forms of body become `content`. */
import { z } from 'zod';
import type { Model } from '../catalogue.ts';
import { contentItemsMax, videoDurationsSeconds, videoRatios, videoSecondsMax } from '../limits.ts';
import type { Pixels } from '../tasks/pixels.ts';
import { flag, httpAddress, integerFrom, keptText, kindRule, listOf, modelId, oneOf, text } from './fields.ts';
import { endpointKinds, invalid, list, missing, parseWith, requireKind } from './parse.ts';
import { requirePrompt, requirePromptLength } from './prompt.ts';

export interface VideoRequest {
  model: string;
  content: readonly ContentItem[];
  /** Which form the body had: an error names a value as its caller wrote it. */
  form: VideoForm;
  generateAudio: boolean;
  /** Such as `16:9`; that of `size` where there is one. */
  ratio: string;
  /** Absent: the model's own choice. */
  size?: Pixels;
  durationSeconds: number;
  watermark: boolean;
  modelVersion?: number;
  seed?: number;
  webhookUrl?: string;
}

/** `videos`: the body of `POST /videos` (`videos-request.ts`). */
export const videoForms = ['content', 'prompt', 'flat', 'videos'] as const;
export type VideoForm = (typeof videoForms)[number];

const callersRoles = ['reference_image', 'reference_video', 'reference_audio'] as const;
/** The frames are of `POST /videos` only. */
export const contentRoles = [...callersRoles, 'first_frame', 'last_frame'] as const;
export type ContentRole = (typeof contentRoles)[number];
export type ContentItem =
  | { type: 'text'; text: string; role?: ContentRole }
  | { type: 'image_url' | 'video_url' | 'audio_url'; url: string; role?: ContentRole };

const role = oneOf(callersRoles).nullish();
const media = z.object({ url: httpAddress() }, "must be an object with a 'url'");
const contentItem = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: keptText, role }),
    z.object({ type: z.literal('image_url'), image_url: media, role }),
    z.object({ type: z.literal('video_url'), video_url: media, role }),
    z.object({ type: z.literal('audio_url'), audio_url: media, role }),
  ],
  { error: kindRule("must be 'text', 'image_url', 'video_url' or 'audio_url'") },
);

/** What a body may look like, whatever the model; the rest of the rules is in `parseVideoRequest`. */
export const videoBody = z.object({
  model: modelId,
  content: listOf(contentItem, `must be an array of 1 to ${contentItemsMax} items`, { max: contentItemsMax }).nullish(),
  prompt: keptText.nullish(),
  audioUrl: httpAddress().nullish(),
  videoUrl: httpAddress().nullish(),
  modelVersion: integerFrom(0).nullish(),
  generate_audio: flag.nullish(),
  ratio: text.nullish(),
  duration: integerFrom(1, videoSecondsMax).nullish(),
  watermark: flag.nullish(),
  webhook_url: httpAddress().nullish(),
});
type VideoBody = z.output<typeof videoBody>;

/**
 * The request of a body in any of its forms, with all defaults. Refuses with `missing_parameter` or
 * `invalid_parameter`: first the values by themselves, then how they go together and with the model.
 */
export function parseVideoRequest(body: unknown, model: Model): VideoRequest {
  requireKind(model, endpointKinds.video);
  const fields = parseWith(videoBody, body);
  const content = contentOf(fields, model);
  return {
    model: model.id,
    content,
    form: formOf(fields),
    generateAudio: fields.generate_audio ?? true,
    ratio: ratioFor('ratio', fields.ratio, model),
    durationSeconds: durationFor('duration', fields.duration, model),
    watermark: fields.watermark ?? false,
    ...(typeof fields.modelVersion === 'number' ? { modelVersion: fields.modelVersion } : {}),
    ...(typeof fields.webhook_url === 'string' ? { webhookUrl: fields.webhook_url } : {}),
  };
}

/** The name under which the caller sent the item of this index: `content[1].audio_url.url`, `prompt` or `audioUrl`. */
export function itemParam({ content, form }: Pick<VideoRequest, 'content' | 'form'>, index: number): string {
  const type = content[index]?.type ?? 'text';
  if (form === 'videos') return videosParam(content, index);
  const isPrompt = type === 'text' && index === 0 && form !== 'content';
  if (isPrompt) return 'prompt';
  if (form === 'flat') return type === 'audio_url' ? 'audioUrl' : 'videoUrl';
  const sentIndex = form === 'prompt' ? index - 1 : index;
  return `content[${sentIndex}].${type === 'text' ? 'text' : `${type}.url`}`;
}

/** Of an item of `POST /videos`, whose role says in which field it came. */
function videosParam(content: readonly ContentItem[], index: number): string {
  const fieldOf = (item: ContentItem | undefined) => {
    if (item === undefined || item.type === 'text') return 'prompt';
    if (item.role === 'reference_image') return 'input_references';
    return item.role === undefined ? 'input_reference' : 'frame_images';
  };
  const field = fieldOf(content[index]);
  if (field === 'prompt' || field === 'input_reference') return field;
  const before = content.slice(0, index).filter((item) => fieldOf(item) === field).length;
  return `${field}[${before}].image_url.url`;
}

function formOf({ audioUrl, videoUrl, prompt }: VideoBody): VideoRequest['form'] {
  if (typeof audioUrl === 'string' || typeof videoUrl === 'string') return 'flat';
  return typeof prompt === 'string' ? 'prompt' : 'content';
}

function contentOf(fields: VideoBody, model: Model): readonly ContentItem[] {
  const items = flatContent(fields, model) ?? (fields.content ?? []).map(itemOf);
  requireTexts(items, model);
  const prompted = typeof fields.prompt === 'string' ? withPrompt(fields.prompt, items, model) : items;
  if (prompted.length === 0) {
    if (fields.content) throw invalid('content', `must be an array of 1 to ${contentItemsMax} items`);
    throw missing('content', `${needs[contentRule(model)]}; 'prompt' may replace a text item`);
  }
  requireItems(items, prompted, model);
  return prompted;
}

/** The flat body of the avatar video models, which replaces `content`. Undefined if the body is not of that form. */
function flatContent({ audioUrl, videoUrl, content }: VideoBody, model: Model): ContentItem[] | undefined {
  const audio = audioUrl ?? undefined;
  const video = videoUrl ?? undefined;
  if (audio === undefined && video === undefined) return undefined;
  const given = audio === undefined ? 'videoUrl' : 'audioUrl';
  if (model.kind !== 'avatar-video') {
    throw invalid(given, `is only for models of kind 'avatar-video'; send 'content' to the model '${model.id}'`);
  }
  if (content) throw invalid('content', "can't be combined with 'audioUrl' and 'videoUrl'");
  if (video === undefined) throw missing('videoUrl', "must be sent with 'audioUrl': the URL of the reference video");
  if (audio === undefined) throw missing('audioUrl', "must be sent with 'videoUrl': the URL of the driving audio");
  return [
    { type: 'video_url', url: video, role: 'reference_video' },
    { type: 'audio_url', url: audio, role: 'reference_audio' },
  ];
}

function itemOf(item: z.output<typeof contentItem>): ContentItem {
  const withRole = item.role ? { role: item.role } : {};
  switch (item.type) {
    case 'text':
      return { type: 'text', text: item.text, ...withRole };
    case 'image_url':
      return { type: 'image_url', url: item.image_url.url, ...withRole };
    case 'video_url':
      return { type: 'video_url', url: item.video_url.url, ...withRole };
    case 'audio_url':
      return { type: 'audio_url', url: item.audio_url.url, ...withRole };
  }
}

/** Several texts are one prompt to most upstreams, so the limit is for all of them together. */
function requireTexts(items: readonly ContentItem[], model: Model): void {
  let texts = '';
  for (const [index, item] of items.entries()) {
    if (item.type !== 'text') continue;
    texts += item.text;
    requirePrompt(`content[${index}].text`, item.text, model);
    requirePromptLength(`content[${index}].text`, texts, model);
  }
}

function withPrompt(prompt: string, items: readonly ContentItem[], model: Model): readonly ContentItem[] {
  if (items.some(({ type }) => type === 'text')) {
    throw invalid('prompt', "can't be combined with a text item in 'content'; send one of them");
  }
  requirePrompt('prompt', prompt, model);
  return [{ type: 'text', text: prompt }, ...items];
}

/** Which items each kind of model takes. The avatar models take one of each, since a second would be left out. */
function requireItems(items: readonly ContentItem[], prompted: readonly ContentItem[], model: Model): void {
  const rule = contentRule(model);
  if (rule === 'video') {
    if (!prompted.some(({ type }) => type === 'text' || type === 'image_url')) throw missing('content', needs.video);
    return;
  }
  const wanted = rule === 'avatar-video' ? 'video_url' : 'image_url';
  const seen = new Set<ContentItem['type']>();
  for (const [index, { type }] of items.entries()) {
    if (type === 'text') continue;
    if (seen.has(type) || (type !== wanted && type !== 'audio_url'))
      throw invalid(`content[${index}]`, `is not allowed: 'content' ${needs[rule]}`);
    seen.add(type);
  }
  if (seen.size < 2) throw missing('content', needs[rule]);
}

const needs = {
  video: 'must contain at least one text or image_url item',
  'avatar-video':
    "must contain one video_url item, one audio_url item and optional texts (or send 'audioUrl' and 'videoUrl')",
  'avatar-image': 'must contain one image_url item, one audio_url item and optional texts',
} as const;

const contentRule = ({ kind }: Model) => (kind === 'avatar-video' || kind === 'avatar-image' ? kind : 'video');

/** The duration of avatar videos comes from their audio, so a model's own list only binds kind `video`. */
export function durationFor(param: string, given: number | null | undefined, model: Model): number {
  const had = model.kind === 'video' ? (model.limits.durations ?? videoDurationsSeconds) : videoDurationsSeconds;
  if (given === undefined || given === null) return preferred(had, videoDurationsSeconds[0]) ?? 0;
  if (had.includes(given)) return given;
  throw invalid(param, `must be ${list(had.map(String))} seconds for the model '${model.id}'`);
}

/** The ratio asked for, if the model has it. */
export function ratioFor(param: string, given: string | null | undefined, model: Model): string {
  const had = model.limits.ratios ?? videoRatios;
  if (given === undefined || given === null) return preferred(had, videoRatios[0]) ?? '';
  if (had.includes(given)) return given;
  throw invalid(param, `must be ${list(had.map((ratio) => `'${ratio}'`))} for the model '${model.id}'`);
}

/** The usual value where the model has it, else the first that it has. */
const preferred = <Value>(had: readonly Value[], usual: Value | undefined): Value | undefined =>
  usual !== undefined && had.includes(usual) ? usual : had[0];
