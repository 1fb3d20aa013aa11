/**
 * Compares a vendor's bill with the ledger: by the id of the call where the file has one, else by day and model. Pure; the
 * report names each difference once.
 */
import { compareDecimals, type Decimal, wholeDecimal } from '../exact-decimal.ts';
import { type BilledExport, type BilledRow, comparableModel, tokenNames } from './billed-row.ts';
import type { BookedRow } from './booked-row.ts';
import { absolute, addDecimals, differingFields, type Side, sideOfBilled, sideOfBooked, subtract } from './sides.ts';

export interface Difference {
  kind: 'billed_not_booked' | 'booked_not_billed' | 'differs';
  /** The vendor's or our id; or the day and the model. */
  subject: string;
  /** `2026-11-24T10:00:00.000Z`, or the day alone. */
  at: string;
  model: string | undefined;
  /** What differs: `cost`, `calls`, or a kind of tokens. */
  fields: readonly string[];
  billed: Side | undefined;
  booked: Side | undefined;
  /** Where the file has it; undefined for what it doesn't have. */
  place: string | undefined;
}

/** What the size of differences is measured in: cost where the file has it, else tokens, else calls. */
export type Measure = 'cost' | 'tokens' | 'calls';

export interface Comparison {
  by: 'id' | 'day and model' | 'day';
  measure: Measure;
  billed: Side;
  booked: Side;
  differences: readonly Difference[];
  /** Of all differences, each without its sign. */
  differing: Decimal;
  /** The same by the sum of the file, to nine decimals; 1 where the file has nothing and the ledger has something. */
  share: number;
}

export interface Period {
  from: Date;
  to: Date;
}

/** A booked row may lie a little outside of the period of its bill: `booked` has to have those, too. */
export const periodSlackMs = 24 * 3_600_000;

export function compareBill(
  bill: BilledExport,
  booked: readonly BookedRow[],
  { period, gatewayCurrency }: { period: Period; gatewayCurrency: string },
): Comparison {
  const isIn = ({ at }: { at: Date }) => at >= period.from && at < period.to;
  const billedRows = bill.rows.filter(isIn);
  const context = { bill, gatewayCurrency };
  const hasIds = billedRows.length > 0 && billedRows.every(({ id }) => id !== undefined);
  const hasModels = billedRows.every(({ model }) => model !== undefined);
  const differences = hasIds
    ? [...compareById(billedRows, booked, isIn, context)]
    : [...compareByDay(billedRows, booked.filter(isIn), hasModels, context)];
  const measure: Measure = billedRows.some(({ cost }) => cost)
    ? 'cost'
    : billedRows.some(({ tokens }) => Object.keys(tokens).length > 0)
      ? 'tokens'
      : 'calls';
  const billedSum = sideOfBilled(billedRows);
  const differing = differences.map((one) => sizeOf(one, measure)).reduce(addDecimals, wholeDecimal(0n));
  return {
    by: hasIds ? 'id' : hasModels ? 'day and model' : 'day',
    measure,
    billed: billedSum,
    booked: sideOfBooked(booked.filter(isIn), context),
    differences,
    differing,
    share: shareOf(differing, measured(billedSum, measure)),
  };
}

interface Context {
  bill: BilledExport;
  gatewayCurrency: string;
}

function* compareById(
  billed: readonly BilledRow[],
  booked: readonly BookedRow[],
  isIn: (row: BookedRow) => boolean,
  context: Context,
): Iterable<Difference> {
  const byId = new Map(booked.flatMap((row) => row.ids.map((id) => [id, row] as const)));
  const seen = new Set<BookedRow>();
  for (const rows of groupsOf(billed, ({ id = '' }) => id).values()) {
    const [first] = rows;
    if (!first) continue;
    const { unique, doubled } = withoutDoubles(rows);
    const row = byId.get(first.id ?? '');
    const about = { subject: first.id ?? '', at: first.at.toISOString(), model: first.model, place: first.place };
    for (const double of doubled) yield billedAlone(about, [double]);
    if (!row || seen.has(row)) {
      yield billedAlone(about, unique);
      continue;
    }
    seen.add(row);
    yield* differing(about, sideOfBilled(unique), sideOfBooked([row], context), context.bill);
  }
  for (const row of booked) if (!seen.has(row) && isIn(row)) yield bookedAlone(row, context);
}

