/**
 * The simulator: a provider without an upstream. Its jobs are made on this machine, and what they deliver are real
 * files that say that they come from a simulator. The same job always gives the same bytes.
 */
import type { Readable } from 'node:stream';
import type { ProviderSettings } from '../domain/catalogue.ts';
import { GatewayError } from '../domain/errors.ts';
import { editImagesMax, imagesMax } from '../domain/limits.ts';
import type { ImageRequest } from '../domain/requests/image-request.ts';
import { itemParam, type VideoRequest } from '../domain/requests/video-request.ts';
import type { Pixels } from '../domain/tasks/pixels.ts';
import type { Job, Poll, ResultPart, TaskProvider } from '../providers/contract.ts';
import { avatarFile, avatarInputs, prepareAvatar, type AvatarTools } from './avatar-job.ts';
import { createEncoderPool, type EncoderPool } from './encoding/pool.ts';
import { cardImages, preparedFile, prepareEdit, prepareUpscaled } from './image-job.ts';
import { newJobId, submittedAt } from './job-id.ts';
import { knobSettingsOf, readKnobs, type Knobs } from './knobs.ts';
import { createPreparations, type Prepare } from './preparations.ts';
import { makeWorkFolder, sweepWorkFolders } from './work-folders.ts';

/** About so many pixels where no size is asked for: small, so that eleven seconds encode in half a second. */
const videoAreaPixels = 640 * 360;
/** After a poll that waited for a preparation already. */
const nextPollMs = 500;
/** How far clocks of processes may differ: a job of a later time than that was submitted by a clock set back since, and is done. */
const clockMsMax = 5_000;

export interface SimulatorTools {
  /** Downloads what a caller named, bounded and guarded; fails with a GatewayError for `param`. */
  fetchFile: (url: string, param: string) => Promise<Readable>;
  /** Work folders are made in it. */
  tempDir: string;
  /** What encodes; closed with the simulator. The threads that all simulators of the process share, unless said otherwise. */
  pool?: EncoderPool;
  /** Unix ms. */
  now?: () => number;
}

export interface Simulator extends TaskProvider {
  /** Refuses what is being encoded, and removes unfetched results. */
  close(): Promise<void>;
}

