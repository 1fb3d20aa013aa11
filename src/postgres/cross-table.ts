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

export interface CrossTable<Sums> {
  /** `from …`, with what it needs of `values`. */
  source: string;
  values: readonly unknown[];
  group: Dimension;
  /** Without labels. */
  by?: Dimension | undefined;
  /** Aggregates by the names under which `sumsRow` reads them. They are summed up once more, so they must be sums. */
  sums: Readonly<Record<keyof Sums & string, string>>;
  sumsRow: Row<Sums>;
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
  const total = table.sumsRow.parse(rows.at(-1));
  return { cells: those(true, true), groups: those(true, false), columns: those(false, true), total };
}

function statementOf<Sums>(table: CrossTable<Sums>): string {
  const { source, group, by = { value: `''` }, sums, largestBy, groupsMax, columnsMax } = table;
  const aggregates = Object.entries<string>(sums).map(([name, aggregate]) => `${aggregate} as "${name}"`);
  return `with facts as materialized (
      select ${group.value} as g, ${by.value} as b, ${aggregates.join(', ')} ${source} group by 1, 2
    ), groups as (${largest('g', group, largestBy, groupsMax)}),
    columns as (${largest('b', by, largestBy, columnsMax)})
    select ${position('groups')} as "groupAt", coalesce((${(group.number ?? itself)('groups.g')})::text, '') as "group",
      ${position('columns')} as "columnAt", coalesce(columns.b::text, '') as "column",
      ${Object.keys(sums)
        .map((name) => `coalesce(sum("${name}"), 0)::bigint as "${name}"`)
        .join(', ')}
    from facts left join groups using (g) left join columns using (b)
    group by grouping sets ((groups.at, groups.g, columns.at, columns.b), (groups.at, groups.g), (columns.at, columns.b), ())
    order by grouping(groups.at), groups.at nulls last, grouping(columns.at), columns.at nulls last`;
}

const largest = (value: string, { labels }: Dimension, by: string, max: number) => {
  const order = labels === undefined ? `sum("${by}") desc, ${value} collate "C"` : value;
  return `select ${value}, row_number() over (order by ${order}) as at from facts group by ${value} order by at limit ${max}`;
};

const position = (of: 'groups' | 'columns') =>
  `case when grouping(${of}.at) = 1 then ${totalAt} else coalesce(${of}.at, ${othersAt})::int end`;

const itself = (value: string) => value;

const labelOf = ({ labels }: Dimension, value: string): string => labels?.[Number(value) - 1] ?? value;
