/** Pricing: what an output costs, and what is held for it before it exists. Pure; a total is rounded once, half up. */
import { avatarSecondsDefault, type Model, type Price } from '../catalogue.ts';
import { greater, type Money, micros, roundedHalfUp, zero } from '../money.ts';
import type { Pixels } from '../tasks/pixels.ts';
import { priceOfImage, priceOfResolution } from './price-variants.ts';
import type { ImageRequest } from '../requests/image-request.ts';
import type { VideoRequest } from '../requests/video-request.ts';
import type { TaskPrice } from '../tasks/terms.ts';

/** A price worked out: so many units at that price make the amount, unless a reason says why not. */
export interface Quote {
  unit: 'image' | 'second';
  /** Images, or seconds with up to three decimals. */
  units: number;
  unitPrice: Money;
  amount: Money;
  /** The units alone would make less than the model's minimum. */
  reason?: 'minimum charge';
}

/** What a task produces, as far as its price depends on it; a video's pixels are those of the stored file. */
export type Output = { images: number } | { durationMs: number; pixels?: Pixels };

/** What is known of a task when it is admitted. */
export type TaskFacts =
  | { kind: 'image'; request: Pick<ImageRequest, 'n' | 'quality' | 'pixels'> }
  | { kind: 'video'; request: Pick<VideoRequest, 'durationSeconds' | 'size'> }
  | { kind: 'avatar_talk'; audioDurationMs: number };

/**
 * The upper bound that a task holds before it starts, at the model's price of now: of a video, at the dearest resolution
 * that it may have.
 * Errors as `agreedPrice` and `quoteOf`.
 */
export function holdOf(model: Model, facts: TaskFacts): Quote {
  const price = agreedPrice(model.price, facts);
  return quoteOf(price.unit === 'second' ? dearest(price) : price, outputBound(model, facts));
}

/**
 * What a task is admitted at: of an image the one price that its request has, of a video those of all resolutions, or,
 * where its caller asked for a size, of those that cost no more than that one.
 * Throws a plain Error when the price is not per what such a task makes (the settings are checked for that).
 */
export function agreedPrice(price: Price, facts: TaskFacts): TaskPrice {
  const { minimum = zero } = price;
  if (facts.kind === 'image') {
    if (price.unit !== 'image') throw new Error(`a price per ${price.unit} for images`);
    return { unit: 'image', perImage: priceOfImage(price, facts.request), minimum };
  }
  if (price.unit !== 'second') throw new Error(`a price per ${price.unit} for seconds`);
  const { perSecond, byResolution = {} } = price;
  const size = facts.kind === 'video' ? facts.request.size : undefined;
  if (!size) return { unit: 'second', perSecond, byResolution, minimum };
  const ofSize = priceOfResolution(byResolution, size) ?? perSecond;
  const upToSize = Object.entries(byResolution).filter(([, one]) => one <= ofSize);
  return { unit: 'second', perSecond: ofSize, byResolution: Object.fromEntries(upToSize), minimum };
}

/**
 * What an output costs at a task's price. Throws a plain Error when the price is not per the output's unit and RangeError
 * for a count that is no whole number from 0.
 */
export function quoteOf(price: TaskPrice, output: Output): Quote {
  if ('images' in output) {
    if (price.unit !== 'image') throw new Error(`a price per ${price.unit} for images`);
    const { perImage, minimum } = price;
    const amount = imagePrice(perImage, output.images);
    return atLeast(minimum, { unit: 'image', units: output.images, unitPrice: perImage, amount });
  }
  if (price.unit !== 'second') throw new Error(`a price per ${price.unit} for seconds`);
  const { durationMs, pixels } = output;
  const unitPrice = (pixels && priceOfResolution(price.byResolution, pixels)) ?? price.perSecond;
  const amount = secondsPrice(unitPrice, durationMs);
  return atLeast(price.minimum, { unit: 'second', units: durationMs / 1000, unitPrice, amount });
}

/** The price of that many images. */
export const imagePrice = (perImage: Money, count: number): Money => micros(perImage * whole(count));

/** The price of a duration, exact to the millisecond: 12,400 ms at 0.05 CNY a second are 0.62 CNY. */
export const secondsPrice = (perSecond: Money, durationMs: number): Money =>
  roundedHalfUp(perSecond * whole(durationMs), 1000n);

/** The usage statistics' tokens of a video: 1,000 a second, so one a millisecond. */
export const tokensOfSeconds = (durationMs: number): number => Number(whole(durationMs));

const dearest = (price: Extract<TaskPrice, { unit: 'second' }>): TaskPrice => ({
  ...price,
  perSecond: Object.values(price.byResolution).reduce(greater, price.perSecond),
});

const atLeast = (minimum: Money, quote: Quote): Quote =>
  quote.amount < minimum ? { ...quote, amount: minimum, reason: 'minimum charge' } : quote;

function outputBound(model: Model, facts: TaskFacts): Output {
  switch (facts.kind) {
    case 'image':
      return { images: facts.request.pixels.mode === 'upscale' ? 1 : facts.request.n };
    case 'video': {
      const isAvatar = model.kind === 'avatar-video' || model.kind === 'avatar-image';
      const seconds = isAvatar ? (model.limits.maxSeconds ?? avatarSecondsDefault) : facts.request.durationSeconds;
      return { durationMs: Math.round(seconds * 1000) };
    }
    case 'avatar_talk':
      return { durationMs: facts.audioDurationMs };
  }
}

/** Counts reach money as whole numbers from 0 or not at all. */
function whole(count: number): bigint {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is no count of units`);
  return BigInt(count);
}
