/** What a call or task costs the operator: by the card of the route that served it, or by what the provider states. */
import type { RouteCost } from '../catalogue.ts';
import { type Money, roundedHalfUp, amountText } from '../money.ts';
import { type Output, quoteOf } from './pricing.ts';
import { cardFor, type CardChoice } from './token-card.ts';
import { promptTokens, type TokenCounts } from './token-counts.ts';
import { tokensPrice } from './token-lines.ts';
import type { TaskRoute } from '../tasks/terms.ts';
import { statedCurrency, statedDollars } from './stated-cost.ts';
import type { VendorCost } from './vendor-text.ts';

/** A cost with how it came about: rounded half up, `cost` is the amount times the rate. */
export interface OperatorCost {
  /** In the gateway's currency. */
  cost: Money;
  vendor: VendorCost;
}

export interface CallUsage extends Omit<CardChoice, 'inputTokens'> {
  counts: TokenCounts;
  /** As it came; undefined where the counts are the gateway's own. */
  usage: object | undefined;
}

/**
 * Returns what a call cost: what its provider states in dollars, if that can be converted, or what the card makes of the
 * counts. Undefined where neither is there.
 */
export function costOfCall(
  route: RouteCost | undefined,
  { counts, usage, ...choice }: CallUsage,
): OperatorCost | undefined {
  if (!route) return undefined;
  const stated = route.currency === statedCurrency ? statedDollars(usage) : undefined;
  if (stated !== undefined) return converted(stated, route, 'vendor');
  if (route.card?.unit !== 'token') return undefined;
  const card = cardFor(route.card, { ...choice, inputTokens: promptTokens(counts) });
  return converted(amountText(tokensPrice(card, counts).total), route, 'route');
}

/** Returns what a task's output cost by the card that its route had at the admission; undefined without one. */
export function costOfTask(cost: TaskRoute['cost'], output: Output): OperatorCost | undefined {
  return cost && converted(amountText(quoteOf(cost.price, output).amount), cost, 'route');
}

function converted(
  amount: string,
  { currency, rate }: { currency: string; rate?: string | undefined },
  source: VendorCost['source'],
): OperatorCost {
  const vendor = { amount, currency, ...(rate !== undefined && { rate }), source };
  return { cost: inGatewayCurrency(vendor), vendor };
}

/** Returns amount times rate in micro-units, rounded half up once. Both are decimal digits from 0. */
export function inGatewayCurrency({
  amount,
  rate = '1',
}: Pick<VendorCost, 'amount'> & { rate?: string | undefined }): Money {
  const [one, other] = [fractionOf(amount), fractionOf(rate)];
  return roundedHalfUp(one.digits * other.digits * 1_000_000n, 10n ** BigInt(one.decimals + other.decimals));
}

function fractionOf(text: string): { digits: bigint; decimals: number } {
  const [whole = '', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), decimals: fraction.length };
}
