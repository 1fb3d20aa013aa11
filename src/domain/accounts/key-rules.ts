/** API keys: permission levels, limits and the calendar windows (UTC) that limits count in. */
import * as z from 'zod';
import type { Money } from '../money.ts';

/** Each level contains the one before. */
export const keyLevels = ['read', 'chat', 'standard', 'admin'] as const;
export type KeyLevel = (typeof keyLevels)[number];

export const allows = (level: KeyLevel, needed: KeyLevel): boolean =>
  keyLevels.indexOf(level) >= keyLevels.indexOf(needed);

export const windows = ['minute', 'hour', 'day', 'month', 'total'] as const;
export type Window = (typeof windows)[number];

export interface CallLimit {
  calls: number;
  per: Window;
}
export interface SpendLimit {
  amount: Money;
  per: Window;
}

export interface KeyLimits {
  callLimits: readonly CallLimit[];
  spendLimit: SpendLimit | null;
  maxRunningTasks: number | null;
  /** Tasks beyond `maxRunningTasks` are accepted and wait for their turn; they are refused without. */
  queue: boolean;
  /** Allow-list of model ids; null allows all. */
  models: readonly string[] | null;
  expiresAt: Date | null;
}

/** All that is set of a key besides its name and level. */
export interface KeyRules extends KeyLimits {
  /** Addresses and CIDR ranges from which it may be used, in their normal form; null allows all. */
  allowedIps: readonly string[] | null;
}

export const callLimitsSchema = z
  .array(z.object({ calls: z.int().min(1).max(1_000_000_000), per: z.enum(windows) }))
  .max(windows.length)
  .refine((limits) => new Set(limits.map((limit) => limit.per)).size === limits.length, 'must name each window once');

/** A spend limit as stored: micro-units as a decimal string, since JSON numbers end at 2^53. */
export const storedSpendLimitSchema = z.object({
  amount: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform((digits) => BigInt(digits) as Money),
  per: z.enum(windows),
});

/** The start of the window (UTC) that `at` lies in; `total` began with the epoch. */
export function windowStart(window: Window, at: Date): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (window) {
    case 'minute':
      return new Date(Math.floor(at.getTime() / 60_000) * 60_000);
    case 'hour':
      return new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
    case 'day':
      return new Date(Date.UTC(year, month, day));
    case 'month':
      return new Date(Date.UTC(year, month, 1));
    case 'total':
      return new Date(0);
    default:
      return window satisfies never;
  }
}

/** Returns when the window of `at` ends; `total` never does. */
export function windowEnd(window: Window, at: Date): Date | undefined {
  if (window === 'total') return undefined;
  const start = windowStart(window, at);
  if (window === 'month') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1));
  return new Date(start.getTime() + { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[window]);
}

/** Whole seconds from `now` until the window of `at` ends, at least 1; 0 for `total`, which never ends. */
export function secondsLeft(window: Window, at: Date, now = at): number {
  const end = windowEnd(window, at);
  return end ? Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000)) : 0;
}
