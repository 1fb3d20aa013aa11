/** Lists of what all accounts paid and what serving them cost: for the console, its CSV and the command. */
import * as z from 'zod';
import { list } from '../../domain/requests/parse.ts';
import {
  listMargins,
  type Margin,
  type MarginGroup,
  marginGroups,
  type MarginRange,
} from '../../ledger/margin-report.ts';
import type { Database } from '../../postgres/database.ts';
import { marginColumns, marginObject, type MarginRecord } from '../presenters/margin.ts';
import type { CsvForm } from './list-answer.ts';
import type { ShownListing } from './list-page.ts';
import { timeRange } from './list-query.ts';
import { cursorOfGroup } from './usage-list.ts';

const daysDefault = 30;
const dayMs = 86_400_000;
// Each page sums the ledger anew, so that there should be few.
const csvPageRows = 10_000;

/** Whose parts are summed, and over which time. */
export const marginFilters = {
  group_by: z.enum(marginGroups, `must be ${list(marginGroups)}`).default('day'),
  ...timeRange,
};

/** Returns the range that is meant: up to now without an end, of 30 days without a start. */
export function marginRange({
  from,
  to = new Date(),
}: {
  from?: Date | undefined;
  to?: Date | undefined;
}): MarginRange {
  return { from: from ?? new Date(to.getTime() - daysDefault * dayMs), to };
}

export const marginListing = (
  { pool }: Database,
  by: MarginGroup,
  range: MarginRange,
): ShownListing<Margin, string, MarginRecord> => ({
  read: (page) => listMargins(pool, by, range, page),
  positionOf: ({ group }) => group,
  cursorOf: (group) => cursorOfGroup(by, group),
  present: (margin) => marginObject(by, margin),
});

export const marginCsv = (by: MarginGroup, currency: string): CsvForm => ({
  name: `margin-by-${by}`,
  columns: marginColumns(by),
  currency,
  pageRows: csvPageRows,
  isDownload: true,
});
