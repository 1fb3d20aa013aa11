/** The lines of a call's price: one for each kind of token and tool and for what else is counted, and what is paid for the call itself. */
import { type Money, micros, minus, ofOne, roundedHalfUp, zero } from '../money.ts';
import { isMeasuredUnit, isTokenUnit, type LineUnit, type SoldUnit, type TokenUnit } from './line-units.ts';
import type { TokenCard } from './token-card.ts';
import type { MeasuredCounts, TokenCounts } from './token-counts.ts';

/** A line of a call's price; the last may be what the model's minimum adds to the others. */
export interface TokenLine {
  unit: LineUnit;
  /** Which tool was called. */
  name?: string;
  units: number;
  /** Of a million units: a single token may cost less than a micro-unit. */
  pricePerMillion: Money;
  amount: Money;
}

export interface PricedLines {
  lines: TokenLine[];
  total: Money;
}

/** So many units at a price, whose amount is not worked out yet. */
export type UnitsAt = Omit<TokenLine, 'amount'>;

/**
 * Returns what the counts cost on a card. There are lines of what its calls are charged by at least, of tokens where there
 * are some; a tool without a price has none. Throws RangeError for a count that is no whole number from 0.
 */
export const tokensPrice = (card: TokenCard, counts: TokenCounts): PricedLines =>
  pricedLines(unitsOf(card, counts), card.minimum);

/**
 * Returns the lines with their amounts. The total is rounded once, half up; the lines are cut from it at the rounded
 * running sums, so they add up to it and none is negative. Less than the minimum is made up to it by a line of its own.
 */
export function pricedLines(units: readonly UnitsAt[], minimum: Money): PricedLines {
  const lines: TokenLine[] = [];
  let exact = 0n; // millionths of a micro-unit
  let total = zero;
  for (const line of units) {
    exact += line.pricePerMillion * whole(line.units);
    const next = roundedHalfUp(exact, 1_000_000n);
    lines.push({ ...line, amount: minus(next, total) });
    total = next;
  }
  const missing = minus(minimum, total);
  if (missing <= 0n) return { lines, total };
  lines.push({ unit: 'minimum_charge', units: 1, pricePerMillion: ofOne(missing), amount: missing });
  return { lines, total: micros(total + missing) };
}

/** A price that is `most` at most: what is too much is taken from the last lines, so that they still add up to the total. */
export function cappedAt<Line extends { amount: Money }>(
  most: Money,
  { lines, total }: { lines: readonly Line[]; total: Money },
): { lines: Line[]; total: Money } {
  if (total <= most) return { lines: [...lines], total };
  let tooMuch = minus(total, most);
  const capped = lines.toReversed().map((line) => {
    const amount = line.amount > tooMuch ? minus(line.amount, tooMuch) : zero;
    tooMuch = minus(tooMuch, minus(line.amount, amount));
    return { ...line, amount };
  });
  return { lines: capped.reverse(), total: most };
}

type CountedLine = Pick<TokenLine, 'units'> & { unit: string; name?: string | undefined };

/**
 * Returns the first unit of which lines have another number than the counts of a provider's usage; undefined if there is
 * none. What a usage doesn't count besides tokens is counted by the gateway.
 */
export function miscountedUnit(lines: readonly CountedLine[], counts: TokenCounts): string | undefined {
  for (const [unit, count] of countedUnits)
    if ((lines.find((line) => line.unit === unit)?.units ?? 0) !== counts[count]) return unit;
  for (const [unit, count] of measuredUnits)
    if (counts[count] !== 0 && lines.some((line) => line.unit === unit && line.units !== counts[count])) return unit;
  const miscalled = lines.find(
    ({ unit, name = '', units }) => unit === 'tool_call' && units !== (counts.toolCalls[name] ?? 0),
  );
  return miscalled && 'tool_call';
}

const measuredUnits = [
  ['character', 'characters'],
  ['second', 'seconds'],
  ['search', 'searches'],
] as const;

/** Returns how many tokens the lines of a price count. */
export const tokensIn = (lines: readonly Pick<TokenLine, 'unit' | 'units'>[]): number =>
  lines.reduce((sum, { unit, units }) => (isTokenUnit(unit) ? sum + units : sum), 0);

/** Returns what lines sell all in all: so many tokens, or so many of what the call is charged by, which has the first line. */
export function unitsSold(lines: readonly Pick<TokenLine, 'unit' | 'units'>[]): { unit: SoldUnit; units: number } {
  const [first] = lines;
  if (first && isMeasuredUnit(first.unit)) return { unit: first.unit, units: first.units };
  return { unit: 'token', units: tokensIn(lines) };
}

/** The units of a card's lines, by the counts that they take. */
const countedUnits: readonly (readonly [unit: TokenUnit, count: CountName, rate: RateName])[] = [
  ['input_token', 'fresh', 'input'],
  ['cached_input_token', 'cacheRead', 'cachedInput'],
  ['cache_write_token', 'cacheWrite5m', 'cacheWrite'],
  ['cache_write_1h_token', 'cacheWrite1h', 'cacheWrite1h'],
  ['audio_input_token', 'audioIn', 'audioInput'],
  ['image_input_token', 'imageIn', 'imageInput'],
  ['output_token', 'output', 'output'],
  ['audio_output_token', 'audioOut', 'audioOutput'],
  ['image_output_token', 'imageOut', 'imageOutput'],
];
type CountName = Exclude<keyof TokenCounts, 'toolCalls' | 'reasoning' | keyof MeasuredCounts>;
type RateName = Exclude<keyof TokenCard, 'perToolCall' | 'perCall' | 'minimum' | 'basis' | keyof MeasuredCounts>;

/** Returns the units that a call is charged by, where those are no tokens; of the call itself there is one. */
export function basisUnits(card: TokenCard, counts: MeasuredCounts): UnitsAt[] {
  const [unit] = card.basis;
  if (unit === 'call') return [{ unit, units: 1, pricePerMillion: ofOne(card.perCall) }];
  const found = measuredUnits.find(([name]) => name === unit);
  return found ? [{ unit: found[0], units: counts[found[1]], pricePerMillion: card[found[1]] }] : [];
}

/** Returns how many units at which price the counts are on a card; of what a call costs by itself, one. */
export function unitsOf(card: TokenCard, counts: TokenCounts): UnitsAt[] {
  const units = basisUnits(card, counts);
  for (const [unit, count, rate] of countedUnits)
    if (counts[count] !== 0 || card.basis.includes(unit))
      units.push({ unit, units: counts[count], pricePerMillion: card[rate] });
  for (const name of Object.keys(counts.toolCalls).sort()) {
    const price = Object.hasOwn(card.perToolCall, name) ? card.perToolCall[name] : undefined;
    const calls = counts.toolCalls[name] ?? 0;
    if (price !== undefined && calls !== 0)
      units.push({ unit: 'tool_call', name, units: calls, pricePerMillion: ofOne(price) });
  }
  if (card.perCall > 0n && !card.basis.includes('call'))
    units.push({ unit: 'call', units: 1, pricePerMillion: ofOne(card.perCall) });
  return units;
}

/** Counts reach money as whole numbers from 0 or not at all. */
function whole(count: number): bigint {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${count} is no count of units`);
  return BigInt(count);
}
