/**
 * What fal's models call the fields of a job: the names that most of the 1,390 models have that its client's types list
 * (`libs/client/src/types/endpoints.ts` of fal-ai/fal-js). A route's `fields` and `options` tell those of others.
 */
import { resolutionOf } from '../../domain/requests/videos-request.ts';
import type { Job } from '../contract.ts';
import { inputsOf, namedFields, paramOf } from '../inputs.ts';

/** The body of a create. */
export function inputOf(job: Job): Record<string, unknown> {
  const { prompt, images, mask, lastFrame, video, audio } = inputsOf(job);
  const ours = {
    ...{ prompt: prompt === '' ? undefined : prompt, image_url: images[0], mask_url: mask },
    ...{ last_frame: lastFrame, video_url: video, audio_url: audio },
  };
  return namedFields(job, { ...ours, ...moreOf(job, images) });
}

function moreOf({ kind, input }: Job, images: readonly string[]): Record<string, unknown> {
  if (input.kind === 'image') {
    const { pixels, n } = input.request;
    // Upscalers want a factor, a size of the target or nothing, each under another name: that is for `options`.
    if (pixels.mode === 'upscale') return {};
    const { width, height } = pixels;
    // Of the models that edit, half take a list, be it of one, and the others a single image.
    const list = images.length > 0 ? images : undefined;
    return { image_urls: list, image_size: { width, height }, num_images: n };
  }
  if (input.kind !== 'video' || kind !== 'video') return {};
  const { durationSeconds, ratio, size, seed, generateAudio } = input.request;
  return {
    image_urls: images.length > 1 ? images : undefined,
    // A text to two models in three (Kling, Seedance); those that want a number mostly read it out of one.
    duration: String(durationSeconds),
    aspect_ratio: ratio,
    resolution: size && resolutionOf(size),
    seed,
    generate_audio: generateAudio,
  };
}

/** What the caller called a field of the body; undefined for one that is not the caller's. */
export function callersNameOf(job: Job, theirName: string): string | undefined {
  if (Object.hasOwn(job.options, theirName)) return undefined;
  const renamed = Object.entries(job.fields).find(([, theirs]) => theirs === theirName);
  switch (renamed === undefined ? theirName : renamed[0]) {
    case 'prompt':
      return paramOf(job, 'prompt');
    case 'image_url':
    case 'image_urls':
      return paramOf(job, 'images');
    case 'mask_url':
      return paramOf(job, 'mask');
    case 'video_url':
      return paramOf(job, 'video');
    case 'audio_url':
      return paramOf(job, 'audio');
    case 'image_size':
      return 'size';
    case 'num_images':
      return 'n';
    case 'duration':
      return isOfVideos(job) ? 'seconds' : 'duration';
    case 'aspect_ratio':
      return isOfVideos(job) ? 'aspect_ratio' : 'ratio';
    case 'resolution':
      return isOfVideos(job) ? 'size' : undefined;
    case 'seed':
      return isOfVideos(job) ? 'seed' : undefined;
    case 'generate_audio':
      return 'generate_audio';
    default:
      return undefined;
  }
}

const isOfVideos = ({ input }: Job): boolean => input.kind === 'video' && input.request.form === 'videos';
