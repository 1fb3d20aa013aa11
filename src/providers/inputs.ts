/** What a job is made from, in the names that the adapters share: a prompt, and images, a video and audio by their addresses. */
import type { Readable } from 'node:stream';
import { GatewayError } from '../domain/errors.ts';
import { type ContentItem, itemParam } from '../domain/requests/video-request.ts';
import { type ImageRequest, maskParam, referenceParam } from '../domain/requests/image-request.ts';
import { AddressGuard } from '../net/public-hosts.ts';
import type { Job } from './contract.ts';
import type { ProviderTools } from './definition.ts';

export interface Inputs {
  /** Empty where there is none. */
  prompt: string;
  /** But for `mask` and `lastFrame`. */
  images: readonly string[];
  /** Where an image may be changed. */
  mask?: string | undefined;
  /** The image that a video is to end with. */
  lastFrame?: string | undefined;
  video: string | undefined;
  audio: string | undefined;
}

/** The inputs of a job of any kind. Uploads are named by their signed links. */
export function inputsOf({ input }: Job): Inputs {
  switch (input.kind) {
    case 'image': {
      const { prompt, imageUrls, mask } = input.request;
      return { prompt, images: imageUrls, mask, video: undefined, audio: undefined };
    }
    case 'video': {
      const { content } = input.request;
      const urls = (type: ContentItem['type'], isLast = false) =>
        content.flatMap((item) =>
          item.type === type && item.type !== 'text' && (item.role === 'last_frame') === isLast ? [item.url] : [],
        );
      const prompt = content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
      const [lastFrame] = urls('image_url', true);
      return { prompt, images: urls('image_url'), lastFrame, video: urls('video_url')[0], audio: urls('audio_url')[0] };
    }
    case 'avatar_talk':
      return { prompt: '', images: [], video: input.video.url, audio: input.audio.url };
    default:
      return input satisfies never;
  }
}

const itemTypes = { prompt: 'text', images: 'image_url', video: 'video_url', audio: 'audio_url' } as const;
type NamedInput = keyof typeof itemTypes;

/** Returns the name under which the caller sent an input, or would have to send it, for a refusal that names it. */
export function paramOf({ input }: Job, name: NamedInput | 'mask'): string | undefined {
  switch (input.kind) {
    case 'image':
      return imageParamOf(input.request, name);
    case 'video': {
      if (name === 'mask') return undefined;
      const index = input.request.content.findIndex(({ type }) => type === itemTypes[name]);
      return index < 0 ? 'content' : itemParam(input.request, index);
    }
    case 'avatar_talk':
      return name === 'video' || name === 'audio' ? name : undefined;
    default:
      return input satisfies never;
  }
}

function imageParamOf(request: ImageRequest, name: NamedInput | 'mask'): string | undefined {
  if (name === 'prompt') return 'prompt';
  if (name === 'mask') return maskParam(request);
  return name === 'images' ? referenceParam(request) : undefined;
}

/** Opens a file that a job names: the caller's upload from our own store, anything else from where it lies. */
export async function openInput(
  { uploads }: Pick<Job, 'uploads'>,
  url: string,
  param: string,
  { fetchFile }: Pick<ProviderTools, 'fetchFile'>,
): Promise<Readable> {
  const upload = uploads?.get(url);
  return upload ? await upload.open() : await fetchFile(url, param);
}

/**
 * The fields of a job as the upstream's model calls them: named anew as the route's `fields` say (null leaves one out),
 * without those that have no value, and with the route's options over all.
 */
export function namedFields({ fields, options }: Job, ours: Record<string, unknown>): Record<string, unknown> {
  const theirs: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(ours)) {
    const theirName = fields[name] === undefined ? name : fields[name];
    if (theirName !== null && value !== undefined) theirs[theirName] = value;
  }
  return { ...theirs, ...options };
}

/**
 * Whether a provider can be asked to call the hook: it calls https addresses only, but for one that is itself reached
 * over http, which stands on a network of one's own.
 */
export const canCallHook = (baseUrl: string, { hookUrl }: Job): boolean =>
  hookUrl.startsWith('https:') || baseUrl.startsWith('http:');

const internet = new AddressGuard({ allowPrivate: false, allowedOrigins: [] });

/**
 * Refuses a job whose uploads the provider could not fetch: their links lead to an address of this gateway that means
 * nothing on the internet. A provider that is itself reached over http stands on a network of one's own.
 */
export function requireReachableUploads(baseUrl: string, { input, uploads }: Job): void {
  const [link] = input.kind === 'avatar_talk' ? [input.video.url] : [...(uploads?.keys() ?? [])];
  if (link === undefined || !baseUrl.startsWith('https:')) return;
  try {
    internet.checkWritten(link);
  } catch (error) {
    const reason = 'Providers fetch uploads from PUBLIC_URL, which is not set or points to a private address.';
    const cause = new Error(reason, { cause: error });
    throw new GatewayError('upstream_error', 'The provider could not accept the task.', { cause });
  }
}

/** A job that this provider has no way to do. */
export const cannot = (message: string, param?: string): GatewayError =>
  new GatewayError('invalid_parameter', message, param === undefined ? {} : { param });
