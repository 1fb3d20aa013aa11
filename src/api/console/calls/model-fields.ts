/** A model, its health and its switches as the console's calls tell them. */
import * as z from 'zod';
import { capabilityLabels, type Capability, type Model, modelKinds } from '../../../domain/catalogue.ts';
import { tokenPriceFields } from '../../presenters/token-prices.ts';
import type { Health } from '../../health/health-rules.ts';

export const healthFields = z.strictObject({
  available: z.boolean(),
  /** The median of its last calls or tasks; null without any. */
  latency_ms: z.number().nullable(),
  /** Unix seconds; null: never. */
  last_checked: z.int().nullable(),
});

/** Null while nothing is known, as of a model that is not published. */
export const healthObject = (
  health: Health | undefined,
  { published, maintenance }: Pick<Model, 'published' | 'maintenance'>,
): z.input<typeof healthFields> | null =>
  health && published
    ? {
        available: health.available && !maintenance,
        latency_ms: health.latencyMs === 0 ? null : health.latencyMs,
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

const source = z.enum(['file', 'switch']);
export const modelSwitch = z.strictObject({
  object: z.literal('model_switch'),
  model: z.string(),
  published: z.boolean().nullable(),
  maintenance: z.boolean().nullable(),
  set_by: z.string().nullable(),
  set_by_email: z.string().nullable(),
  set_at: z.int().nullable(),
  is_in_file: z.boolean(),
});

export const model = z.strictObject({
  object: z.literal('model'),
  id: z.string(),
  kind: z.enum(modelKinds),
  owned_by: z.string(),
  created: z.int(),
  capabilities: z.array(z.strictObject({ id: z.enum(capabilities), label: z.string() })),
  price,
  limits: z.strictObject({
    prompt_characters: z.int().nullable(),
    max_seconds: z.number().nullable(),
    max_output_tokens: z.int().nullable(),
    durations: z.array(z.int()).nullable(),
    ratios: z.array(z.string()).nullable(),
    sizes: z.array(z.string()).nullable(),
    resolutions: z.array(z.string()).nullable(),
    references: z.int().nullable(),
  }),
  health: healthFields.nullable(),
  published: z.boolean(),
  published_source: source,
  maintenance: z.boolean(),
  maintenance_source: source,
  /** For operators only. */
  operation: z
    .strictObject({
      routes: z.array(z.strictObject({ provider: z.string(), model: z.string() })),
      file: z.strictObject({ published: z.boolean(), maintenance: z.boolean() }),
      switch: modelSwitch.nullable(),
    })
    .nullable(),
});
