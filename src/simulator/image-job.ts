/** Image jobs: cards of the size asked for, made while they are read, or a given image upscaled. */
import type { Readable } from 'node:stream';
import { GatewayError } from '../domain/errors.ts';
import { type ImageRequest, maskParam, referenceParam } from '../domain/requests/image-request.ts';
import { InvalidMedia, probeMedia } from '../media/probe.ts';
import { withFileReader } from '../media/reader.ts';
import type { Job, ResultPart } from '../providers/contract.ts';
import { requireSize, unusable, type AvatarTools } from './avatar-job.ts';
import { layOutCard, type Card } from './card.ts';
import { UnusableInput } from './encoding/tasks.ts';
import { encodePng, type PngRow } from './png.ts';
import { makeWorkFolder, type WorkFolder } from './work-folders.ts';

/** The name of the result in the work folder. */
export const preparedFile = 'result.png';
const upscaleParam = 'image_urls[0]';

/** The images of a request with a size: one card each, distinguished by its number. */
export function cardImages(
  request: ImageRequest,
  size: { width: number; height: number },
  model: string,
): ResultPart[] {
  const references = request.imageUrls.length === 0 ? '' : `  references: ${request.imageUrls.length}`;
  return Array.from({ length: request.n }, (_, at) => ({
    open: () => {
      const card = layOutCard(size.width, size.height, {
        prompt: request.prompt,
        top: `simulator  ${model}`,
        bottom: `${size.width}x${size.height}  image ${at + 1} of ${request.n}${references}`,
      });
      return Promise.resolve(cardPng(card));
    },
  }));
}

/**
 * Makes the upscaled image in a new work folder, which the caller has to remove. Refuses with `invalid_parameter`
 * and `image_urls[0]` a reference that can't be fetched or read; nothing is left behind then.
 */
export async function prepareUpscaled(
  request: ImageRequest,
  longerSide: number,
  tools: AvatarTools,
): Promise<WorkFolder> {
  const [reference] = request.imageUrls;
  if (reference === undefined) {
    throw new GatewayError('missing_parameter', 'Upscaling needs a reference image.', { param: 'image_urls' });
  }
  const folder = await makeWorkFolder(tools.tempDir);
  try {
    const imagePath = await folder.save('image', await tools.fetchFile(reference, upscaleParam));
    const facts = await withFileReader(imagePath, probeMedia);
    requireSize(facts);
    if (facts.hasVideo || facts.width === undefined || facts.height === undefined) {
      throw new UnusableInput('visual', `it is ${facts.mediaType}, not an image`);
    }
    const scale = longerSide / Math.max(facts.width, facts.height);
    const [width, height] = [Math.round(facts.width * scale), Math.round(facts.height * scale)];
    await tools.pool.run({
      kind: 'upscale',
      imagePath,
      width: Math.max(1, width),
      height: Math.max(1, height),
      outputPath: folder.path(preparedFile),
    });
    return folder;
  } catch (error) {
    await folder.remove();
    if (error instanceof InvalidMedia) throw unusable(upscaleParam, new UnusableInput('visual', error.message, error));
    throw error instanceof UnusableInput ? unusable(upscaleParam, error) : error;
  }
}

/**
 * Makes one image of an edit or a variation in a new work folder, which the caller has to remove. Refuses with
 * `invalid_parameter` a reference or mask that can't be fetched or read; nothing is left behind then.
 */
export async function prepareEdit(
  job: Pick<Job, 'model' | 'uploads'>,
  request: ImageRequest,
  at: number,
  tools: AvatarTools,
): Promise<WorkFolder> {
  const { imageUrls, mask, n, pixels } = request;
  if (pixels.mode !== 'sized') throw new TypeError('an edit has a size');
  const { width, height } = pixels;
  const folder = await makeWorkFolder(tools.tempDir);
  const bring = async (name: string, url: string, param: string) => {
    const upload = job.uploads?.get(url);
    const path = await folder.save(name, await (upload ? upload.open() : tools.fetchFile(url, param)));
    requireSize(await withFileReader(path, probeMedia));
    return path;
  };
  try {
    const imagePaths: string[] = [];
    for (const [index, url] of imageUrls.entries()) {
      imagePaths.push(await bring(`image-${index}`, url, referenceParam(request, index)));
    }
    const maskPath = mask === undefined ? undefined : await bring('mask', mask, maskParam(request));
    await tools.pool.run({
      ...{ kind: 'edit', imagePaths, width, height, isMirrored: request.form === 'variation' },
      ...(maskPath !== undefined && { maskPath }),
      card: {
        prompt: request.prompt,
        top: `simulator  ${job.model}`,
        bottom: `${width}x${height}  ${request.form === 'variation' ? 'variation' : 'edit'} ${at + 1} of ${n}`,
      },
      outputPath: folder.path(preparedFile),
    });
    return folder;
  } catch (error) {
    await folder.remove();
    if (error instanceof InvalidMedia)
      throw unusable(referenceParam(request), new UnusableInput('visual', error.message, error));
    if (!(error instanceof UnusableInput)) throw error;
    throw unusable(error.input === 'mask' ? maskParam(request) : referenceParam(request), error);
  }
}

function cardPng(card: Card): Readable {
  return encodePng({ width: card.width, height: card.height, palette: card.palette, rows: rowsOf(card) });
}

function* rowsOf(card: Card): Generator<PngRow> {
  const row = new Uint8Array(card.width);
  for (let y = 0; y < card.height; y++) {
    if (card.repeatsAbove(y)) {
      yield undefined;
    } else {
      card.paint(y, row);
      yield row;
    }
  }
}
