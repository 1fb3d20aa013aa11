/** The upscaled image: the given one at the size asked for, streamed row by row into a PNG file. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { encodePng } from '../png.ts';
import { openImage, resizedRows } from './read-image.ts';
import type { UpscaleTask } from './tasks.ts';

/** Writes the PNG to `outputPath`. Refuses with `UnusableInput` an image that can't be read. */
export async function upscale(task: UpscaleTask): Promise<void> {
  const { width, height } = task;
  const image = await openImage(task.imagePath);
  await pipeline(
    encodePng({ width, height, rows: resizedRows(image, width, height) }),
    createWriteStream(task.outputPath),
  );
}
