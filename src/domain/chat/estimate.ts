/** The cheap guess of a call's input tokens, for its hold: meant to be too high, never exact. */

/**
 * The tokenizers in use make one token of about 4 bytes of English or code, and of 2 to 3 bytes of Chinese, Japanese or
 * Korean (one character, three bytes of UTF-8); a JSON body also has names and quotes that are no tokens at all.
 */
const bytesPerTokenMin = 2;

/**
 * One image at its best resolution: OpenAI's tile models charge at most 85 + 8 x 170 = 1,445 tokens, its patch models
 * 1,536 patches, Anthropic about 1,600 for the largest that isn't scaled down.
 */
export const tokensPerImageMax = 1600;

/**
 * A number that a body's input tokens rarely exceed. `dataUriBytes` are the bytes of the body that are images or files
 * written out, which count by `images` instead.
 */
export function estimatedInputTokens(bodyBytes: number, dataUriBytes: number, images: number): number {
  return Math.ceil(Math.max(0, bodyBytes - dataUriBytes) / bytesPerTokenMin) + images * tokensPerImageMax;
}
