/** What a video task was asked for, as the form has it. */
import type { OpenedTask } from '../shared/task-opener.tsx';
import { type Draft, firstDraft } from './body.ts';

interface Opened {
  draft: Draft;
  /** By the names of the API: what the form has no field for. */
  leftOut: readonly string[];
}

export function openVideoTask({ model, request }: OpenedTask): Opened | undefined {
  if (request.kind !== 'video') return undefined;
  const { content, duration, ratio, model_version: modelVersion } = request;
  const texts = content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  const first = (type: string) => content.flatMap((item) => (item.type === type && 'url' in item ? [item.url] : []));
  const [images, audios, videos] = [first('image_url'), first('audio_url'), first('video_url')];
  const isMore = [images, audios, videos].some(({ length }) => length > 1) || content.some(hasOwnRole);
  return {
    draft: {
      ...{ ...firstDraft, model, duration, ratio, modelVersion },
      ...{ prompt: texts.join('\n'), image: images[0] ?? '', audio: audios[0] ?? '', video: videos[0] ?? '' },
      ...{ withSound: request.generate_audio, withWatermark: request.watermark },
    },
    leftOut: [
      ...(isMore ? ['content'] : []),
      ...(['size', 'seed', 'webhook_url'] as const).filter((name) => request[name] !== null),
    ],
  };
}

/** A role that the form doesn't send, such as that of a last frame. */
const hasOwnRole = ({ role }: { role: string | null }): boolean =>
  role !== null && role !== 'reference_video' && role !== 'reference_audio';
