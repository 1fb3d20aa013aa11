/** Given images as rows of colours, and rows at another size. */
import { open, readFile } from 'node:fs/promises';
import jpeg from 'jpeg-js';
import { openPng, type RgbImage } from './png-rows.ts';
import { UnusableInput } from './tasks.ts';

export type { RgbImage } from './png-rows.ts';

/** A JPEG is decoded as a whole, at about 20 bytes a pixel. */
const jpegMegapixelsMax = 24;
const jpegBytesMax = 67_108_864;
const jpegMemoryMebibytesMax = 768;

/** Opens a PNG or JPEG by its content; of a mask, what is to be changed is white. Refuses with `UnusableInput` what is neither, too large, or damaged. */
export async function openImage(path: string, options: { isMask?: boolean } = {}): Promise<RgbImage> {
  const { head, size } = await beginningOf(path);
  if (head.toString('latin1', 1, 3) === 'PN') return openPng(path, options);
  if (head.toString('latin1') !== '\xff\xd8\xff') throw new UnusableInput('visual', 'it is neither PNG nor JPEG');
  if (size > jpegBytesMax) throw new UnusableInput('visual', `it is a JPEG of more than ${jpegBytesMax} bytes`);
  return decodeJpeg(await readFile(path));
}

async function beginningOf(path: string): Promise<{ head: Buffer; size: number }> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(3);
    await file.read(head, 0, head.length, 0);
    return { head, size };
  } finally {
    await file.close();
  }
}

/** Rows of the image at another size, bilinear; only two of its own rows are kept. */
export async function* resizedRows(image: RgbImage, width: number, height: number): AsyncGenerator<Uint8Array> {
  const row = new Uint8Array(width * 3);
  let [upper, lower] = [new Float32Array(width * 3), new Float32Array(width * 3)];
  let [upperAt, lowerAt, y] = [-1, -1, 0];
  // Made once for all rows: where each column looks, and how much of its right neighbour it takes.
  const columns = Float64Array.from({ length: width }, (_, x) => placeOf(x, width, image.width));
  for await (const source of image.rows) {
    [upper, lower] = [lower, upper];
    [upperAt, lowerAt] = [lowerAt, lowerAt + 1];
    stretch(source, columns, lower, image.width);
    for (; y < height; y++) {
      const place = placeOf(y, height, image.height);
      const above = Math.floor(place);
      if (Math.min(above + 1, image.height - 1) > lowerAt) break;
      const part = above >= lowerAt || upperAt < 0 ? 1 : place - above;
      for (let at = 0; at < row.length; at++) {
        const top = upper[at] ?? 0;
        row[at] = part === 1 ? (lower[at] ?? 0) : top + ((lower[at] ?? 0) - top) * part;
      }
      yield row;
    }
  }
}

/** Where the middle of a target pixel lies among the middles of the source's pixels. */
function placeOf(at: number, targets: number, sources: number): number {
  return Math.min(Math.max(((at + 0.5) * sources) / targets - 0.5, 0), sources - 1);
}

function stretch(source: Uint8Array, columns: Float64Array, target: Float32Array, sourceWidth: number): void {
  for (let x = 0; x < columns.length; x++) {
    const place = columns[x] ?? 0;
    const left = Math.floor(place);
    const [from, to, part] = [left * 3, Math.min(left + 1, sourceWidth - 1) * 3, place - left];
    for (let channel = 0; channel < 3; channel++) {
      const near = source[from + channel] ?? 0;
      target[x * 3 + channel] = near + ((source[to + channel] ?? 0) - near) * part;
    }
  }
}

function decodeJpeg(content: Uint8Array): RgbImage {
  try {
    const { width, height, data } = jpeg.decode(content, {
      useTArray: true,
      formatAsRGBA: false,
      maxResolutionInMP: jpegMegapixelsMax,
      maxMemoryUsageInMB: jpegMemoryMebibytesMax,
    });
    const rowBytes = width * 3;
    return {
      width,
      height,
      rows: Array.from({ length: height }, (_, y) => data.subarray(y * rowBytes, (y + 1) * rowBytes)),
    };
  } catch (error) {
    const isTooLarge = error instanceof Error && /maxResolutionInMP|maxMemoryUsageInMB/.test(error.message);
    const reason = isTooLarge ? `it is a JPEG of more than ${jpegMegapixelsMax} megapixels` : 'it is a damaged JPEG';
    throw new UnusableInput('visual', reason, error);
  }
}
