/** Pricing: what an output costs, and what is held for it before it exists. Pure; a total is rounded once, half up. */
import { avatarSecondsDefault, type Model, type Price } from './catalogue.ts';
import { type MicroYuan, micros, minus, roundedHalfUp } from './money.ts';
import type { ImageRequest } from './requests/image.ts';
import type { VideoRequest } from './requests/video.ts';

/** A price worked out: so many units at that price make the amount. */
export interface Quote {
  unit: 'image' | 'second';
  /** Images, or seconds with up to three decimals. */
  units: number;
  unitPrice: MicroYuan;
  amount: MicroYuan;
}

/** What a task produces, as far as its price depends on it. */
export type Output = { images: number } | { durationMs: number };

/** What is known of a task when it is admitted. */
export type TaskFacts =
  | { kind: 'image'; request: Pick<ImageRequest, 'n' | 'pixels'> }
  | { kind: 'video'; request: Pick<VideoRequest, 'durationSeconds'> }
  | { kind: 'avatar_talk'; audioDurationMs: number };

/** The upper bound that a task holds before it starts, at the model's price of now. Errors as `quoteOf`. */
export const holdOf = (model: Model, facts: TaskFacts): Quote => quoteOf(model.price, outputBound(model, facts));

/**
 * What an output costs at a price. Throws a plain Error when the price is not per the output's unit (the settings are
 * checked for that) and RangeError for a count that is no whole number from 0.
 */
export function quoteOf(price: Price, output: Output): Quote {
  if ('images' in output) {
    if (price.unit !== 'image') throw new Error(`a price per ${price.unit} for images`);
    const { perImage } = price;
    return { unit: 'image', units: output.images, unitPrice: perImage, amount: imagePrice(perImage, output.images) };
  }
  if (price.unit !== 'second') throw new Error(`a price per ${price.unit} for seconds`);
  const { perSecond } = price;
  const { durationMs } = output;
  return {
    unit: 'second',
    units: durationMs / 1000,
    unitPrice: perSecond,
    amount: secondsPrice(perSecond, durationMs),
  };
}

/** The price of that many images. */
export const imagePrice = (perImage: MicroYuan, count: number): MicroYuan => micros(perImage * whole(count));

/** The price of a duration, exact to the millisecond: 12,400 ms at 0.05 yuan a second are 0.62 yuan. */
export const secondsPrice = (perSecond: MicroYuan, durationMs: number): MicroYuan =>
  roundedHalfUp(perSecond * whole(durationMs), 1000n);

/** The usage statistics' tokens of a video: 1,000 a second, so one a millisecond (specification, section 4). */
export const tokensOfSeconds = (durationMs: number): number => Number(whole(durationMs));

/** Tokens of a call as upstreams report them: `cachedInput` is a part of `input`. */
export interface TokenCounts {
  input: number;
  cachedInput: number;
  output: number;
}

export type TokenPrice = Extract<Price, { unit: 'token' }>;

export interface TokenLine {
  unit: 'input_token' | 'cached_input_token' | 'output_token';
  units: number;
  /** Of a million tokens: a single one may cost less than a micro-yuan. */
  pricePerMillion: MicroYuan;
  amount: MicroYuan;
}

/**
 * The price of a chat call, with a line for every kind of token. Without a price of their own, cached tokens are plain
 * input. An upstream that reports more cached than input tokens is taken at its input count. The total is rounded
 * once; the lines are cut from it at the rounded running sums, so they add up to it and none is negative.
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
  return { lines, total };
}

/** The most that so many input and output tokens can cost, however many of the input tokens turn out to be cached. */
export function tokensBound(price: TokenPrice, counts: { input: number; output: number }): MicroYuan {
  const cachedPrice = price.cachedInputPerMillion ?? price.inputPerMillion;
  const inputPrice = cachedPrice > price.inputPerMillion ? cachedPrice : price.inputPerMillion;
  const exact = inputPrice * whole(counts.input) + price.outputPerMillion * whole(counts.output);
  return roundedHalfUp(exact, 1_000_000n);
}

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
