/** Pixels: the width and height of an image that was asked for by resolution and ratio, or by upscaling. */
import { imageAreaPixelsMax, imageAreaPixelsMin, imageSideRatioMax } from '../limits.ts';

export const imageResolutions = ['1k', '2k', '4k'] as const;
export type ImageResolution = (typeof imageResolutions)[number];

export const imageRatios = [
  '1:1',
  '16:9',
  '9:16',
  '4:3',
  '3:4',
  '3:2',
  '2:3',
  '5:4',
  '4:5',
  '2:1',
  '1:2',
  '21:9',
  '9:21',
] as const;
export type ImageRatio = (typeof imageRatios)[number];

export interface Pixels {
  width: number;
  height: number;
}

/**
 * The size of an image of that resolution and ratio: width = √(area × ratio), height = √(area / ratio), both to the
 * nearest multiple of 16; where that leaves the limits of `size`, both down (too large) or both up (too small).
 */
export function pixelsOf(resolution: ImageResolution, ratio: ImageRatio): Pixels {
  const nearest = sides(resolution, ratio, Math.round);
  const area = nearest.width * nearest.height;
  if (area > imageAreaPixelsMax) return sides(resolution, ratio, Math.floor);
  if (area < imageAreaPixelsMin) return sides(resolution, ratio, Math.ceil);
  return nearest;
}

/**
 * The size of an upscaled image: the longer side as asked for, the other at the reference's own ratio, rounded half up
 * to a whole pixel and never below one. Throws RangeError for a reference that has no area.
 */
export function upscaledPixels(reference: Pixels, longerSide: number): Pixels {
  const { width, height } = reference;
  if (!(width > 0 && height > 0)) throw new RangeError(`a reference image of ${width}x${height} pixels`);
  const other = (shorter: number, longer: number) => Math.max(1, Math.round((longerSide * shorter) / longer));
  return width >= height
    ? { width: longerSide, height: other(height, width) }
    : { width: other(width, height), height: longerSide };
}

/** Whether the area is within the limits of `size`. */
export const hasAllowedArea = ({ width, height }: Pixels): boolean =>
  width * height >= imageAreaPixelsMin && width * height <= imageAreaPixelsMax;

/** Whether neither side is more than three times the other, compared in whole numbers. */
export const hasAllowedSides = ({ width, height }: Pixels): boolean =>
  width <= imageSideRatioMax * height && height <= imageSideRatioMax * width;

const areas: Record<ImageResolution, number> = { '1k': 1024 ** 2, '2k': 2048 ** 2, '4k': 4096 ** 2 };
const step = 16;

function sides(resolution: ImageResolution, ratio: ImageRatio, round: (steps: number) => number): Pixels {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  const side = (area: number) => round(Math.sqrt(area) / step) * step;
  return { width: side((areas[resolution] * across) / down), height: side((areas[resolution] * down) / across) };
}
