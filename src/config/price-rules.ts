/** The rules of a model's price in `tollgate.yaml`: which keys go with its kind and with each other, and what they list. */
import { imageQualities, type ModelKind } from '../domain/catalogue.ts';
import { isVideoResolution, isImageSize } from '../domain/billing/price-variants.ts';
import type { Path } from './yaml-document.ts';

/** A rule that the document breaks, and where. */
export interface Mistake {
  path: Path;
  message: string;
}

interface PriceKeys {
  required: readonly string[];
  optional: readonly string[];
}

const tokenPrice: PriceKeys = {
  required: ['input_per_million', 'output_per_million'],
  optional: ['cached_input_per_million', 'minimum'],
};
const imagePrice: PriceKeys = { required: ['per_image'], optional: ['by_quality', 'by_size', 'minimum'] };
const secondPrice: PriceKeys = { required: ['per_second'], optional: ['by_resolution', 'minimum'] };
const priceKeys: Readonly<Record<ModelKind, PriceKeys>> = {
  chat: tokenPrice,
  code: tokenPrice,
  image: imagePrice,
  video: secondPrice,
  'avatar-video': secondPrice,
  'avatar-image': secondPrice,
  'avatar-talk': secondPrice,
};
const allKeys = new Set(Object.values(priceKeys).flatMap(({ required, optional }) => [...required, ...optional]));

/** What a listing's names must be; the schema knows those of `by_quality` itself. */
const listings: Readonly<Record<string, { isName?: (name: string) => boolean; names: string }>> = {
  by_quality: { names: imageQualities.join(', ') },
  by_size: { isName: isImageSize, names: '1k, 2k, 4k, 8k or a valid size such as 1024x1536' },
  by_resolution: { isName: isVideoResolution, names: 'a number of lines followed by p, such as 720p' },
};

/** The mistakes of the price at `path` of a model of that kind. */
export function* priceMistakes(price: Record<string, unknown>, kind: ModelKind, path: Path): Iterable<Mistake> {
  const { required, optional } = priceKeys[kind];
  const fitting = [...required, ...optional];
  for (const key of required) {
    if (!Object.hasOwn(price, key)) yield { path: [...path, key], message: `is required for a model of kind ${kind}` };
  }
  for (const [key, value] of Object.entries(price)) {
    if (!allKeys.has(key)) continue; // the schema says so
    if (fitting.includes(key)) yield* listingMistakes(key, value, [...path, key]);
    else yield { path: [...path, key], message: `is not allowed for kind ${kind}; allowed are ${fitting.join(', ')}` };
  }
  if (kind === 'image' && Object.hasOwn(price, 'by_quality') && Object.hasOwn(price, 'by_size')) {
    const message = "can't be combined with by_quality; use one of the two";
    yield { path: [...path, 'by_size'], message };
  }
}

function* listingMistakes(key: string, value: unknown, path: Path): Iterable<Mistake> {
  const listing = Object.hasOwn(listings, key) ? listings[key] : undefined;
  if (!listing || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const given = Object.keys(value);
  if (given.length === 0) yield { path, message: `must list at least one price, by ${listing.names}` };
  for (const name of given) {
    if (listing.isName?.(name) === false)
      yield { path: [...path, name], message: `is not a valid price name: it must be ${listing.names}` };
  }
}
