/** What a task was admitted under: price, routes and deadlines, frozen, so that a changed configuration changes no running task. */
import * as z from 'zod';
import { modelKinds, type Model, type Price, type ProviderSettings, type RouteCost } from '../catalogue.ts';
import { type Money, zero } from '../money.ts';

const microsText = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform((digits) => BigInt(digits) as Money);

// Rows written before there were minimum charges and variants lack them.
const minimum = microsText.default(zero);
const priceSchema = z.discriminatedUnion('unit', [
  /** The price of the very image that was asked for. */
  z.object({ unit: z.literal('image'), perImage: microsText, minimum }),
  /** The finished video decides which of these it costs, so all are kept. */
  z.object({
    unit: z.literal('second'),
    perSecond: microsText,
    byResolution: z.record(z.string(), microsText).default({}),
    minimum,
  }),
]);

const routeSchema = z.object({
  provider: z.string(),
  kind: z.string(),
  model: z.string(),
  options: z.record(z.string(), z.unknown()),
  fields: z.record(z.string(), z.string().nullable()).default({}),
  /** To the first byte of the provider's answer. */
  timeoutMs: z.int(),
  /** Of the whole task, from its intent. */
  deadlineMs: z.int(),
  /** How long a provider that is too busy is asked again, from the first create on; not at all without. */
  rateLimitPatienceMs: z.int().optional(),
  /** The pause between polls, where the provider's settings name one. */
  pollIntervalMs: z.int().optional(),
  /** What the provider charges the operator for it, in that currency; `rate` is of the gateway's a unit. */
  cost: z.object({ price: priceSchema, currency: z.string(), rate: z.string().optional() }).optional(),
});

export const termsSchema = z.object({
  modelKind: z.enum(modelKinds),
  price: priceSchema,
  priceVersion: z.string(),
  routes: z.array(routeSchema).min(1),
  /** A longer result is refused. */
  maxSeconds: z.number().nullable(),
  /** Of a plain video: the length that was asked for. Rows from before there was a bound on charges lack this and the next. */
  askedSeconds: z.number().optional(),
  /** How many times its hold a charge may be. */
  overrunFactor: z.number().optional(),
  /** What the model maps `quality` to, if it does. */
  qualityScale: z.record(z.string(), z.number()).nullable(),
  /** The span of the request in its trace, so that the process that starts the task continues below it; only of a gateway that traces. */
  traceparent: z.string().optional(),
});

export type TaskTerms = z.output<typeof termsSchema>;
export type TaskRoute = TaskTerms['routes'][number];
export type TaskPrice = TaskTerms['price'];

/**
 * The terms of a task on this model as it is configured now. Prices, version and lengths are those of this request;
 * `agreed` is its part of a price.
 */
export function termsOf(
  model: Model,
  agreed: (price: Price) => TaskPrice,
  priceVersion: string,
  { maxSeconds, askedSeconds }: { maxSeconds: number | null; askedSeconds?: number | undefined },
  providers: ReadonlyMap<string, ProviderSettings>,
): TaskTerms {
  return {
    modelKind: model.kind,
    price: agreed(model.price),
    priceVersion,
    maxSeconds,
    ...(askedSeconds !== undefined && { askedSeconds }),
    overrunFactor: model.overrunFactor,
    qualityScale: model.qualityScale ?? null,
    routes: model.routes.map((route) => {
      const provider = providers.get(route.provider);
      if (!provider) throw new Error(`model ${model.id} names the provider ${route.provider}, which is not configured`);
      const { kind, deadlineMs, rateLimitPatienceMs, pollIntervalMs } = provider;
      const timeoutMs = model.kind === 'image' ? (provider.imageTimeoutMs ?? provider.timeoutMs) : provider.timeoutMs;
      const { model: name, options, fields, cost } = route;
      return {
        ...{ provider: provider.name, kind, model: name, options, fields, timeoutMs, deadlineMs },
        ...(rateLimitPatienceMs !== undefined && { rateLimitPatienceMs }),
        ...(pollIntervalMs !== undefined && { pollIntervalMs }),
        ...(cost?.card && { cost: frozenCost(cost, agreed(cost.card)) }),
      };
    }),
  };
}

const frozenCost = ({ currency, rate }: RouteCost, price: TaskPrice) => ({
  ...{ price, currency },
  ...(rate !== undefined && { rate }),
});

/** The terms as JSON: amounts as decimal digits, since JSON numbers end at 2^53. */
export function termsJson(terms: TaskTerms): unknown {
  const routes = terms.routes.map(({ cost, ...route }) =>
    cost ? { ...route, cost: { ...cost, price: priceJson(cost.price) } } : route,
  );
  return { ...terms, price: priceJson(terms.price), routes };
}

/** A price as JSON, amounts as decimal digits. */
export const priceJson = (price: Price | TaskPrice): Record<string, unknown> => withDigits(price);

const withDigits = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, part]) => [name, digitsOf(part)]));

function digitsOf(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'object' && value !== null ? withDigits(value) : value;
}
