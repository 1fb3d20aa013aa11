/** What our callers call a field of Ark's. */
import { type ImageRequest, referenceParam } from '../../domain/requests/image-request.ts';
import { itemParam, type VideoRequest } from '../../domain/requests/video-request.ts';
import type { Job } from '../contract.ts';

/** The path of a value as its caller wrote it; undefined for a field that no caller of ours sends. */
export function callersName(path: string, { input }: Pick<Job, 'input'>): string | undefined {
  const [, field = '', index, rest = ''] = /^(\w+)(\[\d+\])?(.*)$/.exec(path) ?? [];
  switch (input.kind) {
    case 'image':
      return field === 'image' ? imageName(input.request, index) : imageNames.get(field);
    case 'video':
      return field === 'content' ? contentName(input.request, index, rest) : videoName(input.request, field);
    case 'avatar_talk':
      return undefined;
    default:
      return input satisfies never;
  }
}

const imageName = (request: ImageRequest, index: string | undefined): string =>
  referenceParam(request, index === undefined ? undefined : Number(index.slice(1, -1)));

/** Ark counts the prompt as the first item. */
function contentName(request: VideoRequest, index: string | undefined, rest: string): string {
  const at = index === undefined ? -1 : Number(index.slice(1, -1));
  if (request.content[at] === undefined) {
    return request.form === 'prompt' && request.content.length === 1 ? 'prompt' : 'content';
  }
  const name = itemParam(request, at);
  return rest === '.role' ? name.replace(/\.(?:text|\w+_url\.url)$/, '.role') : name;
}

const imageNames: ReadonlyMap<string, string> = new Map([
  ['prompt', 'prompt'],
  ['size', 'size'],
  ['sequential_image_generation', 'n'],
  ['sequential_image_generation_options', 'n'],
  ['max_images', 'n'],
]);

function videoName({ form }: VideoRequest, field: string): string | undefined {
  return form === 'videos' ? videosNames.get(field) : videoNames.get(field);
}

const videoNames: ReadonlyMap<string, string> = new Map(
  ['duration', 'ratio', 'generate_audio', 'watermark'].map((name) => [name, name]),
);

const videosNames: ReadonlyMap<string, string> = new Map([
  ...[['duration', 'seconds'] as const, ['ratio', 'aspect_ratio'] as const, ['resolution', 'size'] as const],
  ...['generate_audio', 'seed'].map((name) => [name, name] as const),
]);
