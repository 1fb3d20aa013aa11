/** The upscaled image: the given one at the size asked for, streamed row by row into a PNG file. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { encodePng } from '../png.ts';
import { openPicture, resizedRows } from './picture.ts';
import type { UpscaleTask } from './tasks.ts';

/** Writes the PNG to `outputPath`. Refuses with `UnusableInput` a picture that can't be read. */
export async function upscale(task: UpscaleTask): Promise<void> {
  const { width, height } = task;
  const picture = await openPicture(task.picturePath);
  await pipeline(
    encodePng({ width, height, rows: resizedRows(picture, width, height) }),
    createWriteStream(task.outputPath),
  );
}
