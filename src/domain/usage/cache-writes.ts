/** What was written to caches, by how long they keep it. */
import { isObject } from '../json/json-object.ts';
import { countIn, countOf, type Odd } from './usage-fields.ts';

export interface CacheWrites {
  cacheWrite5m: number;
  cacheWrite1h: number;
}

/**
 * Reads the whole count, the first of `totals` that is there, and its split. Without a split all is for five minutes,
 * without a whole count the split is all; a split that is more than the whole is odd.
 */
export function cacheWritesIn(totals: readonly unknown[], split: unknown, odd: Odd): CacheWrites {
  const total = countIn(totals, odd);
  if (!isObject(split)) return { cacheWrite5m: total ?? 0, cacheWrite1h: 0 };
  const cacheWrite5m = countOf(split['ephemeral_5m_input_tokens'], odd) ?? 0;
  const cacheWrite1h = countOf(split['ephemeral_1h_input_tokens'], odd) ?? 0;
  const rest = (total ?? cacheWrite5m + cacheWrite1h) - cacheWrite5m - cacheWrite1h;
  if (rest < 0) odd.add('parts_differ');
  return { cacheWrite5m: cacheWrite5m + Math.max(0, rest), cacheWrite1h };
}
