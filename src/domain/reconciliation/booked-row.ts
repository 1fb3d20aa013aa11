/** What the ledger booked of a provider: a call or a task each, with what it cost the operator. */
import { type Decimal, parseDecimal } from '../exact-decimal.ts';
import type { Money } from '../money.ts';
import type { TokenSums } from './billed-row.ts';

export interface BookedRow {
  /** The request's or the task's id. */
  name: string;
  /** By all of which a vendor may name it: the request, the task, the answer or job. */
  ids: readonly string[];
  /** When it was admitted. */
  at: Date;
  /** As the provider calls it. */
  model: string | undefined;
  /** Undefined where it isn't charged by the token. */
  tokens: TokenSums | undefined;
  /** In the gateway's currency; undefined if nothing says what it cost. */
  cost: Money | undefined;
  /** As the provider or the route states it. */
  stated: { amount: string; currency: string } | undefined;
}

/** Returns what it cost in a currency, or undefined if that isn't known. */
export function costIn(currency: string, gatewayCurrency: string, { cost, stated }: BookedRow): Decimal | undefined {
  if (stated?.currency === currency) return parseDecimal(stated.amount);
  return currency === gatewayCurrency && cost !== undefined ? { digits: cost, scale: 6 } : undefined;
}
