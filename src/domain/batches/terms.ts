/**
 * What a batch was accepted under: of each model the price and the bounds, frozen, so that a changed configuration changes
 * no batch under way. Routes are not frozen: a batch may last for a week, and a line goes where the model is served then.
 */
import * as z from 'zod';
import { imageQualities, type Model, modelKinds, type Price } from '../catalogue.ts';
import { type Money } from '../money.ts';
import { unpricedNames } from '../unpriced-names.ts';

/** What is frozen of one model. */
export type ModelTerms = Pick<Model, 'kind' | 'price' | 'limits' | 'allow' | 'overrunFactor'> & {
  priceVersion: string;
};

/** By the model's id. */
export type BatchTerms = ReadonlyMap<string, ModelTerms>;

/** The terms of these models as they are configured now. */
export function batchTermsOf(models: Iterable<Model>, priceVersionOf: (price: Price) => string): BatchTerms {
  return new Map(
    Array.from(models, ({ id, kind, price, limits, allow, overrunFactor }) => [
      id,
      { kind, price, limits, allow, overrunFactor, priceVersion: priceVersionOf(price) },
    ]),
  );
}

/** A model as a batch's lines meet it: routes and the rest as configured now, price and bounds as they were frozen. */
export const modelUnder = (model: Model, { kind, price, limits, allow, overrunFactor }: ModelTerms): Model => ({
  ...{ ...model, kind, price, limits, allow, overrunFactor },
});

/** The terms as JSON: amounts as decimal digits, since JSON numbers end at 2^53. */
export const batchTermsJson = (terms: BatchTerms): unknown => withDigits(Object.fromEntries(terms));

/** Reads what `batchTermsJson` wrote; throws a ZodError at anything else. */
export const parseBatchTerms = (json: unknown): BatchTerms => new Map(Object.entries(termsSchema.parse(json)));

function withDigits(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(withDigits);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withDigits(part)]));
}

const amount = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform((digits) => BigInt(digits) as Money);
const rate = amount.exactOptional();
const pricesByName = z.record(z.string(), amount).exactOptional();

const rates = {
  inputPerMillion: rate,
  outputPerMillion: rate,
  cachedInputPerMillion: rate,
  cacheWritePerMillion: rate,
  cacheWrite1hPerMillion: rate,
  audioInputPerMillion: rate,
  audioOutputPerMillion: rate,
  imageInputPerMillion: rate,
  imageOutputPerMillion: rate,
  perMillionCharacters: rate,
  perSecond: rate,
  perSearch: rate,
  perCall: rate,
  perToolCall: pricesByName,
  minimum: rate,
};
const above = z.array(z.object({ ...rates, inputTokens: z.int() })).exactOptional();
const ratesByLength = z.object({ ...rates, above });

const priceSchema = z.discriminatedUnion('unit', [
  z.object({
    unit: z.literal('image'),
    perImage: amount,
    byQuality: z.partialRecord(z.enum(imageQualities), amount).exactOptional(),
    bySize: pricesByName,
    minimum: rate,
  }),
  z.object({ unit: z.literal('second'), perSecond: amount, byResolution: pricesByName, minimum: rate }),
  z.object({
    unit: z.literal('token'),
    ...ratesByLength.shape,
    serviceTiers: z.record(z.string(), ratesByLength).exactOptional(),
    batch: ratesByLength.exactOptional(),
    hours: z
      .array(z.object({ ...ratesByLength.shape, from: z.int(), to: z.int(), timeZone: z.string() }))
      .exactOptional(),
  }),
]);

const count = z.number().exactOptional();
const counts = z.array(z.number()).exactOptional();
const names = z.array(z.string()).exactOptional();
const limitsSchema = z.object({
  promptCharacters: count,
  maxSeconds: count,
  maxOutputTokens: count,
  durations: counts,
  ratios: names,
  sizes: names,
  references: count,
  mask: z.boolean().exactOptional(),
  variations: z.boolean().exactOptional(),
  resolutions: names,
});

const termsSchema = z.record(
  z.string(),
  z.object({
    kind: z.enum(modelKinds),
    price: priceSchema,
    limits: limitsSchema,
    allow: z.array(z.enum(unpricedNames)),
    overrunFactor: z.number(),
    priceVersion: z.string(),
  }),
);