/** A provider of kind `simulator`. Threads are started by the first job that needs one, and keep no process alive. */
export function createSimulator(settings: ProviderSettings, tools: SimulatorTools): Simulator {
  const { tempDir, fetchFile, pool = createEncoderPool(), now = () => Date.now() } = tools;
  const knobSettings = knobSettingsOf(settings);
  const avatarTools: AvatarTools = { tempDir, fetchFile, pool };
  const preparations = createPreparations();
  const swept = sweepWorkFolders(tempDir, now()).catch(() => undefined); // tried again at the next start

  return {
    abilities: { idempotent: true, lookup: false, cancel: true, webhook: false },
    imageOutputs: () => ({ formats: ['png'], backgrounds: ['opaque'] }),
    inputs: () => ({ references: editImagesMax, mask: true, variations: true, lastFrame: true }),
    submit: (job) => {
      const refusal = refusalOf(job, knobsOf(job));
      if (refusal !== undefined) return Promise.resolve({ outcome: 'refused', error: refusal, fallOver: false });
      return Promise.resolve({ outcome: 'accepted', jobId: newJobId(now(), job.reference) });
    },
    poll: async (jobId, job, signal) => {
      const submittedAtMs = submittedAt(jobId, job.reference);
      if (submittedAtMs === undefined) return failed('upstream_error', 'The simulator does not know this job.');
      const { delayMs, failure } = knobsOf(job);
      // A clock that was put back makes a job wait anew, but not longer than its delay.
      const leftMs = submittedAtMs + delayMs - now();
      const isLater = leftMs > delayMs + clockMsMax;
      if (leftMs > 0 && !isLater) return { state: 'processing', retryAfterMs: Math.min(delayMs, leftMs) };
      if (failure !== undefined) return failed('upstream_error', failure);
      return resultOf(jobId, job, signal);
    },
    cancel: (jobId) => {
      preparations.drop(jobId);
      for (let at = 0; at < imagesMax; at++) preparations.drop(nameOfImage(jobId, at));
      return Promise.resolve(true);
    },
    close: async () => {
      await Promise.all([swept, preparations.close(), avatarTools.pool.close()]);
    },
  };

  function knobsOf(job: Job): Knobs {
    return readKnobs(promptOf(job), job.reference, knobSettings);
  }

  function resultOf(jobId: string, job: Job, signal: AbortSignal): Promise<Poll> {
    const { input } = job;
    if (input.kind === 'image') {
      const { pixels, form } = input.request;
      if (form !== undefined) return editedImages(jobId, job, input.request, signal);
      if (pixels.mode === 'sized') return Promise.resolve(succeeded(cardImages(input.request, pixels, job.model)));
      const prepare = () => prepareUpscaled(input.request, pixels.longerSide, avatarTools);
      return prepared(jobId, prepare, preparedFile, signal);
    }
    if (input.kind === 'video' && job.kind === 'video') {
      return Promise.resolve(succeeded([{ open: (openSignal) => openVideo(input.request, job.model, openSignal) }]));
    }
    return prepared(jobId, () => prepareAvatar(avatarInputs(job, fetchFile), avatarTools), avatarFile, signal);
  }

  /** For results that depend on the caller's files: the job has not succeeded before they were used. */
  async function prepared(jobId: string, prepare: Prepare, file: string, signal: AbortSignal): Promise<Poll> {
    try {
      const isReady = await preparations.ready(jobId, prepare, signal);
      if (!isReady) return { state: 'processing', retryAfterMs: nextPollMs };
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code === 'overloaded') throw error;
      return { state: 'failed', error };
    }
    const open = async () => (await preparations.take(jobId, prepare)).openLast(file);
    return succeeded([{ open }]);
  }

  /** Each image is prepared by itself; one that can't be made fails them all. */
  async function editedImages(jobId: string, job: Job, request: ImageRequest, signal: AbortSignal): Promise<Poll> {
    const images = Array.from({ length: request.n }, (_, at) =>
      prepared(nameOfImage(jobId, at), () => prepareEdit(job, request, at, avatarTools), preparedFile, signal),
    );
    const parts: ResultPart[] = [];
    for (const poll of await Promise.all(images)) {
      if (poll.state !== 'succeeded') return poll;
      parts.push(...poll.parts);
    }
    return succeeded(parts);
  }

  async function openVideo(request: VideoRequest, model: string, signal: AbortSignal): Promise<Readable> {
    const { width, height } = request.size ?? sizeOfRatio(request.ratio);
    const references = request.content.filter(({ type }) => type !== 'text').length;
    const notes = [references === 0 ? '' : `  references: ${references}`, request.watermark ? '  watermark' : ''];
    const folder = await makeWorkFolder(tempDir);
    try {
      await avatarTools.pool.run(
        {
          kind: 'video',
          ...{ width, height, durationMs: request.durationSeconds * 1_000, hasAudio: request.generateAudio },
          card: {
            prompt: textOf(request),
            top: `simulator  ${model}`,
            bottom: `${width}x${height}  ${request.durationSeconds} s${notes.join('')}`,
          },
          outputPath: folder.path('result.mp4'),
        },
        signal,
      );
      return folder.openLast('result.mp4');
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }
}

const nameOfImage = (jobId: string, at: number): string => `${jobId}/${at}`;

/** Of about the usual area. The encoder takes even sides only. */
function sizeOfRatio(ratio: string): Pixels {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  const side = (square: number) => 2 * Math.round(Math.sqrt(square) / 2);
  return { width: side((videoAreaPixels * across) / down), height: side((videoAreaPixels * down) / across) };
}

const succeeded = (parts: ResultPart[]): Poll => ({ state: 'succeeded', parts });

const failed = (code: 'upstream_error', message: string): Poll => ({
  state: 'failed',
  error: new GatewayError(code, message),
});

/** What a real upstream would refuse at once: a prompt against the policy, or an avatar job without its inputs. */
function refusalOf(job: Job, knobs: Knobs): GatewayError | undefined {
  if (knobs.isRefused) {
    const message = 'Simulated policy refusal ([sim:policy]).';
    return new GatewayError('content_policy_violation', message, { param: promptParam(job) });
  }
  if (job.input.kind !== 'video' || job.kind === 'video') return undefined;
  try {
    avatarInputs(job, () => Promise.reject(new Error('nothing is fetched before the job runs')));
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

function promptOf({ input }: Job): string {
  switch (input.kind) {
    case 'image':
      return input.request.prompt;
    case 'video':
      return textOf(input.request);
    case 'avatar_talk':
      return input.request.templateName;
    default:
      return input satisfies never;
  }
}

function promptParam({ input }: Job): string {
  if (input.kind === 'image') return 'prompt';
  if (input.kind === 'avatar_talk') return 'template_name';
  return itemParam(
    input.request,
    input.request.content.findIndex(({ type }) => type === 'text'),
  );
}

const textOf = (request: VideoRequest): string =>
  request.content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
