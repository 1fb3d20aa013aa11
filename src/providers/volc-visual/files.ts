/** The files of a finished task of Volcengine Visual, wherever its model puts them. */
import { z } from 'zod';
import { parseJsonWithin } from '../../domain/json/json-bounds.ts';
import type { WireFile } from '../http/wire.ts';

/**
 * Images are a list of addresses, or of base64 where no addresses were asked for; videos one address, which lip
 * sync models put into `resp_data`, a JSON text.
 */
export function filesIn(data: unknown): WireFile[] {
  const { image_urls, binary_data_base64, video_url, resp_data } = result.parse(data);
  for (const addresses of [image_urls, video_url, inText(resp_data)]) {
    const files = addresses.filter((address) => /^https?:\/\//.test(address)).map((url) => ({ url }));
    if (files.length > 0) return files;
  }
  return binary_data_base64.map((text) => ({ base64: text.replace(/^data:[^,]{0,200};base64,/, '') }));
}

function inText(text: string | undefined): string[] {
  if (text === undefined) return [];
  try {
    const { url, video_url, image_urls } = embedded.parse(parseJsonWithin(text));
    return [...url, ...video_url, ...image_urls];
  } catch {
    return []; // no JSON object, so no file
  }
}

/** One text, a list of them, or neither. */
const texts = z
  .union([z.array(z.string()), z.string().transform((text) => [text])])
  .catch([])
  .transform((list) => list.filter((text) => text !== ''));

const result = z.object({
  image_urls: texts,
  binary_data_base64: texts,
  video_url: texts,
  resp_data: z.string().optional().catch(undefined),
});

const embedded = z.object({ url: texts, video_url: texts, image_urls: texts });
