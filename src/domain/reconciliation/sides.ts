/** The sums of one side of a comparison, and what of two sides differs. */
import { compareDecimals, type Decimal } from '../exact-decimal.ts';
import { type BilledExport, type BilledRow, tokenNames, type TokenSums } from './billed-row.ts';
import { type BookedRow, costIn } from './booked-row.ts';

export interface Side {
  rows: number;
  /** Undefined where nothing says how many. */
  calls: number | undefined;
  tokens: Partial<TokenSums>;
  /** In the currency of the file; undefined where none is known. */
  cost: Decimal | undefined;
}

/** Returns the sums of rows of the file. A count is there if a row has it. */
export function sideOfBilled(rows: readonly BilledRow[]): Side {
  // A row with an id is of one call, or a part of one.
  const ids = new Set(rows.flatMap(({ id }) => id ?? []));
  const calls = rows.some((row) => row.calls !== undefined) ? sum(rows.map((row) => row.calls ?? 0)) : undefined;
  const tokens: Partial<TokenSums> = {};
  for (const name of tokenNames) {
    const counts = rows.flatMap((row) => row.tokens[name] ?? []);
    if (counts.length > 0) tokens[name] = sum(counts);
  }
  const costs = rows.flatMap(({ cost }) => cost ?? []);
  return {
    rows: rows.length,
    calls: calls ?? (ids.size > 0 ? ids.size : undefined),
    tokens,
    cost: costs.length > 0 ? costs.reduce(addDecimals) : undefined,
  };
}

/** Returns the sums of what was booked, in the currency of the file. */
export function sideOfBooked(
  rows: readonly BookedRow[],
  { bill, gatewayCurrency }: { bill: Pick<BilledExport, 'currency'>; gatewayCurrency: string },
): Side {
  const currency = bill.currency ?? gatewayCurrency;
  const costs = rows.flatMap((row) => costIn(currency, gatewayCurrency, row) ?? []);
  const counted = rows.flatMap(({ tokens }) => tokens ?? []);
  const tokens: Partial<TokenSums> = {};
  if (counted.length > 0) for (const name of tokenNames) tokens[name] = sum(counted.map((one) => one[name]));
  return {
    rows: rows.length,
    calls: rows.length,
    tokens,
    cost: costs.length > 0 ? costs.reduce(addDecimals) : undefined,
  };
}

/** Each booked cost is rounded to a millionth. */
const bookedStep: Decimal = { digits: 1n, scale: 6 };

/**
 * Returns what both sides have and is not the same. Costs may differ by what rounding explains: half a step of each row of a
 * file that rounds, and a millionth of each call.
 */
export function differingFields(billed: Side, booked: Side, costDecimals: number | undefined): string[] {
  const fields: string[] = [];
  if (billed.cost && !isWithinRounding(billed.cost, billed.rows, booked, costDecimals)) fields.push('cost');
  if (billed.calls !== undefined && booked.calls !== undefined && billed.calls !== booked.calls) fields.push('calls');
  for (const name of tokenNames) {
    const [theirs, ours] = [billed.tokens[name], booked.tokens[name]];
    if (theirs !== undefined && ours !== undefined && theirs !== ours) fields.push(name);
  }
  return fields;
}

function isWithinRounding(cost: Decimal, rows: number, booked: Side, costDecimals: number | undefined): boolean {
  if (!booked.cost) return cost.digits === 0n;
  const ofCalls: Decimal = { ...bookedStep, digits: BigInt(booked.calls ?? 1) };
  const ofRows = costDecimals === undefined ? [] : [{ digits: 5n * BigInt(rows), scale: costDecimals + 1 }];
  const allowed = [ofCalls, ...ofRows].reduce(addDecimals);
  return compareDecimals(absolute(subtract(cost, booked.cost)), allowed) <= 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: scaled(a, scale) + scaled(b, scale), scale };
}

export const subtract = (a: Decimal, b: Decimal): Decimal => addDecimals(a, { ...b, digits: -b.digits });

export const absolute = (value: Decimal): Decimal => (value.digits < 0n ? { ...value, digits: -value.digits } : value);

const scaled = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
