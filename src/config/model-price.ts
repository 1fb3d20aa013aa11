/** A price of `tollgate.yaml` in the catalogue's terms. */
import { callModelKinds, type ModelKind, type Price } from '../domain/catalogue.ts';
import { parseTimeOfDay } from '../domain/billing/daily-hours.ts';
import type { RatesByLength, TokenPrice, TokenRates } from '../domain/billing/token-card.ts';
import { present } from './setting-errors.ts';
import type { WrittenPrice } from './yaml-schema.ts';

/** Returns the price; the rules of `price-rules.ts` have seen to it that it fits the kind of its model. */
export function priceOf(price: WrittenPrice, kind: ModelKind): Price {
  const { minimum } = price;
  if (callModelKinds.some((known) => known === kind)) return callPriceOf(price);
  if (price.per_image !== undefined) {
    const byQuality = price.by_quality && present(price.by_quality);
    return present({ unit: 'image' as const, perImage: price.per_image, byQuality, bySize: price.by_size, minimum });
  }
  if (price.per_second !== undefined) {
    const { per_second: perSecond, by_resolution: byResolution } = price;
    return present({ unit: 'second' as const, perSecond, byResolution, minimum });
  }
  throw new Error('a model has no price');
}

function callPriceOf(price: WrittenPrice): TokenPrice {
  const tiers = price.service_tiers;
  return present({
    ...ratesByLengthOf(price),
    unit: 'token' as const,
    perMillionCharacters: price.per_million_characters,
    perSecond: price.per_second,
    perSearch: price.per_search,
    serviceTiers:
      tiers && Object.fromEntries(Object.entries(tiers).map(([name, rates]) => [name, ratesByLengthOf(rates)])),
    batch: price.batch && ratesByLengthOf(price.batch),
    hours: price.hours?.map(({ from, to, time_zone: timeZone, ...rates }) => ({
      ...{ from: minuteOf(from), to: minuteOf(to), timeZone },
      ...ratesByLengthOf(rates),
    })),
  });
}

type WrittenRates = Omit<NonNullable<WrittenPrice['above']>[number], 'input_tokens'>;

function ratesByLengthOf({ above, ...rates }: WrittenRates & Pick<WrittenPrice, 'above'>): RatesByLength {
  const byLength = above
    ?.map(({ input_tokens: inputTokens, ...long }) => ({ inputTokens, ...ratesOf(long) }))
    .sort((a, b) => a.inputTokens - b.inputTokens);
  return present({ ...ratesOf(rates), above: byLength });
}

const ratesOf = (rates: WrittenRates): TokenRates =>
  present({
    inputPerMillion: rates.input_per_million,
    outputPerMillion: rates.output_per_million,
    cachedInputPerMillion: rates.cached_input_per_million,
    cacheWritePerMillion: rates.cache_write_per_million,
    cacheWrite1hPerMillion: rates.cache_write_1h_per_million,
    audioInputPerMillion: rates.audio_input_per_million,
    audioOutputPerMillion: rates.audio_output_per_million,
    imageInputPerMillion: rates.image_input_per_million,
    imageOutputPerMillion: rates.image_output_per_million,
    perCall: rates.per_call,
    perToolCall: rates.per_tool_call,
    minimum: rates.minimum,
  });

function minuteOf(text: string): number {
  const minute = parseTimeOfDay(text);
  if (minute === undefined) throw new RangeError(`${text} is no time of a day`);
  return minute;
}
