/** What an entry sells: how many units of what, at which price. */
import type { EntryType } from '../../domain/billing/postings.ts';
import type { SoldUnit } from '../../domain/billing/line-units.ts';
import type { Money } from '../../domain/money.ts';

/**
 * Who counted what a call used: its provider; the gateway, because the provider did not say; or the gateway, because what
 * it is charged by is the gateway's to count (characters, seconds, the call itself).
 */
export type UsageSource = 'upstream' | 'estimated' | 'measured';

/** How many of what, at which price: what is held, given back unused, or sold. */
export interface EntrySale {
  /** Decimal digits with three decimals. */
  units: string;
  unit: 'image' | SoldUnit;
  unitPrice?: Money;
  /** Canonical JSON. */
  lines?: string;
  priceVersion: string;
  usageSource?: UsageSource;
}

/** Who served what is sold, what that cost the operator, and what the provider said of it; of captures and write-offs. */
export interface EntryOrigin {
  /** By its name in the settings. */
  provider?: string;
  cost?: Money;
  /** A JSON object as the text that is kept: see `vendorText`. */
  vendor?: string;
}

/** Returns what an entry of a settlement has of the origin: the cost is on the capture alone, so that sums count it once. */
export function originOn(type: EntryType, origin: EntryOrigin | undefined): { origin?: EntryOrigin } {
  if (!origin) return {};
  const { cost, ...served } = origin;
  return { origin: type === 'capture' && cost !== undefined ? { ...served, cost } : served };
}

/** What a release after a capture names: the units that were held and not used. */
export function unusedOf({ units, unit, unitPrice, priceVersion }: EntrySale, used: EntrySale): EntrySale {
  const left = thousandthsOf(units) - thousandthsOf(used.units);
  const unused = { units: thousandthsText(left > 0n ? left : 0n), unit, priceVersion };
  return unitPrice === undefined ? unused : { ...unused, unitPrice };
}

/** A count of thousandths with its three decimals, as the database prints it: 12400 is `12.400`. */
export function thousandthsText(thousandths: bigint): string {
  const digits = thousandths.toString().padStart(4, '0');
  return `${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

const thousandthsOf = (units: string): bigint => BigInt(units.replace('.', ''));
