/** What providers state in their usage that a call cost: OpenRouter in credits, which are dollars, and xAI in ticks. */
import { z } from 'zod';

/** Of all amounts that are stated. */
export const statedCurrency = 'USD';

/** 10,000,000,000 ticks are a dollar. */
const tickDecimals = 10;
/** A call that is said to cost more is misread: other providers have fields of these names, too. */
const dollarsMax = 100_000;

const amount = z.number().min(0).max(dollarsMax);
const ticks = z.object({
  cost_in_usd_ticks: z
    .int()
    .min(0)
    .max(dollarsMax * 10 ** tickDecimals),
});
const credits = z.object({ cost: amount });
/** With the operator's own key at the provider behind, `cost` is OpenRouter's fee alone. */
const ownKey = z.object({ is_byok: z.literal(true), cost_details: z.object({ upstream_inference_cost: amount }) });

/** Returns the dollars in decimal digits; undefined where a usage states nothing that can be read. */
export function statedDollars(usage: object | undefined): string | undefined {
  const inTicks = ticks.safeParse(usage);
  if (inTicks.success) return ticksText(inTicks.data.cost_in_usd_ticks);
  const inCredits = credits.safeParse(usage);
  if (!inCredits.success) return undefined;
  const behind = ownKey.safeParse(usage);
  const fee = ticksOf(inCredits.data.cost);
  return ticksText(behind.success ? fee + ticksOf(behind.data.cost_details.upstream_inference_cost) : fee);
}

/** A double holds an amount up to the bound exactly to the tick. */
const ticksOf = (dollars: number): number => Math.round(dollars * 10 ** tickDecimals);

function ticksText(count: number): string {
  const digits = String(count).padStart(tickDecimals + 1, '0');
  const fraction = digits.slice(-tickDecimals).replace(/0+$/, '');
  return `${digits.slice(0, -tickDecimals)}${fraction === '' ? '' : `.${fraction}`}`;
}
