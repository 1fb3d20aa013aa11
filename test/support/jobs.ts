/** Jobs as the activities hand them to adapters; a test changes what it is about. */
import { Readable } from 'node:stream';
import type { AvatarTalkRequest } from '../../src/domain/requests/avatar-talk.ts';
import type { ImageRequest } from '../../src/domain/requests/image-request.ts';
import type { ContentItem, VideoRequest } from '../../src/domain/requests/video-request.ts';
import type { Job, Media } from '../../src/providers/contract.ts';

export function imageJob(request: Partial<ImageRequest> = {}, reference = 'tg-img_1'): Job {
  return {
    ...{ reference, kind: 'image', model: 'sim-image', options: {}, fields: {}, qualityScale: null },
    hookUrl: 'http://gateway/hooks/1',
    input: {
      kind: 'image',
      request: {
        ...{ model: 'sim-image', prompt: 'a red fox', quality: 'medium', n: 1, imageUrls: [] },
        pixels: { mode: 'sized', width: 1024, height: 1024 },
        ...request,
      },
    },
  };
}

export function videoJob(request: Partial<VideoRequest> = {}, kind: Job['kind'] = 'video'): Job {
  const content: ContentItem[] = [{ type: 'text', text: 'a red fox' }];
  return {
    ...{ reference: 'tg-vid_1', kind, model: 'sim-video', options: {}, fields: {}, qualityScale: null },
    hookUrl: 'http://gateway/hooks/1',
    input: {
      kind: 'video',
      request: {
        ...{
          model: 'sim-video',
          content,
          form: 'content',
          generateAudio: true,
          ratio: '16:9',
          durationSeconds: 5,
          watermark: false,
        },
        ...request,
      },
    },
  };
}

export function talkJob(request: Partial<AvatarTalkRequest> = {}): Job {
  return {
    ...{
      reference: 'tg-avt_1',
      kind: 'avatar-talk',
      model: 'sim-avatar-talk',
      options: {},
      fields: {},
      qualityScale: null,
    },
    hookUrl: 'http://gateway/hooks/1',
    input: {
      kind: 'avatar_talk',
      request: { model: 'sim-avatar-talk', templateName: '不使用分身', ...request },
      audio: mediaOf('audio', 'audio/wav'),
      video: mediaOf('video', 'video/mp4'),
    },
  };
}

/** An upload that is never opened. */
const mediaOf = (name: string, mediaType: string): Media => ({
  ...{ mediaType, bytes: 1, durationMs: 1_000, url: `http://gateway/files/avt_1/${name}?e=1&k=1&s=1` },
  open: () => Promise.resolve(Readable.from([])),
});
