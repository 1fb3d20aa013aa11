/** Avatar jobs: the caller's video or image and audio are saved to a work folder, measured, and combined into one MP4. */
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
const audioMsMax = 3_600_000;
export const imagePixelsMax = 67_108_864;

export interface AvatarInput {
  /** Where the caller named or sent it. */
  param: string;
  open(): Promise<Readable>;
}

/** What an avatar is made of. */
type AvatarInputs = Record<Exclude<TaskInput, 'mask'>, AvatarInput>;

export interface AvatarTools {
  fetchFile: (url: string, param: string) => Promise<Readable>;
  tempDir: string;
  pool: EncoderPool;
}

/**
 * The two inputs of an avatar job: the uploaded files, or the first video (else image) and the first audio of the
 * content. Refuses with `invalid_parameter` a content without either.
 */
export function avatarInputs(job: Job, fetchFile: AvatarTools['fetchFile']): AvatarInputs {
  const { input } = job;
  if (input.kind === 'avatar_talk') {
    return {
      visual: { param: 'video', open: () => input.video.open() },
      audio: { param: 'audio', open: () => input.audio.open() },
    };
  }
  const request = input.kind === 'video' ? input.request : undefined;
  const visual = named('video_url') ?? named('image_url');
  const audio = named('audio_url');
  if (visual === undefined || audio === undefined) {
    const missing = visual === undefined ? 'a video_url or image_url' : 'an audio_url';
    throw new GatewayError('invalid_parameter', `'content' needs ${missing} item.`, { param: 'content' });
  }
  return { visual, audio };

  function named(type: 'video_url' | 'image_url' | 'audio_url'): AvatarInput | undefined {
    const at = request?.content.findIndex((item) => item.type === type) ?? -1;
    const item = request?.content[at];
    if (request === undefined || item === undefined || item.type === 'text') return undefined;
    const param = itemParam(request, at);
    return { param, open: () => fetchFile(item.url, param) };
  }
}

/**
 * Makes the MP4 in a new work folder, which the caller has to remove. Refuses with `invalid_parameter` and the param
 * of the input that can't be fetched or used; nothing is left behind then.
 */
export async function prepareAvatar(inputs: AvatarInputs, tools: AvatarTools): Promise<WorkFolder> {
  const folder = await makeWorkFolder(tools.tempDir);
  try {
    const visual = await bring('visual');
    const audio = await bring('audio');
    const isStill = visual.mediaType.startsWith('image/');
    if (!isStill && !visual.hasVideo) throw new UnusableInput('visual', `it is ${visual.mediaType}, without an image`);
    if (!audio.hasAudio || audio.durationMs === undefined) {
      throw new UnusableInput('audio', `it is ${audio.mediaType}, without audio`);
    }
    if (audio.durationMs > audioMsMax) throw new UnusableInput('audio', `it is longer than ${audioMsMax / 1_000} s`);
    requireSize(visual);
    await tools.pool.run({
      kind: 'avatar',
      visual: { path: folder.path('visual'), isStill },
      audio: { path: folder.path('audio'), durationMs: audio.durationMs },
      outputPath: folder.path(avatarFile),
      scratchPath: folder.path('scratch.mp3'),
    });
    return folder;
  } catch (error) {
    await folder.remove();
    if (!(error instanceof UnusableInput)) throw error;
    throw unusable(inputs[error.input === 'audio' ? 'audio' : 'visual'].param, error);
  }

  async function bring(input: keyof AvatarInputs): Promise<MediaFacts> {
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
  if (mediaType.startsWith('image/') && width * height > imagePixelsMax) {
    throw new UnusableInput('visual', `it has ${width}x${height} pixels, more than ${imagePixelsMax}`);
  }
}

/** The error for the caller whose file can't be used. */
export const unusable = (param: string, cause: UnusableInput): GatewayError =>
  new GatewayError('invalid_parameter', `The file of ${param} can't be used: ${cause.message}.`, { param, cause });
