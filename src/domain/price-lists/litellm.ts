/** LiteLLM's `model_prices_and_context_window.json`: models by their names, each with its vendor; dollars for one token. */
import { z } from 'zod';
import type { Capability } from '../catalogue.ts';
import { compareDecimals, type Decimal, decimalOfNumber, timesDecimal, wholeDecimal } from '../exact-decimal.ts';
import {
  type Card,
  type CardKey,
  firstTokensAbove,
  type ListedModel,
  refusalOfCard,
  refusalOfReadingCard,
  type SkippedModel,
  type TieredCard,
  withoutFreeOutput,
} from './listed-model.ts';

const entrySchema = z.looseObject({
  litellm_provider: z.string(),
  mode: z.string().optional(),
  max_output_tokens: z.unknown().optional(),
  deprecation_date: z.string().optional(),
});
type Entry = z.output<typeof entrySchema>;

/** The names of a token's price; a threshold and a tier follow them, as `input_cost_per_token_above_200k_tokens_priority`. */
const nameOf: Readonly<Record<CardKey, string>> = {
  input_per_million: 'input_cost_per_token',
  output_per_million: 'output_cost_per_token',
  cached_input_per_million: 'cache_read_input_token_cost',
  cache_write_per_million: 'cache_creation_input_token_cost',
  cache_write_1h_per_million: 'cache_creation_input_token_cost_above_1hr',
  audio_input_per_million: 'input_cost_per_audio_token',
  audio_output_per_million: 'output_cost_per_audio_token',
  image_input_per_million: 'input_cost_per_image_token',
  image_output_per_million: 'output_cost_per_image_token',
};

const million = wholeDecimal(1_000_000n);
const placeholders = ['sample_spec', 'fallback_generalizations'];

/** Whether a parsed file looks like this list: an entry names its vendor as LiteLLM does. */
export const isLitellm = (value: Record<string, unknown>): boolean =>
  Object.values(value).some((entry) => entrySchema.safeParse(entry).success);

/** Returns every model of the list, or why it is left out; `today` is `YYYY-MM-DD`. */
export function modelsOfLitellm(value: Record<string, unknown>, today: string): (ListedModel | SkippedModel)[] {
  return Object.entries(value).flatMap(([name, entry]) => {
    const parsed = entrySchema.safeParse(entry);
    return placeholders.includes(name) || !parsed.success ? [] : [modelOf(name, parsed.data, today)];
  });
}

function modelOf(name: string, entry: Entry, today: string): ListedModel | SkippedModel {
  const vendor = entry.litellm_provider;
  const id = name.startsWith(`${vendor}/`) ? name.slice(vendor.length + 1) : name;
  const { kind, price, reason } = priceOf(entry, vendor);
  if (price === undefined) return { vendor, id, reason };
  const most = entry.max_output_tokens;
  return {
    vendor,
    id,
    kind,
    capabilities: capabilitiesOf(kind, entry),
    ...(kind === 'chat' && typeof most === 'number' && most >= 1 && { maxOutputTokens: Math.floor(most) }),
    price,
    isDeprecated: entry.deprecation_date !== undefined && entry.deprecation_date <= today,
  };
}

type Kind = 'chat' | 'embedding' | 'rerank' | 'image' | 'video';
type Found =
  | { kind: Kind; price: ListedModel['price']; reason?: never }
  | { kind?: never; price?: undefined; reason: string };

function priceOf(entry: Entry, vendor: string): Found {
  const { mode = '(none)' } = entry;
  switch (mode) {
    case 'chat':
    case 'responses':
      return tokenPriceOf(entry, vendor);
    case 'embedding':
      return readingPriceOf('embedding', entry, vendor);
    case 'rerank':
      return rerankPriceOf(entry, vendor);
    case 'image_generation': {
      const perImage = amountOf(entry, 'output_cost_per_image') ?? amountOf(entry, 'input_cost_per_image');
      return perImage
        ? { kind: 'image', price: { unit: 'image', perImage } }
        : { reason: 'the list has no price of an image' };
    }
    case 'video_generation': {
      const perSecond =
        amountOf(entry, 'output_cost_per_video_per_second') ?? amountOf(entry, 'output_cost_per_second');
      return perSecond
        ? { kind: 'video', price: { unit: 'second', perSecond } }
        : { reason: 'the list has no price of a second' };
    }
    default:
      return { reason: `models of mode ${mode} can't be imported` };
  }
}

