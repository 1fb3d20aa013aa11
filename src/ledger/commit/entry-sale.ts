/** What an entry sells: how many units of what, at which price. */
import type { MicroYuan } from '../../domain/money.ts';

/** How many of what, at which price: what is held, given back unused, or sold. */
export interface EntrySale {
  /** Decimal digits with three decimals. */
  units: string;
  unit: 'image' | 'second' | 'token';
  unitPrice?: MicroYuan;
  /** Canonical JSON. */
  lines?: string;
  priceVersion: string;
  usageSource?: 'upstream' | 'estimated';
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
