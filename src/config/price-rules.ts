/** The rules of a model's price in `tollgate.yaml`: which keys go with its kind and with each other, and what they list. */
import { imageQualities, type ModelKind } from '../domain/catalogue.ts';
import { list } from '../domain/requests/parse.ts';
import { isVideoResolution, isImageSize } from '../domain/billing/price-variants.ts';
import type { Path } from './yaml-document.ts';

/** A rule that the document breaks, and where. */
export interface Mistake {
  path: Path;
  message: string;
}

interface PriceKeys {
  /** What it may be charged by; the price has all keys of one of them, and none of another. */
  ways: readonly (readonly [string, ...string[]])[];
  optional: readonly string[];
}

const tokenPrice: PriceKeys = {
  ways: [['input_per_million', 'output_per_million']],
  optional: [
    'cached_input_per_million',
    'cache_write_per_million',
    'cache_write_1h_per_million',
    'audio_input_per_million',
    'audio_output_per_million',
    'image_input_per_million',
    'image_output_per_million',
    'per_call',
    'per_tool_call',
    'above',
    'service_tiers',
    'batch',
    'hours',
    'minimum',
  ],
};
const imagePrice: PriceKeys = { ways: [['per_image']], optional: ['by_quality', 'by_size', 'minimum'] };
const secondPrice: PriceKeys = { ways: [['per_second']], optional: ['by_resolution', 'minimum'] };
/** Of what only reads: output has a price where a provider charges for some. */
const inputOptional = ['output_per_million', ...tokenPrice.optional];
const priceKeys: Readonly<Record<ModelKind, PriceKeys>> = {
  chat: tokenPrice,
  code: tokenPrice,
  embedding: { ways: [['input_per_million']], optional: inputOptional },
  speech: { ways: [['per_million_characters'], ['per_second'], ...tokenPrice.ways], optional: tokenPrice.optional },
  transcription: { ways: [['per_second'], ...tokenPrice.ways], optional: tokenPrice.optional },
  moderation: { ways: [['per_call']], optional: ['minimum'] },
  rerank: { ways: [['per_search'], ['input_per_million']], optional: inputOptional },
  image: imagePrice,
  video: secondPrice,
  'avatar-video': secondPrice,
  'avatar-image': secondPrice,
  'avatar-talk': secondPrice,
};
function fittingKeys({ ways, optional }: PriceKeys): string[] {
  return [...new Set([...ways.flat(), ...optional])];
}

const allKeys = new Set(Object.values(priceKeys).flatMap(fittingKeys));

/** What a listing's names must be; the schema knows those of `by_quality` itself. */
const listings: Readonly<Record<string, { isName?: (name: string) => boolean; names: string }>> = {
  by_quality: { names: imageQualities.join(', ') },
  by_size: { isName: isImageSize, names: '1k, 2k, 4k, 8k or a valid size such as 1024x1536' },
  by_resolution: { isName: isVideoResolution, names: 'a number of lines followed by p, such as 720p' },
  per_tool_call: {
    isName: (name) => /^[a-z][a-z0-9_]{0,63}$/.test(name),
    names: 'the name of a tool, such as web_search',
  },
  service_tiers: {
    isName: (name) => /^[a-z][a-z0-9_-]{0,63}$/.test(name) && !ownCardNames.includes(name),
    names:
      'the name of a tier, such as flex; batch has a key of its own, and default and standard are the price itself',
  },
};

/** Tiers that are asked for or named where the model's own card applies, and the one with a key of its own. */
const ownCardNames = ['auto', 'default', 'standard', 'standard_only', 'batch'];

/** The mistakes of the price at `path` of a model of that kind. */
export function* priceMistakes(price: Record<string, unknown>, kind: ModelKind, path: Path): Iterable<Mistake> {
  const { ways } = priceKeys[kind];
  const fitting = fittingKeys(priceKeys[kind]);
  const begun = ways.filter((keys) => keys.some((key) => Object.hasOwn(price, key)));
  const [way, ...others] = begun.length === 0 && ways.length === 1 ? ways : begun;
  if (way === undefined) {
    const names = list(ways.map((keys) => keys.join(' and ')));
    yield { path, message: `must have ${names} for a model of kind ${kind}` };
  }
  for (const key of way ?? []) {
    if (!Object.hasOwn(price, key)) yield { path: [...path, key], message: `is required for a model of kind ${kind}` };
  }
  for (const [key] of others)
    yield { path: [...path, key], message: `can't be combined with ${way?.[0]}; use one of the two` };
  for (const [key, value] of Object.entries(price)) {
    if (!allKeys.has(key)) continue; // the schema says so
    if (fitting.includes(key)) yield* mistakesOfKey(key, value, [...path, key]);
    else yield { path: [...path, key], message: `is not allowed for kind ${kind}; allowed are ${fitting.join(', ')}` };
  }
  if (kind === 'image' && Object.hasOwn(price, 'by_quality') && Object.hasOwn(price, 'by_size')) {
    const message = "can't be combined with by_quality; use one of the two";
    yield { path: [...path, 'by_size'], message };
  }
}

/** Of a listing, or of a card inside the price, with the listings of its own. */
function* mistakesOfKey(key: string, value: unknown, path: Path): Iterable<Mistake> {
  yield* listingMistakes(key, value, path);
  if (key === 'above') yield* aboveMistakes(value, path);
  if (key === 'batch') yield* cardMistakes(value, path);
  if (key === 'hours' && Array.isArray(value))
    for (const [index, hours] of value.entries()) yield* hoursMistakes(hours, [...path, index]);
  if (key === 'service_tiers' && isMapping(value))
    for (const [name, card] of Object.entries(value)) yield* cardMistakes(card, [...path, name]);
}

/** What says nothing changes nothing, so its author expects something that won't happen. */
const namesOfCards = ['from', 'to', 'time_zone', 'input_tokens'];

function* cardMistakes(card: unknown, path: Path): Iterable<Mistake> {
  if (!isMapping(card)) return;
  if (!Object.keys(card).some((name) => !namesOfCards.includes(name)))
    yield { path, message: "must have a price that differs from the model's own" };
  for (const [key, value] of Object.entries(card)) yield* mistakesOfKey(key, value, [...path, key]);
}

function* hoursMistakes(hours: unknown, path: Path): Iterable<Mistake> {
  if (!isMapping(hours)) return;
  if (hours['from'] !== undefined && hours['from'] === hours['to'])
    yield { path: [...path, 'to'], message: 'must not be the time of from' };
  yield* cardMistakes(hours, path);
}

function* aboveMistakes(value: unknown, path: Path): Iterable<Mistake> {
  if (!Array.isArray(value)) return;
  const lengths = new Set<unknown>();
  for (const [index, card] of (value as unknown[]).entries()) {
    if (!isMapping(card)) continue;
    const length = card['input_tokens'];
    if (length !== undefined && lengths.has(length))
      yield { path: [...path, index, 'input_tokens'], message: 'must not stand there twice' };
    lengths.add(length);
    yield* cardMistakes(card, [...path, index]);
  }
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function* listingMistakes(key: string, value: unknown, path: Path): Iterable<Mistake> {
  const listing = Object.hasOwn(listings, key) ? listings[key] : undefined;
  if (!listing || !isMapping(value)) return;
  const given = Object.keys(value);
  if (given.length === 0) yield { path, message: `must list at least one price, by ${listing.names}` };
  for (const name of given) {
    if (listing.isName?.(name) === false)
      yield { path: [...path, name], message: `is not a valid price name: it must be ${listing.names}` };
  }
}
