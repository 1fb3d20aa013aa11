/** The price of a model's calls, with all its cards: what is not said of one is null. */
import * as z from 'zod';
import { type DailyHours, timeOfDayText } from '../../domain/billing/daily-hours.ts';
import type { RatesByLength, TokenPrice, TokenRates } from '../../domain/billing/token-card.ts';
import { type Money, toAmount } from '../../domain/money.ts';

const money = z.number();
const rate = money.nullable();
const ratesFields = {
  input_per_million: rate,
  output_per_million: rate,
  cached_input_per_million: rate,
  cache_write_per_million: rate,
  cache_write_1h_per_million: rate,
  audio_input_per_million: rate,
  audio_output_per_million: rate,
  image_input_per_million: rate,
  image_output_per_million: rate,
  per_call: rate,
  per_tool_call: z.array(z.strictObject({ name: z.string(), price: money })).nullable(),
  minimum: rate,
};
const byLengthFields = {
  ...ratesFields,
  above: z.array(z.strictObject({ input_tokens: z.int(), ...ratesFields })).nullable(),
};
export const tokenPriceFields = z.strictObject({
  unit: z.literal('token'),
  ...byLengthFields,
  per_million_characters: rate,
  per_second: rate,
  per_search: rate,
  service_tiers: z.array(z.strictObject({ name: z.string(), ...byLengthFields })).nullable(),
  batch: z.strictObject(byLengthFields).nullable(),
  hours: z
    .array(z.strictObject({ from: z.string(), to: z.string(), time_zone: z.string(), ...byLengthFields }))
    .nullable(),
});

export const tokenPriceObject = (price: TokenPrice): z.input<typeof tokenPriceFields> => ({
  unit: price.unit,
  ...byLengthObject(price),
  per_million_characters: amountOrNull(price.perMillionCharacters),
  per_second: amountOrNull(price.perSecond),
  per_search: amountOrNull(price.perSearch),
  service_tiers: price.serviceTiers
    ? Object.entries(price.serviceTiers).map(([name, rates]) => ({ name, ...byLengthObject(rates) }))
    : null,
  batch: price.batch ? byLengthObject(price.batch) : null,
  hours: price.hours ? price.hours.map((hours) => ({ ...hoursObject(hours), ...byLengthObject(hours) })) : null,
});

const hoursObject = ({ from, to, timeZone }: DailyHours) => ({
  from: timeOfDayText(from),
  to: timeOfDayText(to),
  time_zone: timeZone,
});

const byLengthObject = (rates: RatesByLength) => ({
  ...ratesObject(rates),
  above: rates.above
    ? rates.above.map(({ inputTokens, ...long }) => ({ input_tokens: inputTokens, ...ratesObject(long) }))
    : null,
});

const ratesObject = (rates: TokenRates) => ({
  input_per_million: amountOrNull(rates.inputPerMillion),
  output_per_million: amountOrNull(rates.outputPerMillion),
  cached_input_per_million: amountOrNull(rates.cachedInputPerMillion),
  cache_write_per_million: amountOrNull(rates.cacheWritePerMillion),
  cache_write_1h_per_million: amountOrNull(rates.cacheWrite1hPerMillion),
  audio_input_per_million: amountOrNull(rates.audioInputPerMillion),
  audio_output_per_million: amountOrNull(rates.audioOutputPerMillion),
  image_input_per_million: amountOrNull(rates.imageInputPerMillion),
  image_output_per_million: amountOrNull(rates.imageOutputPerMillion),
  per_call: amountOrNull(rates.perCall),
  per_tool_call: rates.perToolCall
    ? Object.entries(rates.perToolCall).map(([name, price]) => ({ name, price: toAmount(price) }))
    : null,
  minimum: amountOrNull(rates.minimum),
});

const amountOrNull = (amount: Money | undefined): number | null => (amount === undefined ? null : toAmount(amount));
