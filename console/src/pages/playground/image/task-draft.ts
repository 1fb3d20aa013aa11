/** What an image task was asked for, as the form has it. */
import type { OpenedTask } from '../shared/task-opener.tsx';
import { type Draft, firstDraft } from './body.ts';
import type { Own } from './own-images.tsx';

interface Opened {
  draft: Draft;
  own: Own;
  /** By the names of the API: what the form has no field for. */
  leftOut: readonly string[];
}

export function openImageTask({ model, request, files }: OpenedTask): Opened | undefined {
  if (request.kind !== 'image') return undefined;
  const { prompt, quality, n, size, upscale, image_urls: addresses, mask, webhook_url: webhook } = request;
  return {
    draft: {
      ...{ ...firstDraft, model, prompt, quality, n },
      ...(upscale === null ? {} : { isUpscaling: true, resolution: upscale }),
      ...(size === null ? {} : { sizedBy: 'size', size }),
      references: addresses.join('\n'),
    },
    own: {
      images: [...files].flatMap(([name, file]) => (name === 'mask' ? [] : file)),
      mask: files.get('mask'),
    },
    leftOut: [...(mask === null ? [] : ['mask']), ...(webhook === null ? [] : ['webhook_url'])],
  };
}
