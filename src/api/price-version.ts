/** The version by which prices differ on ledger entries. */
import type { Price } from '../domain/catalogue.ts';
import { priceJson } from '../domain/tasks/terms.ts';
import { fingerprintOf } from './idempotency-key.ts';

const versions = new WeakMap<Price, string>();

/** Twelve hex digits of the price's fingerprint; worked out once for each. */
export function priceVersionOf(price: Price): string {
  const version = versions.get(price) ?? fingerprintOf(priceJson(price)).toString('hex').slice(0, 12);
  versions.set(price, version);
  return version;
}
