/** What a task was admitted under: price, routes and deadlines, frozen, so that a changed configuration changes no running task. */
import * as z from 'zod';
import { modelKinds, type Model, type Price, providerKinds, type ProviderSettings } from './catalogue.ts';
import type { MicroYuan } from './money.ts';

const microsText = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform((digits) => BigInt(digits) as MicroYuan);

const priceSchema = z.discriminatedUnion('unit', [
  z.object({ unit: z.literal('image'), perImage: microsText }),
  z.object({ unit: z.literal('second'), perSecond: microsText }),
]);

const routeSchema = z.object({
  provider: z.string(),
  kind: z.enum(providerKinds),
  model: z.string(),
  options: z.record(z.string(), z.unknown()),
  /** To the first byte of the provider's answer. */
  timeoutMs: z.int(),
  /** Of the whole task, from its intent. */
  deadlineMs: z.int(),
});

export const termsSchema = z.object({
  modelKind: z.enum(modelKinds),
  price: priceSchema,
  priceVersion: z.string(),
  routes: z.array(routeSchema).min(1),
  /** A longer result is refused. */
  maxSeconds: z.number().nullable(),
  /** What the model maps `quality` to, if it does. */
  qualityScale: z.record(z.string(), z.number()).nullable(),
});

export type TaskTerms = z.output<typeof termsSchema>;
export type TaskRoute = TaskTerms['routes'][number];
export type TaskPrice = TaskTerms['price'];

/** The terms of a task on this model as it is configured now. Price and version are given apart: they are the tariff's. */
export function termsOf(
  model: Model,
  price: TaskPrice,
  priceVersion: string,
  maxSeconds: number | null,
  providers: ReadonlyMap<string, ProviderSettings>,
): TaskTerms {
  return {
    modelKind: model.kind,
    price,
    priceVersion,
    maxSeconds,
    qualityScale: model.qualityScale ?? null,
    routes: model.routes.map((route) => {
      const provider = providers.get(route.provider);
      if (!provider) throw new Error(`model ${model.id} names the provider ${route.provider}, which is not configured`);
      const { kind, deadlineMs } = provider;
      const timeoutMs = model.kind === 'image' ? (provider.imageTimeoutMs ?? provider.timeoutMs) : provider.timeoutMs;
      return { provider: provider.name, kind, model: route.model, options: route.options, timeoutMs, deadlineMs };
    }),
  };
}

/** The terms as JSON: amounts as decimal digits, since JSON numbers end at 2^53. */
export function termsJson(terms: TaskTerms): unknown {
  return { ...terms, price: priceJson(terms.price) };
}

/** A price as JSON, amounts as decimal digits. */
export const priceJson = (price: Price): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(price).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  );
