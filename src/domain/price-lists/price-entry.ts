/** A listed price as the mapping that `tollgate.yaml` has for it, with amounts as decimal digits. */
import { type Decimal, decimalText, roundDecimal, timesDecimal } from '../exact-decimal.ts';
import { type Card, cardKeys, type ListedPrice, type TieredCard } from './listed-model.ts';

/** Text is an amount; a number is a number of tokens. */
export interface PriceEntry {
  [key: string]: string | number | PriceEntry | readonly PriceEntry[];
}

export interface Conversion {
  /** What an amount of the list is multiplied with. */
  factor: Decimal;
  /** Called with the amount that more than six decimals would be needed for, and what it was rounded to. */
  onRounded: (exact: string, rounded: string) => void;
}

const amountDecimals = 6;

/** Returns the mapping, without what a card would repeat of the one that it inherits from. */
export function priceEntryOf(price: ListedPrice, conversion: Conversion): PriceEntry {
  const amount = (value: Decimal) => amountOf(value, conversion);
  if (price.unit === 'search') return { per_search: amount(price.perSearch) };
  if (price.unit === 'image') return { per_image: amount(price.perImage) };
  if (price.unit === 'second') return { per_second: amount(price.perSecond) };
  const tools = Object.entries(price.perToolCall).map(([name, value]) => [name, amount(value)] as const);
  const tiers = Object.entries(price.serviceTiers).map(
    ([name, tier]) => [name, tieredEntry(tier, price.card, amount)] as const,
  );
  return {
    ...cardEntry(price.card, {}, amount),
    ...(tools.length > 0 && { per_tool_call: Object.fromEntries(tools) }),
    ...aboveEntry(price, amount),
    ...(tiers.length > 0 && { service_tiers: Object.fromEntries(tiers) }),
    ...(price.batch && { batch: tieredEntry(price.batch, price.card, amount) }),
  };
}

type Amount = (value: Decimal) => string;

const tieredEntry = (tier: TieredCard, inherited: Card, amount: Amount): PriceEntry => ({
  ...cardEntry(tier.card, inherited, amount),
  ...aboveEntry(tier, amount),
});

function aboveEntry({ card, above }: TieredCard, amount: Amount): PriceEntry {
  const cards = above.map((long) => ({ input_tokens: long.inputTokens, ...cardEntry(long.card, card, amount) }));
  return cards.length > 0 ? { above: cards } : {};
}

function cardEntry(card: Card, inherited: Card, amount: Amount): PriceEntry {
  const entry: PriceEntry = {};
  for (const key of cardKeys) {
    const value = card[key];
    const before = inherited[key];
    if (value && !(before && decimalText(before) === decimalText(value))) entry[key] = amount(value);
  }
  return entry;
}

function amountOf(value: Decimal, { factor, onRounded }: Conversion): string {
  const exact = timesDecimal(value, factor);
  const { rounded, isExact } = roundDecimal(exact, amountDecimals);
  if (!isExact) onRounded(decimalText(exact), decimalText(rounded));
  return decimalText(rounded);
}

/** Returns the factor of a rate and of a margin in percent of what the vendor takes. */
export const factorOf = (rate: Decimal, marginPercent: Decimal): Decimal =>
  timesDecimal(rate, { digits: percentOf(marginPercent), scale: marginPercent.scale + 2 });

const percentOf = ({ digits, scale }: Decimal): bigint => digits + 100n * 10n ** BigInt(scale);
