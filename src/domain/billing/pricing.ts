/** Pricing: what an output costs, and what is held for it before it exists. Pure; a total is rounded once, half up. */
import { avatarSecondsDefault, type Model, type Price, type TokenPrice } from '../catalogue.ts';
import { greater, type MicroYuan, micros, minus, roundedHalfUp, zero } from '../money.ts';
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
  unitPrice: MicroYuan;
  amount: MicroYuan;
  /** The units alone would make less than the model's minimum. */
  reason?: 'minimum charge';
}

/** What a task produces, as far as its price depends on it; a video's pixels are those of the stored file. */
export type Output = { images: number } | { durationMs: number; pixels?: Pixels };

/** What is known of a task when it is admitted. */
export type TaskFacts =
  | { kind: 'image'; request: Pick<ImageRequest, 'n' | 'quality' | 'pixels'> }
  | { kind: 'video'; request: Pick<VideoRequest, 'durationSeconds'> }
  | { kind: 'avatar_talk'; audioDurationMs: number };

/**
 * The upper bound that a task holds before it starts, at the model's price of now: of a video, at the dearest resolution.
 * Errors as `agreedPrice` and `quoteOf`.
 */
export function holdOf(model: Model, facts: TaskFacts): Quote {
  const price = agreedPrice(model.price, facts);
  return quoteOf(price.unit === 'second' ? dearest(price) : price, outputBound(model, facts));
}

/**
 * What a task is admitted at: of an image the one price that its request has, of a video those of all resolutions.
 * Throws a plain Error when the price is not per what such a task makes (the settings are checked for that).
 */
export function agreedPrice(price: Price, facts: TaskFacts): TaskPrice {
  const { minimum = zero } = price;
  if (facts.kind === 'image') {
    if (price.unit !== 'image') throw new Error(`a price per ${price.unit} for images`);
    return { unit: 'image', perImage: priceOfImage(price, facts.request), minimum };
  }
  if (price.unit !== 'second') throw new Error(`a price per ${price.unit} for seconds`);
  return { unit: 'second', perSecond: price.perSecond, byResolution: price.byResolution ?? {}, minimum };
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
export const imagePrice = (perImage: MicroYuan, count: number): MicroYuan => micros(perImage * whole(count));

/** The price of a duration, exact to the millisecond: 12,400 ms at 0.05 yuan a second are 0.62 yuan. */
export const secondsPrice = (perSecond: MicroYuan, durationMs: number): MicroYuan =>
  roundedHalfUp(perSecond * whole(durationMs), 1000n);

/** The usage statistics' tokens of a video: 1,000 a second, so one a millisecond. */
export const tokensOfSeconds = (durationMs: number): number => Number(whole(durationMs));

/** Tokens of a call as upstreams report them: `cachedInput` is a part of `input`. */
export interface TokenCounts {
  input: number;
  cachedInput: number;
  output: number;
}

export const tokenUnits = ['input_token', 'cached_input_token', 'output_token', 'minimum_charge'] as const;

/** A line of a call's price: one kind of token, or last what the model's minimum adds to them. */
export interface TokenLine {
  unit: (typeof tokenUnits)[number];
  units: number;
  /** Of a million units: a single token may cost less than a micro-yuan. */
  pricePerMillion: MicroYuan;
  amount: MicroYuan;
}

/**
 * The price of a chat call, with a line for every kind of token. Without a price of their own, cached tokens are plain
 * input. An upstream that reports more cached than input tokens is taken at its input count. The total is rounded
 * once; the lines are cut from it at the rounded running sums, so they add up to it and none is negative. Less than the
 * model's minimum is made up to it by a line of its own.
 */
export function tokensPrice(price: TokenPrice, counts: TokenCounts): { lines: TokenLine[]; total: MicroYuan } {
  const cached = price.cachedInputPerMillion === undefined ? 0 : Math.min(counts.cachedInput, counts.input);
  const rows: Pick<TokenLine, 'unit' | 'units' | 'pricePerMillion'>[] = [
    { unit: 'input_token', units: counts.input - cached, pricePerMillion: price.inputPerMillion },
    {
      unit: 'cached_input_token',
      units: cached,
      pricePerMillion: price.cachedInputPerMillion ?? price.inputPerMillion,
    },
    { unit: 'output_token', units: counts.output, pricePerMillion: price.outputPerMillion },
  ];
  const lines: TokenLine[] = [];
  let exact = 0n; // millionths of a micro-yuan
  let total = micros(0n);
  for (const row of rows) {
    exact += row.pricePerMillion * whole(row.units);
    const next = roundedHalfUp(exact, 1_000_000n);
    if (row.units > 0 || row.unit !== 'cached_input_token') lines.push({ ...row, amount: minus(next, total) });
    total = next;
  }
  const missing = minus(price.minimum ?? zero, total);
  if (missing <= 0n) return { lines, total };
  const pricePerMillion = micros(missing * 1_000_000n);
  lines.push({ unit: 'minimum_charge', units: 1, pricePerMillion, amount: missing });
  return { lines, total: micros(total + missing) };
}

/** A price that is `most` at most: what is too much is taken from the last lines, so that they still add up to the total. */
export function cappedAt<Line extends { amount: MicroYuan }>(
  most: MicroYuan,
  { lines, total }: { lines: readonly Line[]; total: MicroYuan },
): { lines: Line[]; total: MicroYuan } {
  if (total <= most) return { lines: [...lines], total };
  let tooMuch = minus(total, most);
  const capped = lines.toReversed().map((line) => {
    const amount = line.amount > tooMuch ? minus(line.amount, tooMuch) : zero;
    tooMuch = minus(tooMuch, minus(line.amount, amount));
    return { ...line, amount };
  });
  return { lines: capped.reverse(), total: most };
}

/** How many tokens the lines of a price count. */
export const tokensIn = (lines: readonly TokenLine[]): number =>
  lines.reduce((sum, { unit, units }) => (unit === 'minimum_charge' ? sum : sum + units), 0);

/** The most that so many input and output tokens can cost, however many of the input tokens turn out to be cached. */
export function tokensBound(
  price: TokenPrice,
  { input, output }: { input: number; output: number },
): ReturnType<typeof tokensPrice> {
  const isCachedDearer = (price.cachedInputPerMillion ?? zero) > price.inputPerMillion;
  return tokensPrice(price, { input, cachedInput: isCachedDearer ? input : 0, output });
}

const dearest = (price: Extract<TaskPrice, { unit: 'second' }>): TaskPrice => ({
  ...price,
  perSecond: Object.values(price.byResolution).reduce(greater, price.perSecond),
});

const atLeast = (minimum: MicroYuan, quote: Quote): Quote =>
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
