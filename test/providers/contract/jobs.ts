/** The suite's job of each kind of model, and a provider of a fixture to do it. */
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ProviderSettings } from '../../../src/domain/catalogue.ts';
import type { ContentItem } from '../../../src/domain/requests/video-request.ts';
import type { Job, Media, Poll, Submission, TaskProvider } from '../../../src/providers/contract.ts';
import { imageJob, talkJob, videoJob } from '../../support/jobs.ts';
import type { BodyFacts, FixtureModel, ProviderFixture } from './fixture.ts';

const imageUrl = 'https://caller.example/image.png';
const uploads = {
  image: 'http://gateway.example/files/img_1/image0?e=1',
  mask: 'http://gateway.example/files/img_1/mask?e=1',
};
/** What the caller has there: a PNG of one pixel. */
export const imageFile = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A provider of the fixture's kind at this base URL, with short timeouts. */
export function providerOf(
  { definition, secrets }: ProviderFixture,
  baseUrl: string,
  more: Partial<ProviderSettings> = {},
): TaskProvider {
  const settings: ProviderSettings = {
    ...{ name: 'up', kind: definition.kind, baseUrl, secrets, numbers: {}, headers: {} },
    ...{ timeoutMs: 2_000, imageTimeoutMs: 2_000, idleTimeoutMs: 2_000, deadlineMs: 60_000 },
    // The vendors' own pace, 5 to 25 a second, is most of what the suite would wait for.
    maxPollsPerSecond: 1_000,
    ...more,
  };
  const provider = definition.tasks?.(settings, {
    fetchFile: (url) =>
      url === imageUrl
        ? Promise.resolve(Readable.from([imageFile]))
        : Promise.reject(new Error(`${url} is not fetched here`)),
    fetchResult: async (url) => Readable.from([Buffer.from(await (await fetch(url)).arrayBuffer())]),
    tempDir: tmpdir(),
  });
  if (provider === undefined) throw new Error(`${definition.kind} has no adapter for tasks`);
  return provider;
}

/** The suite's job for a model: two images from one, a video of five seconds, a lip-synced video. */
export function jobOf(model: FixtureModel, reference = 'tg-task_1'): { job: Job; facts: BodyFacts } {
  const common = {
    ...{ reference, kind: model.kind, model: model.model, options: model.options ?? {}, fields: model.fields ?? {} },
    qualityScale: { low: 25, medium: 50, high: 75 },
    hookUrl: `http://gateway.example/hooks/${reference}?k=1&s=2`,
  };
  const facts = {
    imageUrl,
    maskUrl: uploads.mask,
    videoUrl: 'https://caller.example/video.mp4',
    audioUrl: 'https://caller.example/audio.wav',
    hookUrl: common.hookUrl,
  };
  const [image, video, audio] = [
    { type: 'image_url', url: facts.imageUrl } as const,
    { type: 'video_url', url: facts.videoUrl } as const,
    { type: 'audio_url', url: facts.audioUrl } as const,
  ];
  switch (model.kind) {
    case 'image': {
      if (model.form) return editOf(model.form, model.masks === true);
      const pixels = model.upscales ? ({ mode: 'upscale', longerSide: 4096 } as const) : undefined;
      const request = {
        prompt: 'A toll gate at dawn',
        imageUrls: model.isFromText ? [] : [facts.imageUrl],
        n: model.upscales ? 1 : 2,
      };
      return { facts, job: { ...imageJob({ ...request, ...(pixels && { pixels }) }), ...common } };
    }
    case 'video': {
      const content = [{ type: 'text', text: 'Cars pass' } as const, image];
      if (model.isOfVideos) return videosOf(content);
      return { facts, job: { ...videoJob({ content }), ...common } };
    }
    case 'avatar-video':
      return { facts, job: { ...videoJob({ content: [video, audio], form: 'flat' }, 'avatar-video'), ...common } };
    case 'avatar-image':
      return { facts, job: { ...videoJob({ content: [image, audio] }, 'avatar-image'), ...common } };
    case 'avatar-talk': {
      const talk = talkJob();
      if (talk.input.kind !== 'avatar_talk') throw new TypeError('a talk is a talk');
      return {
        facts: { ...facts, videoUrl: talk.input.video.url, audioUrl: talk.input.audio.url },
        job: { ...talk, ...common },
      };
    }
  }

  function editOf(form: 'edit' | 'variation', masks: boolean) {
    const request = { form, imageUrls: [uploads.image], n: 2, ...(masks && { mask: uploads.mask }) };
    const prompt = form === 'edit' ? 'A toll gate at dawn' : '';
    const files = new Map([uploads.image, uploads.mask].map((url) => [url, uploaded(url)]));
    return {
      facts: { ...facts, imageUrl: uploads.image },
      job: { ...imageJob({ ...request, prompt }), ...common, uploads: files },
    };
  }

  function videosOf(content: readonly ContentItem[]) {
    const last = { type: 'image_url', url: facts.maskUrl, role: 'last_frame' } as const;
    const size = { width: 720, height: 1280 };
    const request = { form: 'videos', content: [...content, last], size, ratio: '9:16', seed: 7 } as const;
    return { facts, job: { ...videoJob(request), ...common } };
  }
}

/** What the gateway has stored of the caller's. */
const uploaded = (url: string): Media => ({
  ...{ mediaType: 'image/png', bytes: imageFile.length, durationMs: 0, url },
  open: () => Promise.resolve(Readable.from([imageFile])),
});

/** Polls a job that was submitted to its end, or reads the answer that was its result. */
export async function ended(
  provider: TaskProvider,
  submission: Submission,
  job: Job,
  signal: AbortSignal,
): Promise<Exclude<Poll, { state: 'processing' }>> {
  if (submission.outcome === 'finished') {
    const answer = await buffer(submission.answer);
    const poll = await provider.resultOf?.(
      {
        bytes: answer.length,
        read: (range) => Promise.resolve(Readable.from([answer.subarray(range?.start ?? 0, range?.end)])),
      },
      job,
    );
    if (poll === undefined || poll.state === 'processing') throw new Error('the answer was not read');
    return poll;
  }
  if (submission.outcome !== 'accepted') throw new Error(`not accepted but ${submission.outcome}`);
  for (let polls = 0; polls < 100; polls++) {
    const poll = await provider.poll(submission.jobId, job, signal);
    if (poll.state !== 'processing') return poll;
  }
  throw new Error('the job never ends');
}
