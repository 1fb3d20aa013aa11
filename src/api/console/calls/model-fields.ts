/** A model, its health and its switches as the console's calls tell them. */
import * as z from 'zod';
import { capabilityLabels, type Capability, type Model, modelKinds } from '../../../domain/catalogue.ts';
import { maintenanceAt } from '../../../domain/maintenance.ts';
import { capabilityObjects, limitsObject, maintenanceFacts, priceObject } from '../../presenters/models.ts';
import { tokenPriceFields } from '../../presenters/token-prices.ts';
import type { Health } from '../../health/health-rules.ts';
import { type OutcomeTally, stateOf, successRate, type Traffic } from '../../health/traffic-rules.ts';

const count = z.int();
export const tally = z.strictObject({
  succeeded: count,
  faults: z.array(z.strictObject({ code: z.string(), count })),
  success_rate: z.number().nullable().describe('From 0 to 1; null without any outcome.'),
});
export const trafficFields = { last_hour: tally, last_day: tally };
export const healthState = z.enum(['available', 'degraded', 'unavailable']);

/** What calls or tasks came to, with its rate of success. */
export const tallyObject = (of: OutcomeTally): z.input<typeof tally> => ({
  succeeded: of.succeeded,
  faults: of.faults.toSorted((a, b) => b.count - a.count),
  success_rate: successRate(of),
});

export const trafficObject = ({ lastHour, lastDay }: Pick<Traffic, 'lastHour' | 'lastDay'>) => ({
  last_hour: tallyObject(lastHour),
  last_day: tallyObject(lastDay),
});

export const healthFields = z.strictObject({
  available: z.boolean(),
  state: healthState,
  ...trafficFields,
  latency_ms: z.number().nullable().describe('The median of whole calls or tasks of the last day; null without any.'),
  /** Unix seconds; null: never. */
  last_checked: z.int().nullable(),
});

/** Null while nothing is known, as of a model that is not published. */
export const healthObject = (
  health: Health | undefined,
  traffic: Traffic,
  { published, maintenance }: { published: boolean; maintenance: boolean },
): z.input<typeof healthFields> | null =>
  health && published
    ? {
        available: health.available && !maintenance,
        state: stateOf(health.available && !maintenance, traffic.lastHour),
        ...trafficObject(traffic),
        latency_ms: traffic.medianMs,
        last_checked: health.lastChecked === 0 ? null : Math.floor(health.lastChecked / 1000),
      }
    : null;

const money = z.number();
const capabilities = Object.keys(capabilityLabels) as Capability[];
const byName = z.array(z.strictObject({ name: z.string(), price: money })).nullable();
const minimum = money.nullable();
const price = z.discriminatedUnion('unit', [
  tokenPriceFields,
  z.strictObject({ unit: z.literal('image'), per_image: money, by_quality: byName, by_size: byName, minimum }),
  z.strictObject({ unit: z.literal('second'), per_second: money, by_resolution: byName, minimum }),
]);

export const maintenanceFields = {
  maintenance: z.boolean(),
  maintenance_note: z.string().nullable(),
  /** Unix seconds. */
  maintenance_until: z.int().nullable(),
};

export const modelSwitch = z.strictObject({
  object: z.literal('model_switch'),
  model: z.string(),
  published: z.boolean().nullable(),
  ...maintenanceFields,
  maintenance: z.boolean().nullable(),
  set_by: z.string().nullable(),
  set_by_email: z.string().nullable(),
  set_at: z.int().nullable(),
  is_in_file: z.boolean(),
});

export const modelFields = {
  id: z.string(),
  kind: z.enum(modelKinds),
  owned_by: z.string(),
  created: z.int(),
  capabilities: z.array(z.strictObject({ id: z.enum(capabilities), label: z.string() })),
  price,
  limits: z.strictObject({
    prompt_characters: z.int().nullable(),
    max_seconds: z.number().nullable(),
    context_tokens: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    durations: z.array(z.int()).nullable(),
    ratios: z.array(z.string()).nullable(),
    sizes: z.array(z.string()).nullable(),
    resolutions: z.array(z.string()).nullable(),
    references: z.int().nullable(),
  }),
  health: healthFields.nullable(),
  published: z.boolean(),
  ...maintenanceFields,
};

export const model = z.strictObject({ object: z.literal('model'), ...modelFields });

/** A model as it is in force, but for the kind of object. */
export function modelObject(of: Model, known: { health: Health | undefined; traffic: Traffic; now: Date }) {
  const { id, kind, ownedBy, created, published } = of;
  const inForce = maintenanceFacts(maintenanceAt(of.maintenance, known.now));
  return {
    ...{ id, kind, owned_by: ownedBy, created },
    capabilities: capabilityObjects(of),
    price: priceObject(of.price),
    limits: limitsObject(of.limits),
    health: healthObject(known.health, known.traffic, { published, maintenance: inForce.maintenance }),
    published,
    ...inForce,
  };
}

/** A list that is never in pages. */
export const listed = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.literal(false),
    next_cursor: z.null(),
  });
export const whole = <T>(data: T[]) => ({
  object: 'list' as const,
  data,
  has_more: false as const,
  next_cursor: null,
});
