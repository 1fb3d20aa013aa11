/** Sums over rows by one dimension or by two, cut down in the database to the largest of each and to what all others sum up to. */
import type pg from 'pg';
import * as z from 'zod';
import { row, type Row, type RowOf } from './row.ts';

/** What rows are summed by: SQL of a text that is never null, or of a number that counts labels from 1. */
export interface Dimension {
  value: string;
  /** With labels all come, in their order; without the largest, largest first. */
  labels?: readonly string[];
  /** SQL of the number of a label, if the value is something else. */
  number?: (value: string) => string;
}

/** SQL of a whole number of a row, null where it has none, and shares that its percentiles are of, by their names. */
export interface Spread {
  value: string;
  /** Such as 0.5 for the median. Each is null where no row has a number. */
  shares: Readonly<Record<string, number>>;
}

export interface CrossTable<Sums> {
  /** `from …`, with what it needs of `values`. */
  source: string;
  values: readonly unknown[];
  group: Dimension;
  /** Without labels. */
  by?: Dimension | undefined;
  /** Aggregates by the names under which `sumsRow` reads them. They are summed up once more, so they must be sums. */
  sums: Readonly<Record<string, string>>;
  sumsRow: Row<Sums>;
  /** What is no sum: how a whole number is spread, in the rows that have one. */
  spread?: Spread;
  /** By which of them the largest are chosen. */
  largestBy: keyof Sums & string;
  groupsMax: number;
  columnsMax: number;
}

/** Where a cell stands: 1 is the first. */
const cellRow = row({ group: z.string(), groupAt: z.int(), column: z.string(), columnAt: z.int() });
/** In the place of a position: all that are not among the largest. */
export const othersAt = 0;
const totalAt = -1;

export interface Cell<Sums> extends RowOf<typeof cellRow> {
  sums: Sums;
}

export interface CrossSums<Sums> {
  /** Those that have anything in them. */
  cells: readonly Cell<Sums>[];
  /** The sums of whole groups and of whole columns, in their order; of others last. */
  groups: readonly Cell<Sums>[];
  columns: readonly Cell<Sums>[];
  total: Sums;
}

/** Returns the table; of no rows its total is zero. */
export async function readCrossTable<Sums>(connection: pg.Pool, table: CrossTable<Sums>): Promise<CrossSums<Sums>> {
  const { rows } = await connection.query(statementOf(table), [...table.values]);
  const all = rows.map((read): Cell<Sums> => {
    const cell = cellRow.parse(read);
    return { ...cell, group: labelOf(table.group, cell.group), sums: table.sumsRow.parse(read) };
  });
  const those = (isOfGroup: boolean, isOfColumn: boolean) =>
    all.filter(({ groupAt, columnAt }) => (groupAt !== totalAt) === isOfGroup && (columnAt !== totalAt) === isOfColumn);
  const total = table.sumsRow.parse(rows.at(-1) ?? nothingOf(table));
  return { cells: those(true, true), groups: those(true, false), columns: those(false, true), total };
}

const nothingOf = <Sums>({ sums, spread }: CrossTable<Sums>): Record<string, bigint | null> =>
  Object.fromEntries<bigint | null>([
    ...Object.keys(sums).map((name) => [name, 0n] as const),
    ...Object.keys(spread?.shares ?? {}).map((name) => [name, null] as const),
  ]);

// With a spread, facts and cells have a row for each of its numbers, `v`; the cells' rows are counted up to the shares.
function statementOf<Sums>(table: CrossTable<Sums>): string {
  const { source, group, by = { value: `''` }, sums, spread, largestBy, groupsMax, columnsMax } = table;
  const aggregates = Object.entries(sums).map(([name, aggregate]) => `${aggregate} as "${name}"`);
  const summed = Object.keys(sums).map((name) => `coalesce(sum("${name}"), 0)::bigint as "${name}"`);
  const cell = `"groupAt", "group", "columnAt", "column"`;
  const v = spread ? ', v' : '';
  const percentiles = Object.entries(spread?.shares ?? {}).map(
    ([name, share]) => `min(v) filter (where counted >= ${share} * of)::bigint as "${name}"`,
  );
  return `with facts as materialized (
      select ${group.value} as g, ${by.value} as b, ${spread ? `${spread.value} as v, count(*) as n, ` : ''}${aggregates.join(', ')}
      ${source} group by 1, 2${spread ? ', 3' : ''}
    ), groups as (${largest('g', group, largestBy, groupsMax)}),
    columns as (${largest('b', by, largestBy, columnsMax)}),
    cells as (
      select ${position('groups')} as "groupAt", coalesce((${(group.number ?? itself)('groups.g')})::text, '') as "group",
        ${position('columns')} as "columnAt", coalesce(columns.b::text, '') as "column"${v}, ${summed.join(', ')}
        ${spread ? ', sum(n) as n' : ''}
      from facts left join groups using (g) left join columns using (b)
      group by grouping sets ((groups.at, groups.g, columns.at, columns.b${v}), (groups.at, groups.g${v}),
        (columns.at, columns.b${v}), (${v.slice(2)}))
    )${spread ? `, counted as (${countedText(cell)})` : ''}
    select ${spread ? `${cell}, ${[...summed, ...percentiles].join(', ')} from counted group by 1, 2, 3, 4` : '* from cells'}
    order by "groupAt" = ${totalAt}, nullif("groupAt", ${othersAt}) nulls last,
      "columnAt" = ${totalAt}, nullif("columnAt", ${othersAt}) nulls last`;
}

const countedText = (
  cell: string,
) => `select *, sum(n) filter (where v is not null) over (partition by ${cell} order by v) as counted,
  sum(n) filter (where v is not null) over (partition by ${cell}) as of from cells`;

const largest = (value: string, { labels }: Dimension, by: string, max: number) => {
  const order = labels === undefined ? `sum("${by}") desc, ${value} collate "C"` : value;
  return `select ${value}, row_number() over (order by ${order}) as at from facts group by ${value} order by at limit ${max}`;
};

const position = (of: 'groups' | 'columns') =>
  `case when grouping(${of}.at) = 1 then ${totalAt} else coalesce(${of}.at, ${othersAt})::int end`;

const itself = (value: string) => value;

const labelOf = ({ labels }: Dimension, value: string): string => labels?.[Number(value) - 1] ?? value;
