/** The body of an image request, of what stands in the form. */
import type { ModelFacts } from '../shared/facts.ts';
import { isAddress } from '../shared/addresses.ts';
import { linesOf } from '../shared/lines.ts';
import { dataUriOf } from '../shared/data-uri.ts';
import type { FieldOf } from '../shared/fault.tsx';
import type { Own } from './own-images.tsx';

export const ratios = [
  ...['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '5:4', '4:5', '2:1', '1:2', '21:9', '9:21'],
] as const;
export const qualities = ['low', 'medium', 'high'] as const;

export const firstDraft = {
  model: '',
  prompt: '',
  isUpscaling: false,
  quality: 'medium',
  /** `resolution`: by that and the ratio; `size`: by exact pixels. */
  sizedBy: 'resolution',
  resolution: '2k',
  ratio: '1:1',
  size: '2048x2048',
  n: 1,
  references: '',
};
export type Draft = typeof firstDraft;

export function imageBody(draft: Draft, model: ModelFacts): Record<string, unknown> {
  const references = linesOf(draft.references);
  const prompt = draft.prompt.trim() === '' ? {} : { prompt: draft.prompt };
  if (draft.isUpscaling)
    return { model: model.id, ...prompt, upscale: true, resolution: upscaledTo(draft), image_urls: references };
  return { ...commonFields(draft, model), ...(references.length > 0 && { image_urls: references }) };
}

/** What generations and edits have in common. */
export const commonFields = (draft: Draft, model: ModelFacts): Record<string, string | number> => ({
  model: model.id,
  prompt: draft.prompt,
  quality: draft.quality,
  ...(draft.sizedBy === 'size'
    ? { size: draft.size.trim() }
    : { resolution: resolutionOf(draft, model), ratio: draft.ratio }),
  n: draft.n,
});

/** The body of an edit: images by their addresses and, as data URIs, the reader's own. */
export async function editBody(draft: Draft, model: ModelFacts, own: Own) {
  const images = await Promise.all(own.images.map(dataUriOf));
  const mask = own.mask && (await dataUriOf(own.mask));
  const named = (address: string) => ({ image_url: address });
  return {
    ...commonFields(draft, model),
    ...{ model: model.id, prompt: draft.prompt },
    images: [...linesOf(draft.references), ...images].map(named),
    ...(mask !== undefined && { mask: named(mask) }),
  };
}

/** The same with the files' names and dates in the place of what they hold, to know it again. */
export const nameEdit = (draft: Draft, model: ModelFacts, { images, mask }: Own): Record<string, unknown> => ({
  ...commonFields(draft, model),
  references: linesOf(draft.references),
  images: images.map(nameOf),
  mask: mask && nameOf(mask),
});

const nameOf = ({ name, size, lastModified }: File): string => `${name} ${size} ${lastModified}`;

/** What an edit would hold: its images change no price. */
export const quotedEdit = (draft: Draft, model: ModelFacts): Record<string, unknown> | undefined =>
  quotedBody({ ...draft, references: '' }, model);

/** The same for a quote: what is missing or half-typed, and changes no price, is left out or stood in for. */
export function quotedBody(draft: Draft, model: ModelFacts): Record<string, unknown> | undefined {
  if (draft.sizedBy === 'size' && !draft.isUpscaling && !isSize(draft.size.trim())) return undefined;
  const references = linesOf(draft.references).filter(isAddress);
  if (draft.isUpscaling && references.length === 0) references.push('https://example.com/reference.png');
  const prompt = draft.prompt.trim() === '' ? '…' : Array.from(draft.prompt).slice(0, model.prompt_characters).join('');
  const used = draft.isUpscaling ? references.slice(0, 1) : references.slice(0, 14);
  return imageBody({ ...draft, prompt, references: used.join('\n') }, model);
}

export const upscaledTo = ({ resolution }: Draft): string => (resolution === '8k' ? '8k' : '4k');

/** The one that was chosen, if this model has it. */
export const resolutionOf = ({ resolution }: Draft, { resolutions }: ModelFacts): string =>
  resolutions.includes(resolution) ? resolution : (resolutions.find((has) => has === '2k') ?? resolutions[0] ?? '2k');

function isSize(text: string): boolean {
  const [, width = 0, height = 0] = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(text)?.map(Number) ?? [];
  const area = width * height;
  return area >= 1_048_576 && area <= 16_777_216 && width <= 3 * height && height <= 3 * width;
}

const fields = ['model', 'prompt', 'quality', 'resolution', 'ratio', 'size', 'n'];

export const fieldOf: FieldOf = (param) => {
  if (param.startsWith('image_urls')) return 'references';
  if (param.startsWith('images')) return 'images';
  return param.startsWith('mask') ? 'mask' : fields.find((name) => name === param);
};
