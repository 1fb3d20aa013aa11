/**
 * The price of a model's calls, and the card that applies to one of them: its rates depend on the hour at which the call
 * was admitted, the tier that served it and the length of its prompt. Most are charged by the token; some by what the
 * gateway counts itself, or by the call.
 */
import { greater, type Money, ofOne, zero } from '../money.ts';
import { isWithin, type DailyHours } from './daily-hours.ts';
import type { LineUnit } from './line-units.ts';

/** What a card may say. What it doesn't say is inherited, and has a default at last: see `TokenCard`. */
export interface TokenRates {
  inputPerMillion?: Money;
  outputPerMillion?: Money;
  cachedInputPerMillion?: Money;
  cacheWritePerMillion?: Money;
  cacheWrite1hPerMillion?: Money;
  audioInputPerMillion?: Money;
  audioOutputPerMillion?: Money;
  imageInputPerMillion?: Money;
  imageOutputPerMillion?: Money;
  /** Of the text that is spoken. */
  perMillionCharacters?: Money;
  /** Of audio; begun ones count. */
  perSecond?: Money;
  perSearch?: Money;
  perCall?: Money;
  /** By the tool's name; a card that names some tools inherits the others. */
  perToolCall?: Readonly<Record<string, Money>>;
  /** A call that costs anything costs at least this much. */
  minimum?: Money;
}

/** Rates for the whole of a call whose prompt has at least `inputTokens`, caches included. */
export interface LongPromptRates extends TokenRates {
  inputTokens: number;
}

/** A card that stands in the place of the model's own one; `above` is inherited like a rate. */
export interface RatesByLength extends TokenRates {
  /** In ascending order of their lengths. */
  above?: readonly LongPromptRates[];
}

export interface TokenPrice extends RatesByLength {
  unit: 'token';
  /** By the tier that the answer names. */
  serviceTiers?: Readonly<Record<string, RatesByLength>>;
  /** Of requests in a batch: of the tier `batch`. */
  batch?: RatesByLength;
  /** The first that covers the time applies. */
  hours?: readonly (DailyHours & RatesByLength)[];
}

/** A card without gaps: what a call is priced at. */
export interface TokenCard {
  input: Money;
  output: Money;
  /** Without a rate of its own what input costs, as every kind of input; all output costs what text does. */
  cachedInput: Money;
  cacheWrite: Money;
  /** Without a rate of its own what a write for five minutes costs. */
  cacheWrite1h: Money;
  audioInput: Money;
  imageInput: Money;
  audioOutput: Money;
  imageOutput: Money;
  /** Of a million, as the rates above: a line's price is of a million units. */
  characters: Money;
  seconds: Money;
  searches: Money;
  perCall: Money;
  perToolCall: Readonly<Record<string, Money>>;
  minimum: Money;
  /** What a call is charged by: its lines have these units, if there are none of them or they cost nothing. */
  basis: readonly LineUnit[];
}

/** The tier of requests in a batch, as answers name it. */
export const batchTier = 'batch';

export interface CardChoice {
  /** The whole prompt, caches included. */
  inputTokens: number;
  /** Of the answer; one without a card of its own costs what the model's own card says. */
  tier: string | undefined;
  /** When the call was admitted. */
  at: Date;
}

/** Returns the card of a call: the hour's, over that the tier's, and of it the one for the prompt's length. */
export function cardFor(price: TokenPrice, { inputTokens, tier, at }: CardChoice): TokenCard {
  const rates = ratesAt(price, tier, at);
  const long = rates.above?.findLast(({ inputTokens: from }) => inputTokens >= from);
  return cardOf(long ? inherited(rates, long) : rates);
}

/** Returns every card that a call of these tiers may get, if its prompt has `inputTokens` at most. */
export function cardsUpTo(
  price: TokenPrice,
  { inputTokens, tiers, at }: { inputTokens: number; tiers: readonly (string | undefined)[]; at: Date },
): TokenCard[] {
  return tiers.flatMap((tier) => {
    const rates = ratesAt(price, tier, at);
    const long = (rates.above ?? []).filter(({ inputTokens: from }) => inputTokens >= from);
    return [rates, ...long.map((one) => inherited(rates, one))].map(cardOf);
  });
}

