/** The price list of models.dev: vendors by their ids, each with its models by theirs; dollars for a million tokens. */
import { z } from 'zod';
import type { Capability } from '../catalogue.ts';
import { compareDecimals, decimalOfNumber } from '../exact-decimal.ts';
import {
  type Card,
  type CardAbove,
  type CardKey,
  firstTokensAbove,
  type ListedModel,
  refusalOfCard,
  refusalOfReadingCard,
  type SkippedModel,
  withoutFreeOutput,
} from './listed-model.ts';

const amount = z.number().min(0);
const rates = z.object({
  input: amount.optional(),
  output: amount.optional(),
  reasoning: amount.optional(),
  cache_read: amount.optional(),
  cache_write: amount.optional(),
  input_audio: amount.optional(),
  output_audio: amount.optional(),
});
type Rates = z.output<typeof rates>;

const tier = rates.extend({ tier: z.object({ type: z.string().optional(), size: z.int().min(0) }) });
const modelSchema = z.object({
  family: z.string().optional(),
  reasoning: z.boolean().optional(),
  tool_call: z.union([z.boolean(), z.object({ supported: z.boolean() })]).optional(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
  limit: z.object({ output: z.number().optional() }).optional(),
  status: z.string().optional(),
  cost: rates.extend({ tiers: z.array(tier).optional(), context_over_200k: rates.optional() }).optional(),
});
const vendorSchema = z.object({ models: z.record(z.string(), z.unknown()) });

const keyOf: Readonly<Partial<Record<keyof Rates, CardKey>>> = {
  input: 'input_per_million',
  output: 'output_per_million',
  cache_read: 'cached_input_per_million',
  cache_write: 'cache_write_per_million',
  input_audio: 'audio_input_per_million',
  output_audio: 'audio_output_per_million',
};

/** Whether a parsed file looks like this list: a vendor has `models`. */
export const isModelsDev = (value: Record<string, unknown>): boolean =>
  Object.values(value).some((vendor) => vendorSchema.safeParse(vendor).success);

/** Returns every model of the list, or why it is left out. */
export function modelsOfModelsDev(value: Record<string, unknown>): (ListedModel | SkippedModel)[] {
  return Object.entries(value).flatMap(([vendor, entry]) => {
    const parsed = vendorSchema.safeParse(entry);
    return parsed.success ? Object.entries(parsed.data.models).map(([id, model]) => modelOf(vendor, id, model)) : [];
  });
}

function modelOf(vendor: string, id: string, entry: unknown): ListedModel | SkippedModel {
  const skip = (reason: string): SkippedModel => ({ vendor, id, reason });
  const parsed = modelSchema.safeParse(entry);
  if (!parsed.success) return skip(`its entry can't be read at ${parsed.error.issues[0]?.path.join('.') ?? 'its top'}`);
  const { cost, family, modalities = { input: ['text'], output: ['text'] }, limit, status } = parsed.data;
  if (!modalities.output.includes('text'))
    return skip('only models that answer with text can be imported of this list');
  if (cost === undefined) return skip('the list has no price of it');
  const isDeprecated = status === 'deprecated';
  const kind = readingKindOf(id, family);
  if (kind !== undefined) {
    const card = withoutFreeOutput(cardOf(cost));
    const refusal = refusalOfReadingCard(card);
    if (refusal !== undefined) return skip(refusal);
    const price = { unit: 'token', card, above: [], serviceTiers: {}, perToolCall: {} } as const;
    return { vendor, id, kind, capabilities: [], price, isDeprecated };
  }
  const card = cardOf(cost);
  const refusal = refusalOfCard(card) ?? refusalOfReasoning(cost);
  if (refusal !== undefined) return skip(refusal);
  const otherTier = cost.tiers?.find(({ tier: { type = 'context' } }) => type !== 'context');
  if (otherTier) return skip(`its price depends on ${otherTier.tier.type ?? 'something'}, which prices here don't`);
  return {
    vendor,
    id,
    kind: 'chat',
    capabilities: capabilitiesOf(parsed.data, modalities.input),
    ...(limit?.output !== undefined && limit.output >= 1 && { maxOutputTokens: Math.floor(limit.output) }),
    price: { unit: 'token', card, above: aboveOf(vendor, card, cost), serviceTiers: {}, perToolCall: {} },
    isDeprecated,
  };
}

/** The list says that such models answer with text; only their family or name shows that they are none of chat. */
function readingKindOf(id: string, family = ''): 'embedding' | 'rerank' | undefined {
  const names = `${family} ${id}`;
  if (/rerank/i.test(names)) return 'rerank';
  return /embed/i.test(names) ? 'embedding' : undefined;
}

function capabilitiesOf(
  { tool_call: tools, reasoning }: z.output<typeof modelSchema>,
  inputs: readonly string[],
): Capability[] {
  const hasTools = typeof tools === 'object' ? tools.supported : tools === true;
  return [
    'chat',
    ...(inputs.includes('image') ? (['vision'] as const) : []),
    ...(reasoning === true ? (['reasoning'] as const) : []),
    ...(hasTools ? (['tools'] as const) : []),
  ];
}

/** The older `context_over_200k` repeats the one tier that there is, so it counts only without `tiers`. */
function aboveOf(
  vendor: string,
  base: Card,
  { tiers, context_over_200k: over }: NonNullable<z.output<typeof modelSchema>['cost']>,
): CardAbove[] {
  const listed =
    tiers?.map((one) => ({ size: one.tier.size, rates: one })) ?? (over ? [{ size: 200_000, rates: over }] : []);
  return listed
    .map(({ size, rates }) => ({ inputTokens: firstTokensAbove(vendor, size), card: { ...base, ...cardOf(rates) } }))
    .sort((a, b) => a.inputTokens - b.inputTokens);
}

function cardOf(listed: Rates): Card {
  const card: Partial<Record<CardKey, Card[CardKey]>> = {};
  for (const [name, key] of Object.entries(keyOf)) {
    const value = listed[name as keyof Rates];
    const price = value === undefined ? undefined : decimalOfNumber(value);
    if (price) card[key] = price;
  }
  return card as Card;
}

/** Reasoning tokens are a part of the output here, and cost the same. */
function refusalOfReasoning({ reasoning = 0, output = 0 }: Rates): string | undefined {
  const [own, all] = [decimalOfNumber(reasoning), decimalOfNumber(output)];
  if (reasoning === 0 || (own && all && compareDecimals(own, all) === 0)) return undefined;
  return 'its reasoning tokens have a price of their own, which prices here do not have';
}
