/** What a vendor bills, row by row, whichever file it came from. */
import type { Decimal } from '../exact-decimal.ts';

/** Tokens as vendors bill them: the whole prompt with its caches, the parts of it that caches read and wrote, the answer. */
export interface TokenSums {
  input: number;
  cachedInput: number;
  cacheWrite: number;
  output: number;
}
export type TokenName = keyof TokenSums;
export const tokenNames = ['input', 'cachedInput', 'cacheWrite', 'output'] as const satisfies readonly TokenName[];

export interface BilledRow {
  /** Where it stands in the file, such as `row 12`. */
  place: string;
  at: Date;
  /** Of one call or job; undefined where the row sums several. */
  id?: string;
  /** As the vendor calls it. */
  model?: string;
  /** Which of the operator's keys at the vendor. */
  key?: string;
  /** How many calls it sums; undefined where the file doesn't say. */
  calls?: number;
  /** Only what the file says. */
  tokens: Partial<TokenSums>;
  cost?: Decimal;
}

export interface BilledExport {
  /** Which form the file has, such as `OpenAI costs`. */
  form: string;
  /** Of all costs; undefined where the file has none. */
  currency: string | undefined;
  rows: readonly BilledRow[];
  /** By how much the vendor's days begin before those of UTC. */
  dayOffsetMinutes: number;
  /** The decimals that costs of the file are rounded to; undefined where they are exact. */
  costDecimals?: number;
}

/**
 * A model's name for comparing: vendors write `Claude Opus 4.6` on the bill of `claude-opus-4-6`, and the snapshot
 * `gpt-4o-2024-08-06` on that of `gpt-4o`.
 */
export const comparableModel = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s._]+/g, '-')
    .replace(/-(?:latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '');
