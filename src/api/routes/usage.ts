/** What the account used and paid, by day, model or key, in JSON or CSV. */
import type Router from '@koa/router';
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { invalid, list } from '../../domain/requests/parse.ts';
import { isKeepable } from '../../domain/text.ts';
import { findAccount } from '../../accounts/accounts.ts';
import type { Database } from '../../postgres/database.ts';
import { listUsage, type Usage, type UsageFilter, type UsageGroup, usageGroups } from '../../ledger/usage-report.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { answerList, type CsvForm } from '../lists/list-answer.ts';
import type { Listing } from '../lists/list-page.ts';
import { cursorRule, isRange, limit, rangeFault, readQuery, timeRange } from '../lists/list-query.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { usageColumns, usageObject } from '../presenters/usage.ts';

// Each page sums the ledger anew, so that there should be few: these are three years of days.
const csvPageRows = 1_000;

export function usageRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  router.get('/account/usage', authenticated(now().keys, 'read'), async (ctx) => {
    const { group_by: by, cursor, from, to, ...page } = readQuery(usageQuery, ctx.query);
    const after = cursor === undefined ? undefined : groupOfCursor(by, cursor);
    const { calls, database } = now();
    const { accountId } = keyOf(ctx);
    await calls.settled(accountId);
    const upTo = (await findAccount(database, accountId))?.seq;
    const listing = usageListing(database, accountId, by, { from, to, upTo });
    await answerList(ctx, listing, { ...page, cursor: after }, usageCsv(by));
  });
}

/** The sums by day, model or key over the entries that the filter names. */
export const usageListing = (
  database: Database,
  account: AccountId,
  by: UsageGroup,
  filter: UsageFilter,
): Listing<Usage, string> => ({
  read: (rows) => listUsage(database, account, by, filter, rows),
  placeOf: ({ group }) => group,
  cursorOf: (group) => cursorOfGroup(by, group),
  present: (usage) => usageObject(by, usage),
});

export const usageCsv = (by: UsageGroup): CsvForm => ({
  name: `usage-by-${by}`,
  columns: usageColumns(by),
  pageRows: csvPageRows,
});

/** A cursor names the last group that was shown and what it is grouped by. */
const cursorOfGroup = (by: UsageGroup, group: string): string => Buffer.from(`${by} ${group}`).toString('base64url');

export function groupOfCursor(by: UsageGroup, cursor: string): string {
  const group = Buffer.from(cursor, 'base64url')
    .toString()
    .slice(by.length + 1);
  const isOurs = cursorOfGroup(by, group) === cursor && isKeepable(group) && group !== '';
  if (isOurs && (by !== 'day' || isDay(group))) return group;
  throw invalid('cursor', cursorRule);
}

/** PostgreSQL has no year 0. */
const isDay = (text: string): boolean => z.iso.date().safeParse(text).success && !text.startsWith('0000');

/** What is summed, of a list or of a file of all. */
export const usageFilters = {
  group_by: z.enum(usageGroups, `must be ${list(usageGroups)}`).default('day'),
  ...timeRange,
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
  .refine(isRange, rangeFault);
