/** The table of usage: by one dimension or by two, the largest of each and all others, of the console and its CSV. */
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { list } from '../../domain/requests/parse.ts';
import { type CrossSums, othersAt } from '../../postgres/cross-table.ts';
import { isTimedOut } from '../../postgres/database.ts';
import { isMoment, momentNames } from '../../postgres/moment-dimensions.ts';
import { csvHeader, csvLine } from '../presenters/csv.ts';
import { isRange, rangeFault, timeRange } from './list-query.ts';

const dayMs = 86_400_000;
const daysDefault = 30;
const daysMax = 366;
/** A month of hours. */
const hourDaysMax = 31;
/** Where clocks change, days may have an hour more. */
const clockChange = 1 / 24;

/** The query of a table with these dimensions and metrics; the second dimension is no time. */
export function usageTableQuery<Name extends string, Metric extends string>(
  names: readonly [Name, ...Name[]],
  metrics: readonly [Metric, ...Metric[]],
) {
  const groups = [...names, ...momentNames];
  return z
    .object({
      group: z.enum(groups, `must be ${list(groups)}`),
      by: z.enum(names, `must be ${list(names)}`).optional(),
      metric: z.enum(metrics, `must be ${list(metrics)}`).default(metrics[0]),
      ...timeRange,
    })
    .refine(isRange, rangeFault)
    .refine(({ group, by }) => group !== by, { path: ['by'], error: "must be another dimension than 'group'" })
    .refine((range) => daysOf(range) <= daysMax + clockChange, {
      path: ['from'],
      error: `must be at most ${daysMax} days before 'to'`,
    })
    .refine((range) => range.group !== 'hour' || daysOf(range) <= hourDaysMax + clockChange, {
      path: ['from'],
      error: `must be at most ${hourDaysMax} days before 'to' where 'group' is hour`,
    });
}

interface Range {
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Returns the range that is meant: up to now without an end, of 30 days without a start. */
export function usageRange({ from, to = new Date() }: Range): { from: Date; to: Date } {
  return { from: from ?? new Date(to.getTime() - daysDefault * dayMs), to };
}

function daysOf(range: Range): number {
  const { from, to } = usageRange(range);
  return (to.getTime() - from.getTime()) / dayMs;
}

/** How many groups and columns have a place of their own: on a page, and in a file. */
export interface Bounds {
  groupsMax: number;
  columnsMax: number;
}
export const pageBounds: Bounds = { groupsMax: 50, columnsMax: 6 };
export const fileBounds: Bounds = { groupsMax: 1_000, columnsMax: 50 };

/** All hours of a month have a place: times are bounded by their range. */
export const boundsOf = ({ group }: { group: string }, bounds: Bounds): Bounds =>
  isMoment(group) ? { ...bounds, groupsMax: fileBounds.groupsMax } : bounds;

const headFields = {
  id: z.string().describe('The value of the dimension; empty: requests that have none.'),
  name: z.string().nullable().describe('Of a key or an account.'),
  others: z.boolean().describe('All that are not among the largest.'),
};

/** The answer, with these fields of a row's and of the whole table's sums. */
export const usageTableAnswer = <Figures extends z.ZodType>(figures: Figures) => {
  const values = z.array(z.number().nullable()).describe('The metric, by the columns; null: there is nothing.');
  return z.strictObject({
    object: z.literal('usage_table'),
    columns: z.array(z.strictObject(headFields)).describe('Of the second dimension; empty without one.'),
    rows: z.array(z.strictObject({ ...headFields, sums: figures, values })),
    total: z.strictObject({ sums: figures, values }),
  });
};

export type Names = ReadonlyMap<string, string>;

/** How a table is shown. */
export interface UsageTableForm<Sums, Figures> {
  /** Without a second dimension there are none. */
  hasColumns: boolean;
  figuresOf: (sums: Sums) => Figures;
  /** The metric. */
  valueOf: (figures: Figures) => number | null;
  /** Of the ids of groups and of columns. */
  names: { group: Names; column: Names };
}

/** Returns the answer that the sums make. */
export function usageTableObject<Sums, Figures>(
  { cells, groups, columns: all, total }: CrossSums<Sums>,
  { hasColumns, figuresOf, valueOf, names }: UsageTableForm<Sums, Figures>,
) {
  const columns = hasColumns ? all : [];
  const values = new Map(
    cells.map(({ groupAt, columnAt, sums }) => [`${groupAt} ${columnAt}`, valueOf(figuresOf(sums))]),
  );
  return {
    object: 'usage_table' as const,
    columns: columns.map(({ column, columnAt }) => head(column, columnAt, names.column)),
    rows: groups.map(({ group, groupAt, sums }) => ({
      ...head(group, groupAt, names.group),
      sums: figuresOf(sums),
      values: columns.map(({ columnAt }) => values.get(`${groupAt} ${columnAt}`) ?? null),
    })),
    total: { sums: figuresOf(total), values: columns.map(({ sums }) => valueOf(figuresOf(sums))) },
  };
}

const head = (id: string, at: number, names: Names) => ({ id, name: names.get(id) ?? null, others: at === othersAt });

interface UsageFileForm<Sums, Figures> extends Pick<UsageTableForm<Sums, Figures>, 'figuresOf' | 'names'> {
  group: string;
  by: string | undefined;
  currency: string;
}

/** Returns the cells as CSV, a line each: what they are of, and all that is summed up in them. */
export function usageTableCsv<Sums, Figures extends Readonly<Record<string, unknown>>>(
  { cells, total }: CrossSums<Sums>,
  { figuresOf, names, group, by, currency }: UsageFileForm<Sums, Figures>,
): string {
  const columns = [
    ...[group, `${group}_name`],
    ...(by !== undefined ? [by, `${by}_name`] : []),
    ...[...Object.keys(figuresOf(total)), 'currency'],
  ].filter((column) => !column.endsWith('_name') || isNamed(column.slice(0, -'_name'.length)));
  const shown = (id: string, at: number) => (at === othersAt ? othersText : id);
  const lines = cells.map((cell) =>
    csvLine(columns, {
      ...(by !== undefined && {
        [by]: shown(cell.column, cell.columnAt),
        [`${by}_name`]: names.column.get(cell.column),
      }),
      ...{ [group]: shown(cell.group, cell.groupAt), [`${group}_name`]: names.group.get(cell.group) },
      ...figuresOf(cell.sums),
      currency,
    }),
  );
  return csvHeader(columns) + lines.join('');
}

const isNamed = (dimension: string): boolean => dimension === 'key' || dimension === 'account';
/** No id has brackets. */
const othersText = '(others)';

/** What took the database too long takes it as long once more: so it is no error that passes. */
export function refuseTooMany(error: unknown): never {
  if (!isTimedOut(error)) throw error;
  throw new GatewayError('invalid_parameter', 'These are too many calls to sum up at once: choose a shorter range.', {
    param: 'from',
    cause: error,
  });
}