/** The same row twice is billed twice; different rows of one call are its parts. */
function withoutDoubles(rows: readonly BilledRow[]): { unique: BilledRow[]; doubled: BilledRow[] } {
  const unique = new Map<string, BilledRow>();
  const doubled: BilledRow[] = [];
  for (const row of rows) {
    const { at, model, calls, tokens, cost } = row;
    const text = [at.getTime(), model, calls, JSON.stringify(tokens), cost?.digits, cost?.scale].join(' ');
    if (unique.has(text)) doubled.push(row);
    else unique.set(text, row);
  }
  return { unique: [...unique.values()], doubled };
}

function* compareByDay(
  billed: readonly BilledRow[],
  booked: readonly BookedRow[],
  hasModels: boolean,
  context: Context,
): Iterable<Difference> {
  const keyOf = ({ at, model }: { at: Date; model?: string | undefined }) => {
    const day = dayOf(at, context.bill.dayOffsetMinutes);
    return hasModels ? `${day} ${comparableModel(model ?? '(none)')}` : day;
  };
  const billedGroups = groupsOf(billed, keyOf);
  const bookedGroups = groupsOf(booked, keyOf);
  for (const key of [...new Set([...billedGroups.keys(), ...bookedGroups.keys()])].sort()) {
    const [rows = [], own = []] = [billedGroups.get(key), bookedGroups.get(key)];
    const model = hasModels ? (rows[0]?.model ?? own[0]?.model) : undefined;
    const about = { subject: key, at: key.slice(0, 10), model, place: rows[0]?.place };
    if (own.length === 0) yield* isNothing(rows) ? [] : [billedAlone(about, rows)];
    else if (rows.length === 0) yield { ...about, ...only('booked', sideOfBooked(own, context)) };
    else yield* differing(about, sideOfBilled(rows), sideOfBooked(own, context), context.bill);
  }
}

type About = Pick<Difference, 'subject' | 'at' | 'model' | 'place'>;

function* differing(about: About, billed: Side, booked: Side, bill: BilledExport): Iterable<Difference> {
  const fields = differingFields(billed, booked, bill.costDecimals);
  if (fields.length > 0) yield { kind: 'differs', ...about, fields, billed, booked };
}

const billedAlone = (about: About, rows: readonly BilledRow[]): Difference => ({
  ...about,
  ...only('billed', sideOfBilled(rows)),
  place: rows[0]?.place,
});

const bookedAlone = (row: BookedRow, context: Context): Difference => ({
  subject: row.name,
  at: row.at.toISOString(),
  model: row.model,
  place: undefined,
  ...only('booked', sideOfBooked([row], context)),
});

const only = (which: 'billed' | 'booked', side: Side) =>
  which === 'billed'
    ? ({ kind: 'billed_not_booked', fields: [], billed: side, booked: undefined } as const)
    : ({ kind: 'booked_not_billed', fields: [], billed: undefined, booked: side } as const);

/** Vendors list days and models without use, too. */
function isNothing(rows: readonly BilledRow[]): boolean {
  const { cost, tokens, calls } = sideOfBilled(rows);
  const counts = [calls ?? 0, ...Object.values(tokens)];
  return (cost === undefined || cost.digits === 0n) && counts.every((count) => count === 0);
}

function sizeOf({ billed, booked }: Difference, measure: Measure): Decimal {
  if (measure === 'tokens' && billed && booked) {
    const apart = tokenNames.map((name) => Math.abs((billed.tokens[name] ?? 0) - (booked.tokens[name] ?? 0)));
    return wholeDecimal(BigInt(apart.reduce((sum, count) => sum + count, 0)));
  }
  return absolute(subtract(billed ? measured(billed, measure) : zero, booked ? measured(booked, measure) : zero));
}

const zero = wholeDecimal(0n);

function measured({ cost, tokens, calls }: Side, measure: Measure): Decimal {
  if (measure === 'cost') return cost ?? zero;
  return wholeDecimal(BigInt(measure === 'calls' ? (calls ?? 0) : (tokens.input ?? 0) + (tokens.output ?? 0)));
}

function shareOf(differing: Decimal, whole: Decimal): number {
  if (differing.digits === 0n) return 0;
  if (compareDecimals(whole, zero) <= 0) return 1;
  const billionths = differing.digits * 10n ** BigInt(whole.scale + 9);
  const divisor = whole.digits * 10n ** BigInt(differing.scale);
  // Rounded up, so that no difference becomes none.
  return Number((billionths + divisor - 1n) / divisor) / 1e9;
}

function groupsOf<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

const dayOf = (at: Date, offsetMinutes: number): string =>
  new Date(at.getTime() + offsetMinutes * 60_000).toISOString().slice(0, 10);
