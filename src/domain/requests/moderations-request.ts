/**
 * The moderations request, checked but not changed: the body is forwarded as it came. Fields and types of parts that are
 * not known here pass.
 */
import { z } from 'zod';
import { chatAddressCharactersMax, moderationItemsMax } from '../limits.ts';
import { listOf, mediaAddress, modelId, orAnother, text } from './fields.ts';
import type { NamedAddress } from './named-addresses.ts';
import { parseWith } from './parse.ts';

export interface ModerationsFacts {
  /** Of images, or data URIs of images. */
  imageUrls: readonly NamedAddress[];
}

const inputRule = `must be a string, or an array of 1 to ${moderationItemsMax} strings or parts`;
const image = z.object({ url: mediaAddress(chatAddressCharactersMax) }, "must be an object with a 'url'");
const part = orAnother(
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text }),
    z.looseObject({ type: z.literal('image_url'), image_url: image }),
  ]),
  'type',
  ['text', 'image_url'],
);

export const moderationsBody = z.object({
  /** The gateway's first model of the kind where it is absent. */
  model: modelId.nullish(),
  input: z.union(
    [text, listOf(z.union([text, part], 'must be a string or a part'), inputRule, { min: 1, max: moderationItemsMax })],
    inputRule,
  ),
});

/** The facts of a moderations body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault. */
export function parseModerationsRequest(body: unknown): ModerationsFacts {
  const { input } = parseWith(moderationsBody, body);
  const imageUrls: NamedAddress[] = [];
  for (const [index, item] of (typeof input === 'string' ? [] : input).entries()) {
    const read = typeof item === 'string' ? undefined : imagePart.safeParse(item);
    if (read?.success) imageUrls.push({ param: `input[${index}].image_url.url`, url: read.data.image_url.url });
  }
  return { imageUrls };
}

const imagePart = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) });
