/** Reads the counts of usage objects, and finds those that no rule knows. */
import { isObject, type JsonObject } from '../json/json-object.ts';
import type { OddReason } from './odd-reasons.ts';

/** More tokens than any context window has; above it a count is nonsense. */
const tokensMax = 1_000_000_000;

export type Odd = Set<OddReason>;

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0 && value <= tokensMax;
}

/** Returns a member as a count; undefined where it isn't there, or where it is no count. */
export function countOf(member: unknown, odd: Odd): number | undefined {
  if (!isThere(member)) return undefined;
  if (isCount(member)) return member;
  odd.add('bad_count');
  return undefined;
}

/** Returns the first of the members that is there, as a count; undefined where none is, or where it is no count. */
export const countIn = (members: readonly unknown[], odd: Odd): number | undefined =>
  countOf(members.find(isThere), odd);

/** `1e999` is infinite once parsed, and null where it is written again: it says nothing, now and in the audit. */
const isThere = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== Infinity && value !== -Infinity;

const noMembers: JsonObject = {};

/** Returns the object that a member is, or one without members. */
export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : noMembers);

/** Notes counts of tokens above 0, at any depth, whose names are not among the `known`. */
export function findUnknownCounts(usage: JsonObject, known: ReadonlySet<string>, odd: Odd): void {
  for (const name in usage) {
    const value = usage[name];
    if (typeof value === 'number') {
      if (value !== 0 && name.endsWith('_tokens') && !known.has(name)) odd.add('unknown_field');
    } else if (isObject(value)) findUnknownCounts(value, known, odd);
  }
}
