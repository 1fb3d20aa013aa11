/** What an answer used that its price says nothing of: it is charged as if it were free, so an operator has to learn of it. */
import { type TokenCard, type TokenPrice, tiersOf } from './token-card.ts';

/** Tiers by other names for what a request gets that asks for none. */
const ordinaryTiers: readonly string[] = ['default', 'standard', 'auto', 'on_demand'];

export type UnpricedUse = 'unpriced_tier' | 'unpriced_tool';

/** Returns what of an answer's tier and tools has no price. */
export function unpricedIn(
  price: TokenPrice,
  { perToolCall }: TokenCard,
  { tier, toolCalls }: { tier: string | undefined; toolCalls: Readonly<Record<string, number>> },
): UnpricedUse[] {
  const unpriced: UnpricedUse[] = [];
  if (tier !== undefined && !ordinaryTiers.includes(tier) && !tiersOf(price).includes(tier))
    unpriced.push('unpriced_tier');
  for (const name in toolCalls) {
    if (Object.hasOwn(perToolCall, name)) continue;
    unpriced.push('unpriced_tool');
    break;
  }
  return unpriced;
}
