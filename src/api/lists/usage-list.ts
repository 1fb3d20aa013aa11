/** Lists of what an account used and paid, of the public API and the console's. */
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { invalid, list } from '../../domain/requests/parse.ts';
import { isKeepable } from '../../domain/text.ts';
import type { Database } from '../../postgres/database.ts';
import { listUsage, type Usage, type UsageFilter, type UsageGroup, usageGroups } from '../../ledger/usage-report.ts';
import { usageColumns, usageObject, type UsageRecord } from '../presenters/usage.ts';
import type { CsvForm } from './list-answer.ts';
import type { ShownListing } from './list-page.ts';
import { timeZoneField } from '../../domain/requests/time-zone.ts';
import { cursorRule, isRange, limit, rangeFault, rangeIn, writtenRange } from './list-query.ts';

// Each page sums the ledger anew, so that there should be few: these are three years of days.
const csvPageRows = 1_000;

/** The sums by day, model or key over the entries that the filter names. */
export const usageListing = (
  database: Database,
  account: AccountId,
  by: UsageGroup,
  filter: UsageFilter,
): ShownListing<Usage, string, UsageRecord> => ({
  read: (rows) => listUsage(database, account, by, filter, rows),
  positionOf: ({ group }) => group,
  cursorOf: (group) => cursorOfGroup(by, group),
  present: (usage) => usageObject(by, usage),
});

export const usageCsv = (by: UsageGroup, currency: string): CsvForm => ({
  name: `usage-by-${by}`,
  columns: usageColumns(by),
  currency,
  pageRows: csvPageRows,
});

/** A cursor names the last group that was shown and what it is grouped by. */
export const cursorOfGroup = (by: string, group: string): string => Buffer.from(`${by} ${group}`).toString('base64url');

export function groupOfCursor(by: string, cursor: string): string {
  const group = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(by.length + 1);
  const isOurs = cursorOfGroup(by, group) === cursor && isKeepable(group);
  if (isOurs && (by !== 'day' || isDay(group))) return group;
  throw invalid('cursor', cursorRule);
}

/** PostgreSQL has no year 0. */
const isDay = (text: string): boolean => z.iso.date().safeParse(text).success && !text.startsWith('0000');

/** What is summed, of a list or of a file of all. */
export const usageFilters = {
  group_by: z.enum(usageGroups, `must be ${list(usageGroups)}`).default('day'),
  ...writtenRange,
  time_zone: timeZoneField.optional(),
};

export const usageQuery = z
  .object({
    limit,
    cursor: z
      .string(cursorRule)
      .regex(/^[\w-]{1,2000}$/, cursorRule)
      .optional(),
    ...usageFilters,
  })
  .refine((range) => isRange(rangeIn(range.time_zone ?? 'UTC', range)), rangeFault);
