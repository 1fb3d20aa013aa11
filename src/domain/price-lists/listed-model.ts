/** A model as a public price list has it, in the keys of `tollgate.yaml`; amounts are in US dollars. */
import type { Capability, ModelKind } from '../catalogue.ts';
import { compareDecimals, type Decimal, wholeDecimal } from '../exact-decimal.ts';

/** The prices of tokens, a million of each. */
export const cardKeys = [
  'input_per_million',
  'output_per_million',
  'cached_input_per_million',
  'cache_write_per_million',
  'cache_write_1h_per_million',
  'audio_input_per_million',
  'audio_output_per_million',
  'image_input_per_million',
  'image_output_per_million',
] as const;
export type CardKey = (typeof cardKeys)[number];
export type Card = Readonly<Partial<Record<CardKey, Decimal>>>;

/** A card that holds for a whole request of at least so many input tokens, caches included. */
export interface CardAbove {
  inputTokens: number;
  card: Card;
}

export interface TieredCard {
  card: Card;
  /** In ascending order of tokens. */
  above: readonly CardAbove[];
}

export type ListedPrice =
  | (TieredCard & {
      unit: 'token';
      /** By the answer's `service_tier`. */
      serviceTiers: Readonly<Record<string, TieredCard>>;
      batch?: TieredCard;
      /** By the tool's name. */
      perToolCall: Readonly<Record<string, Decimal>>;
    })
  | { unit: 'search'; perSearch: Decimal }
  | { unit: 'image'; perImage: Decimal }
  | { unit: 'second'; perSecond: Decimal };

export interface ListedModel {
  /** As the list calls the vendor. */
  vendor: string;
  /** As the vendor calls the model. */
  id: string;
  kind: ModelKind;
  capabilities: readonly Capability[];
  maxOutputTokens?: number;
  price: ListedPrice;
  /** The vendor takes it away, or has. */
  isDeprecated: boolean;
}

/** A model of the list that can't be imported, and why. */
export interface SkippedModel {
  vendor: string;
  id: string;
  reason: string;
}

export interface PriceList {
  form: 'models.dev' | 'LiteLLM';
  models: readonly ListedModel[];
  skipped: readonly SkippedModel[];
}

/** A threshold counts from its own number of tokens on at these vendors, and from the next one on at all others. */
const vendorsThatInclude = ['xai'];

/** Returns the first number of input tokens of the card that a list has for "above" so many. */
export const firstTokensAbove = (vendor: string, size: number): number =>
  vendorsThatInclude.includes(vendor) ? size : size + 1;

const nothing = wholeDecimal(0n);

/** Returns the reason why a token price must not be imported, or undefined. */
export function refusalOfCard({ input_per_million: input, output_per_million: output }: Card): string | undefined {
  if (input === undefined || output === undefined) return 'the list has no price of its input or output';
  if (compareDecimals(input, nothing) === 0 && compareDecimals(output, nothing) === 0)
    return 'the list has it for nothing';
  return undefined;
}

/** Returns the reason why the token price of a model that only reads must not be imported, or undefined. */
export function refusalOfReadingCard({ input_per_million: input }: Card): string | undefined {
  if (input === undefined) return 'the list has no price of its input';
  return compareDecimals(input, nothing) === 0 ? 'the list has it for nothing' : undefined;
}

/** Returns the card of a model that only reads: lists say that its output, of which there is none, costs nothing. */
export function withoutFreeOutput({ output_per_million: output, ...card }: Card): Card {
  return output === undefined || compareDecimals(output, nothing) === 0
    ? card
    : { ...card, output_per_million: output };
}