/** Returns the card whose every rate is the dearest of these. */
export function dearestOf([first, ...others]: readonly TokenCard[]): TokenCard {
  if (first === undefined) throw new RangeError('there is no card');
  return others.reduce(
    (dearest, card) => ({
      input: greater(dearest.input, card.input),
      output: greater(dearest.output, card.output),
      cachedInput: greater(dearest.cachedInput, card.cachedInput),
      cacheWrite: greater(dearest.cacheWrite, card.cacheWrite),
      cacheWrite1h: greater(dearest.cacheWrite1h, card.cacheWrite1h),
      audioInput: greater(dearest.audioInput, card.audioInput),
      imageInput: greater(dearest.imageInput, card.imageInput),
      audioOutput: greater(dearest.audioOutput, card.audioOutput),
      imageOutput: greater(dearest.imageOutput, card.imageOutput),
      characters: greater(dearest.characters, card.characters),
      seconds: greater(dearest.seconds, card.seconds),
      searches: greater(dearest.searches, card.searches),
      perCall: greater(dearest.perCall, card.perCall),
      perToolCall: dearestByName(dearest.perToolCall, card.perToolCall),
      minimum: greater(dearest.minimum, card.minimum),
      basis: dearest.basis,
    }),
    first,
  );
}

/** Returns the names of all tiers that a price has cards for, the batch's last. */
export const tiersOf = ({ serviceTiers = {}, batch }: TokenPrice): string[] => [
  ...Object.keys(serviceTiers),
  ...(batch ? [batchTier] : []),
];

function ratesAt(price: TokenPrice, tier: string | undefined, at: Date): RatesByLength {
  const hour = price.hours?.find((hours) => isWithin(hours, at));
  const rates = hour ? inherited<RatesByLength>(price, hour) : price;
  const own = tier === undefined ? undefined : ratesOfTier(price, tier);
  return own ? inherited(rates, own) : rates;
}

function ratesOfTier({ serviceTiers = {}, batch }: TokenPrice, tier: string): RatesByLength | undefined {
  if (Object.hasOwn(serviceTiers, tier)) return serviceTiers[tier];
  return tier === batchTier ? batch : undefined;
}

function inherited<Rates extends TokenRates>(from: Rates, rates: Rates | TokenRates): Rates {
  const perToolCall = { ...from.perToolCall, ...rates.perToolCall };
  return { ...from, ...rates, perToolCall };
}

const noTools: TokenCard['perToolCall'] = {};

function cardOf(rates: TokenRates): TokenCard {
  const input = rates.inputPerMillion ?? zero;
  const output = rates.outputPerMillion ?? zero;
  const cacheWrite = rates.cacheWritePerMillion ?? input;
  return {
    input,
    output,
    cachedInput: rates.cachedInputPerMillion ?? input,
    cacheWrite,
    cacheWrite1h: rates.cacheWrite1hPerMillion ?? cacheWrite,
    audioInput: rates.audioInputPerMillion ?? input,
    imageInput: rates.imageInputPerMillion ?? input,
    audioOutput: rates.audioOutputPerMillion ?? output,
    imageOutput: rates.imageOutputPerMillion ?? output,
    characters: rates.perMillionCharacters ?? zero,
    seconds: ofOne(rates.perSecond ?? zero),
    searches: ofOne(rates.perSearch ?? zero),
    perCall: rates.perCall ?? zero,
    perToolCall: rates.perToolCall ?? noTools,
    minimum: rates.minimum ?? zero,
    basis: basisOf(rates),
  };
}

const byTokens: TokenCard['basis'] = ['input_token', 'output_token'];
const byInput: TokenCard['basis'] = ['input_token'];
const byCharacters: TokenCard['basis'] = ['character'];
const bySeconds: TokenCard['basis'] = ['second'];
const bySearches: TokenCard['basis'] = ['search'];
const byCalls: TokenCard['basis'] = ['call'];

/** Returns what a model's calls are charged by: its price has one of these rates, the settings see to that. */
export function basisOf(rates: TokenRates): TokenCard['basis'] {
  if (rates.outputPerMillion !== undefined) return byTokens;
  if (rates.inputPerMillion !== undefined) return byInput;
  if (rates.perMillionCharacters !== undefined) return byCharacters;
  if (rates.perSecond !== undefined) return bySeconds;
  return rates.perSearch === undefined ? byCalls : bySearches;
}

function dearestByName(one: TokenCard['perToolCall'], other: TokenCard['perToolCall']): TokenCard['perToolCall'] {
  const dearest: Record<string, Money> = { ...one };
  for (const [name, amount] of Object.entries(other)) dearest[name] = greater(dearest[name] ?? zero, amount);
  return dearest;
}
