/** What a task was asked for, in the words of the public API, as its row keeps it until the result is deleted. */
import * as z from 'zod';
import type { StoredRequest } from '../../../domain/tasks/stored-request.ts';
import { uploadNameOf } from '../../../domain/tasks/uploads.ts';

const webhook_url = z.string().nullable();

export const taskRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('image'),
    /** Empty where an image was made larger without one. */
    prompt: z.string(),
    quality: z.string(),
    n: z.int(),
    /** `1024x1024`; null where the reference was made larger. */
    size: z.string().nullable(),
    upscale: z.enum(['4k', '8k']).nullable(),
    /** Addresses: the caller's own files are among the uploads. */
    image_urls: z.array(z.string()),
    mask: z.string().nullable(),
    webhook_url,
  }),
  z.strictObject({
    kind: z.literal('video'),
    content: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('text'), text: z.string(), role: z.string().nullable() }),
        z.strictObject({
          type: z.enum(['image_url', 'video_url', 'audio_url']),
          url: z.string(),
          role: z.string().nullable(),
        }),
      ]),
    ),
    ratio: z.string(),
    size: z.string().nullable(),
    seed: z.int().nullable(),
    duration: z.number(),
    generate_audio: z.boolean(),
    watermark: z.boolean(),
    model_version: z.int().nullable(),
    webhook_url,
  }),
  z.strictObject({ kind: z.literal('avatar_talk'), template_name: z.string(), webhook_url }),
]);

const isAddress = (address: string): boolean => uploadNameOf(address) === undefined;

export function presentRequest(stored: StoredRequest): z.input<typeof taskRequest> {
  const webhook_url = stored.request.webhookUrl ?? null;
  switch (stored.kind) {
    case 'image': {
      const { prompt, quality, n, pixels, imageUrls, mask } = stored.request;
      const isSized = pixels.mode === 'sized';
      return {
        kind: 'image',
        prompt,
        quality,
        n,
        size: isSized ? `${pixels.width}x${pixels.height}` : null,
        upscale: isSized ? null : pixels.longerSide === 8192 ? '8k' : '4k',
        image_urls: imageUrls.filter(isAddress),
        mask: mask !== undefined && isAddress(mask) ? mask : null,
        webhook_url,
      };
    }
    case 'video': {
      const { content, ratio, size, seed, durationSeconds, generateAudio, watermark, modelVersion } = stored.request;
      return {
        kind: 'video',
        content: content
          .filter((item) => item.type === 'text' || isAddress(item.url))
          .map((item) => ({ ...item, role: item.role ?? null })),
        ratio,
        size: size ? `${size.width}x${size.height}` : null,
        seed: seed ?? null,
        duration: durationSeconds,
        generate_audio: generateAudio,
        watermark,
        model_version: modelVersion ?? null,
        webhook_url,
      };
    }
    case 'avatar_talk':
      return { kind: 'avatar_talk', template_name: stored.request.templateName, webhook_url };
    default:
      return stored satisfies never;
  }
}
