/** Avatar jobs: the caller's picture and sound are brought into a work folder, measured, and made into one MP4. */
import type { Readable } from 'node:stream';
import { GatewayError } from '../domain/errors.ts';
import { itemParam } from '../domain/requests/video-request.ts';
import { InvalidMedia, probeMedia, type MediaFacts } from '../media/probe.ts';
import { withFileReader } from '../media/reader.ts';
import type { Job } from '../providers/contract.ts';
import type { EncoderPool } from './encoding/pool.ts';
import { UnusableInput, type TaskInput } from './encoding/tasks.ts';
import { makeWorkFolder, type WorkFolder } from './work-folders.ts';

/** The name of the result in the work folder. */
export const avatarFile = 'result.mp4';
/** The simulator's own limit; the API has lower ones. */
const soundMsMax = 3_600_000;
export const picturePixelsMax = 67_108_864;

export interface AvatarInput {
  /** Where the caller named or sent it. */
  param: string;
  open(): Promise<Readable>;
}

export interface AvatarTools {
  fetchFile: (url: string, param: string) => Promise<Readable>;
  tempDir: string;
  pool: EncoderPool;
}

/**
 * The two inputs of an avatar job: the uploaded files, or the first video (else image) and the first audio of the
 * content. Refuses with `invalid_parameter` a content without either.
 */
export function avatarInputs(job: Job, fetchFile: AvatarTools['fetchFile']): Record<TaskInput, AvatarInput> {
  const { input } = job;
  if (input.kind === 'avatar_talk') {
    return {
      picture: { param: 'video', open: () => input.video.open() },
      sound: { param: 'audio', open: () => input.audio.open() },
    };
  }
  const request = input.kind === 'video' ? input.request : undefined;
  const picture = named('video_url') ?? named('image_url');
  const sound = named('audio_url');
  if (picture === undefined || sound === undefined) {
    const missing = picture === undefined ? 'a video_url or image_url' : 'an audio_url';
    throw new GatewayError('invalid_parameter', `'content' needs ${missing} item.`, { param: 'content' });
  }
  return { picture, sound };

  function named(type: 'video_url' | 'image_url' | 'audio_url'): AvatarInput | undefined {
    const at = request?.content.findIndex((item) => item.type === type) ?? -1;
    const item = request?.content[at];
    if (request === undefined || item === undefined || item.type === 'text') return undefined;
    const param = itemParam(request, at);
    return { param, open: () => fetchFile(item.url, param) };
  }
}

/**
 * Makes the MP4 in a new work folder, which whoever asked has to remove. Refuses with `invalid_parameter` and the param
 * of the input that can't be fetched or used; nothing is left behind then.
 */
export async function prepareAvatar(inputs: Record<TaskInput, AvatarInput>, tools: AvatarTools): Promise<WorkFolder> {
  const folder = await makeWorkFolder(tools.tempDir);
  try {
    const picture = await bring('picture');
    const sound = await bring('sound');
    const isStill = picture.mediaType.startsWith('image/');
    if (!isStill && !picture.hasVideo)
      throw new UnusableInput('picture', `it is ${picture.mediaType}, without an image`);
    if (!sound.hasAudio || sound.durationMs === undefined) {
      throw new UnusableInput('sound', `it is ${sound.mediaType}, without audio`);
    }
    if (sound.durationMs > soundMsMax) throw new UnusableInput('sound', `it is longer than ${soundMsMax / 1_000} s`);
    requireSize(picture);
    await tools.pool.run({
      kind: 'avatar',
      picture: { path: folder.path('picture'), isStill },
      sound: { path: folder.path('sound'), durationMs: sound.durationMs },
      outputPath: folder.path(avatarFile),
      scratchPath: folder.path('scratch.mp3'),
    });
    return folder;
  } catch (error) {
    await folder.remove();
    throw error instanceof UnusableInput ? unusable(inputs[error.input].param, error) : error;
  }

  async function bring(input: TaskInput): Promise<MediaFacts> {
    const path = await folder.save(input, await inputs[input].open());
    try {
      return await withFileReader(path, probeMedia);
    } catch (error) {
      throw error instanceof InvalidMedia ? new UnusableInput(input, error.message, error) : error;
    }
  }
}

/** Refuses with `UnusableInput` an image of more pixels than the simulator decodes. */
export function requireSize({ mediaType, width = 0, height = 0 }: MediaFacts): void {
  if (mediaType.startsWith('image/') && width * height > picturePixelsMax) {
    throw new UnusableInput('picture', `it has ${width}x${height} pixels, more than ${picturePixelsMax}`);
  }
}

/** The error for the caller whose file can't be used. */
export const unusable = (param: string, cause: UnusableInput): GatewayError =>
  new GatewayError('invalid_parameter', `The file of ${param} can't be used: ${cause.message}.`, { param, cause });
