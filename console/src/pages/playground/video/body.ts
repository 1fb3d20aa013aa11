/** The body of a video request, of what stands in the form; each kind of model has a form of its own. */
import type { ModelFacts } from '../shared/facts.ts';
import { isAddress } from '../shared/addresses.ts';
import type { FieldOf } from '../shared/fault.tsx';

export const firstDraft = {
  model: '',
  prompt: '',
  /** An image that the video goes on from, or the image of an avatar. */
  image: '',
  audio: '',
  video: '',
  modelVersion: null as number | null,
  duration: 5,
  ratio: '16:9',
  withSound: true,
  withWatermark: false,
};
export type Draft = typeof firstDraft;

type Item = Record<string, unknown>;

export function videoBody(draft: Draft, model: ModelFacts): Record<string, unknown> {
  const { prompt, image, audio, video, modelVersion } = draft;
  if (model.kind === 'avatar-video') {
    return {
      model: model.id,
      audioUrl: audio.trim(),
      videoUrl: video.trim(),
      ...(modelVersion !== null && { modelVersion }),
    };
  }
  const content: Item[] = [];
  if (prompt.trim() !== '') content.push({ type: 'text', text: prompt });
  if (model.kind === 'avatar-image') {
    content.push({ type: 'image_url', image_url: { url: image.trim() }, role: 'reference_video' });
    content.push({ type: 'audio_url', audio_url: { url: audio.trim() }, role: 'reference_audio' });
    return { model: model.id, content };
  }
  if (image.trim() !== '') content.push({ type: 'image_url', image_url: { url: image.trim() } });
  return {
    model: model.id,
    ...(image.trim() === '' ? { prompt } : { content }),
    duration: durationOf(draft, model),
    ratio: ratioOf(draft, model),
    generate_audio: draft.withSound,
    watermark: draft.withWatermark,
  };
}

/** The same for a quote: what is missing or half-typed, and changes no price, is stood in for. */
export function quotedBody(draft: Draft, model: ModelFacts): Record<string, unknown> {
  const address = (text: string) => (isAddress(text.trim()) ? text : 'https://example.com/reference');
  const isAvatar = model.kind !== 'video';
  const prompt = draft.prompt.trim() === '' ? '…' : Array.from(draft.prompt).slice(0, model.prompt_characters).join('');
  const image = isAvatar || draft.image.trim() !== '' ? address(draft.image) : '';
  return videoBody({ ...draft, prompt, image, audio: address(draft.audio), video: address(draft.video) }, model);
}

/** The one that was chosen, if this model has it. */
export const durationOf = ({ duration }: Draft, { durations }: ModelFacts): number =>
  durations.includes(duration) ? duration : (durations[0] ?? duration);

export const ratioOf = ({ ratio }: Draft, { ratios }: ModelFacts): string =>
  ratios.includes(ratio) ? ratio : (ratios[0] ?? ratio);

const fields: Readonly<Record<string, keyof Draft>> = {
  model: 'model',
  prompt: 'prompt',
  audioUrl: 'audio',
  videoUrl: 'video',
  modelVersion: 'modelVersion',
  duration: 'duration',
  ratio: 'ratio',
};

/** `content[1].audio_url.url` says by itself which it is. */
export const fieldOf: FieldOf = (param) => {
  if (!param.startsWith('content')) return fields[param];
  if (param.includes('image_url')) return 'image';
  if (param.includes('audio_url')) return 'audio';
  return 'prompt';
};
