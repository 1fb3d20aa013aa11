/** The simulator's edits: the given images at the size asked for, with a card where the mask lets it and its text over all. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Card, layOutCard, textColours } from '../card.ts';
import { encodePng } from '../png.ts';
import { openImage, resizedRows, type RgbImage } from './read-image.ts';
import { type EditTask, UnusableInput } from './tasks.ts';

/** Writes the PNG to `outputPath`; the same task gives the same bytes. Refuses with `UnusableInput` what can't be read. */
export async function makeEdit(task: EditTask): Promise<void> {
  const { width, height, imagePaths, maskPath } = task;
  const images: RgbImage[] = [];
  for (const path of imagePaths) images.push(await openImage(path));
  const mask = maskPath === undefined ? undefined : await openMask(maskPath);
  const widths = columnsOf(width, images.length);
  const sources = images.map((image, at) => iteratorOf(resizedRows(image, widths[at] ?? 1, height)));
  const masks = mask && iteratorOf(named('mask', resizedRows(mask, width, height)));
  try {
    const rows = composedRows(task, sources, widths, masks);
    await pipeline(encodePng({ width, height, rows }), createWriteStream(task.outputPath));
  } finally {
    // Rows that were not read to their end keep their file open.
    for (const rows of [...sources, ...(masks ? [masks] : [])]) await rows.return?.(undefined);
  }
}

async function* composedRows(
  { width, height, card: text, isMirrored }: EditTask,
  sources: readonly AsyncIterator<Uint8Array>[],
  widths: readonly number[],
  masks: AsyncIterator<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array> {
  const card = layOutCard(width, height, text);
  const colours = new Uint8Array(width);
  const row = new Uint8Array(width * 3);
  for (let y = 0; y < height; y++) {
    let from = 0;
    for (const [at, source] of sources.entries()) {
      copyPixels(await nextRow(source), row, from, isMirrored);
      from += (widths[at] ?? 0) * 3;
    }
    card.paint(y, colours);
    paintCard(card, colours, row, masks && (await nextRow(masks)));
    yield row;
  }
}

/** Into `target` from that byte on, from the right to the left if they are mirrored. */
function copyPixels(source: Uint8Array, target: Uint8Array, from: number, isMirrored: boolean): void {
  if (!isMirrored) {
    target.set(source, from);
    return;
  }
  for (let at = 0; at < source.length; at += 3) {
    target.set(source.subarray(source.length - 3 - at, source.length - at), from + at);
  }
}

/** The text everywhere, the rest of the card only where the mask is white. */
function paintCard({ palette }: Card, colours: Uint8Array, row: Uint8Array, mask: Uint8Array | undefined): void {
  for (let x = 0; x < colours.length; x++) {
    const colour = colours[x] ?? 0;
    const isShown = textColours.has(colour) || (mask !== undefined && (mask[x * 3] ?? 0) >= 128);
    if (isShown) row.set(palette.subarray(colour * 3, colour * 3 + 3), x * 3);
  }
}

/** The widths of so many images beside each other, which are all of it together. */
function columnsOf(width: number, count: number): number[] {
  const edge = (at: number) => Math.floor((width * at) / count);
  return Array.from({ length: count }, (_, at) => edge(at + 1) - edge(at));
}

const iteratorOf = (rows: AsyncIterable<Uint8Array>): AsyncIterator<Uint8Array> => rows[Symbol.asyncIterator]();

async function nextRow(rows: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const next = await rows.next();
  if (next.done === true) throw new UnusableInput('visual', 'it has too few rows');
  return next.value;
}

async function openMask(path: string): Promise<RgbImage> {
  try {
    return await openImage(path, { isMask: true });
  } catch (error) {
    throw asMask(error);
  }
}

/** Rows whose faults are those of the mask. */
async function* named(input: 'mask', rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* rows;
  } catch (error) {
    throw asMask(error, input);
  }
}

const asMask = (error: unknown, input = 'mask' as const): unknown =>
  error instanceof UnusableInput ? new UnusableInput(input, error.message, error.cause) : error;
