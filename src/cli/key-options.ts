/** What options say of a key: models, limits and addresses, each refused with what is allowed. */
import { InvalidArgumentError } from 'commander';
import { parseRange, rangeText } from '../domain/accounts/address-ranges.ts';
import { type CallLimit, type SpendLimit, type Window, windows } from '../domain/accounts/key-rules.ts';
import { keyAddressesMax } from '../domain/limits.ts';
import { positiveAmount } from './commands/accounts.ts';
import { wholeNumber } from './options.ts';
import { Refusal } from './output.ts';

export const keyCountMax = 999_999_999;

/** Ids of models, separated by commas. */
export function modelIds(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (ids.every((id) => id !== '')) return ids;
  throw new InvalidArgumentError('Must be model ids, separated by commas.');
}

/** Refuses a key for a misspelt model: it could call nothing, which would be noticed only when it is used. */
export function requireModels(wanted: readonly string[], configured: readonly string[]): void {
  const unknown = wanted.filter((id) => !configured.includes(id));
  if (unknown.length === 0) return;
  throw new Refusal(
    `The configuration has no model ${unknown.join(', ')}. Allowed: ${[...configured].sort().join(', ')}. 'tollgate models list' shows them.`,
  );
}

/** One more call limit, such as `60/minute`, behind those before. */
export function callLimits(text: string, before: CallLimit[]): CallLimit[] {
  const { count, per } = perWindow(text);
  if (before.some((limit) => limit.per === per)) throw new InvalidArgumentError(`There is already a limit per ${per}.`);
  return [...before, { calls: wholeNumber(keyCountMax)(count), per }];
}

/** Such as `10/day`. */
export function spendLimit(text: string): SpendLimit {
  const { count, per } = perWindow(text);
  return { amount: positiveAmount(count), per };
}

function perWindow(text: string): { count: string; per: Window } {
  const [count = '', name = '', ...rest] = text.split('/');
  const per = windows.find((window) => window === name);
  if (per && rest.length === 0) return { count, per };
  throw new InvalidArgumentError(`Must be a number, a slash and one of ${windows.join(', ')}.`);
}

/** Addresses and CIDR ranges, separated by commas, in their normal form. */
export function addressRanges(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  const wrong = entries.find((entry) => !parseRange(entry));
  if (wrong !== undefined)
    throw new InvalidArgumentError(
      `'${wrong}' is neither an IP address nor a CIDR range, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.`,
    );
  if (entries.length > keyAddressesMax) throw new InvalidArgumentError(`At most ${keyAddressesMax} are allowed.`);
  return [...new Set(entries.flatMap((entry) => parseRange(entry) ?? []).map(rangeText))];
}