function tokenPriceOf(entry: Entry, vendor: string): Found {
  const standard = tieredCardOf(entry, vendor, '');
  const refusal = refusalOfCard(standard.card) ?? refusalOfReasoning(entry);
  if (refusal !== undefined) return { reason: refusal };
  const tierOf = (suffix: string) =>
    amountOf(entry, `${nameOf.input_per_million}${suffix}`) ? tieredCardOf(entry, vendor, suffix) : undefined;
  const tiers = { flex: tierOf('_flex'), priority: tierOf('_priority') };
  const batch = tierOf('_batches');
  const search = searchPriceOf(entry);
  return {
    kind: 'chat',
    price: {
      unit: 'token',
      ...standard,
      serviceTiers: Object.fromEntries(Object.entries(tiers).flatMap(([name, card]) => (card ? [[name, card]] : []))),
      ...(batch && { batch }),
      perToolCall: search ? { web_search: search } : {},
    },
  };
}

/** Of a model that only reads; what such models are offered for less is batches. */
function readingPriceOf(kind: 'embedding' | 'rerank', entry: Entry, vendor: string): Found {
  const cardOfTier = (tier: string) => withoutFreeOutput(tieredCardOf(entry, vendor, tier).card);
  const card = cardOfTier('');
  const reason = refusalOfReadingCard(card);
  if (reason !== undefined) return { reason };
  const hasBatch = amountOf(entry, `${nameOf.input_per_million}_batches`) !== undefined;
  const batch = hasBatch ? { card: cardOfTier('_batches'), above: [] } : undefined;
  return {
    kind,
    price: { unit: 'token', card, above: [], serviceTiers: {}, ...(batch && { batch }), perToolCall: {} },
  };
}

/** By the search, which the list calls a query, or by the token. */
function rerankPriceOf(entry: Entry, vendor: string): Found {
  const perSearch = amountOf(entry, 'input_cost_per_query');
  if (perSearch === undefined || perSearch.digits === 0n) return readingPriceOf('rerank', entry, vendor);
  const hasTokens = (amountOf(entry, nameOf.input_per_million)?.digits ?? 0n) > 0n;
  return hasTokens
    ? { reason: 'it has a price of a search and one of tokens, and prices here have one of the two' }
    : { kind: 'rerank', price: { unit: 'search', perSearch } };
}

/** The card of one tier, and those above its thresholds; what a tier or threshold doesn't name costs as without it. */
function tieredCardOf(entry: Entry, vendor: string, tier: string): TieredCard {
  const card = cardOf(entry, [tier, '']);
  const sizes = new Set(
    Object.keys(entry).flatMap(
      (key) => /^(?:input|output)_cost_per_token_above_(\d{1,5})k_tokens/.exec(key)?.[1] ?? [],
    ),
  );
  const above = [...sizes].map((size) => ({
    inputTokens: firstTokensAbove(vendor, Number(size) * 1000),
    card: { ...card, ...cardOf(entry, [`_above_${size}k_tokens${tier}`, `_above_${size}k_tokens`]) },
  }));
  return { card, above: above.sort((a, b) => a.inputTokens - b.inputTokens) };
}

/** The first of the suffixes that a price is listed with counts. */
function cardOf(entry: Entry, suffixes: readonly string[]): Card {
  const found = Object.entries(nameOf).flatMap(([key, name]) => {
    const price = suffixes.map((suffix) => amountOf(entry, `${name}${suffix}`)).find((one) => one !== undefined);
    return price ? [[key, timesDecimal(price, million)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** A search costs by its size there; only a price that is the same for all sizes is one here. */
function searchPriceOf(entry: Entry): Decimal | undefined {
  const listed = z.record(z.string(), z.number().min(0)).safeParse(entry['search_context_cost_per_query']);
  const prices = listed.success ? [...new Set(Object.values(listed.data))] : [];
  const [price = 0] = prices;
  return prices.length === 1 && price > 0 ? decimalOfNumber(price) : undefined;
}

/** Reasoning tokens are a part of the output here, and cost the same. */
function refusalOfReasoning(entry: Entry): string | undefined {
  const own = amountOf(entry, 'output_cost_per_reasoning_token');
  const all = amountOf(entry, nameOf.output_per_million);
  if (!own || !all || own.digits === 0n || compareDecimals(own, all) === 0) return undefined;
  return 'its reasoning tokens have a price of their own, which prices here do not have';
}

function capabilitiesOf(kind: Kind, entry: Entry): Capability[] {
  if (kind === 'image' || kind === 'video') return [kind];
  if (kind !== 'chat') return [];
  return [
    'chat',
    ...(entry['supports_vision'] === true ? (['vision'] as const) : []),
    ...(entry['supports_reasoning'] === true ? (['reasoning'] as const) : []),
    ...(entry['supports_function_calling'] === true ? (['tools'] as const) : []),
  ];
}

function amountOf(entry: Entry, key: string): Decimal | undefined {
  const value = entry[key];
  return typeof value === 'number' && value >= 0 ? decimalOfNumber(value) : undefined;
}
