/** Which of a model's prices applies: by the quality or size of the image asked for, by the resolution of the video made. */
import type { ImagePrice, PricesByName } from '../catalogue.ts';
import type { Money } from '../money.ts';
import { hasAllowedArea, hasAllowedSides, type Pixels } from '../tasks/pixels.ts';
import type { ImageRequest } from '../requests/image-request.ts';

/**
 * The price of an image of that request: that of its quality, of its exact size, or of the smallest listed resolution that
 * holds it; `perImage` where none of them is listed. An upscaled image counts as the square of its longer side.
 */
export function priceOfImage(
  { perImage, byQuality = {}, bySize = {} }: ImagePrice,
  { quality, pixels }: Pick<ImageRequest, 'quality' | 'pixels'>,
): Money {
  const ofQuality = byQuality[quality];
  if (ofQuality !== undefined) return ofQuality;
  const isUpscaled = pixels.mode === 'upscale';
  const size: Pixels = isUpscaled ? { width: pixels.longerSide, height: pixels.longerSide } : pixels;
  const exact = isUpscaled ? undefined : bySize[`${size.width}x${size.height}`];
  return exact ?? smallestThatHolds(bySize, imagePixelsMax, size) ?? perImage;
}

/** The price of the smallest listed resolution that holds a video of these pixels; undefined for a larger one. */
export const priceOfResolution = (byResolution: PricesByName, pixels: Pixels): Money | undefined =>
  smallestThatHolds(byResolution, videoPixelsMax, pixels);

/** Whether a name says a size by which images can be priced: a resolution, or a size that can be asked for. */
export function isImageSize(name: string): boolean {
  if (imagePixelsMax(name) !== undefined) return true;
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(name);
  if (!match) return false;
  const pixels = { width: Number(match[1]), height: Number(match[2]) };
  return hasAllowedArea(pixels) && hasAllowedSides(pixels);
}

/** Whether a name says a resolution by which videos can be priced. */
export const isVideoResolution = (name: string): boolean => videoPixelsMax(name) !== undefined;

function smallestThatHolds(
  prices: PricesByName,
  pixelsMaxOf: (name: string) => number | undefined,
  { width, height }: Pixels,
): Money | undefined {
  let best: { pixelsMax: number; price: Money } | undefined;
  for (const [name, price] of Object.entries(prices)) {
    const pixelsMax = pixelsMaxOf(name);
    if (pixelsMax === undefined || pixelsMax < width * height) continue;
    if (best === undefined || pixelsMax < best.pixelsMax) best = { pixelsMax, price };
  }
  return best?.price;
}

// Sides are rounded to what models and encoders like, so a resolution holds an eighth more than its name says: a 1k image of
// 16:9 is 0.8% above 1024², a 720p video of 21:9 is 4.4% above 1280x720, while 768p is 13.8% above 720p.

function imagePixelsMax(name: string): number | undefined {
  const match = /^([1248])k$/.exec(name);
  return match ? ((Number(match[1]) * 1024) ** 2 * 9) / 8 : undefined;
}

/** A video's resolution says its lines at 16:9; upright and square ones of the same name have as many pixels. */
function videoPixelsMax(name: string): number | undefined {
  const match = /^([1-9]\d{2,3})p$/.exec(name);
  return match ? Number(match[1]) ** 2 * 2 : undefined; // lines² x 16/9 x 9/8
}
