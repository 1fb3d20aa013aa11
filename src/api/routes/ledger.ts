/** The account's ledger, entry by entry, newest first, in JSON or CSV. */
import type Router from '@koa/router';
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { entryTypes } from '../../domain/billing/postings.ts';
import { list } from '../../domain/requests/parse.ts';
import type { Database } from '../../postgres/database.ts';
import { type Entry, type EntryFilter, listEntries } from '../../ledger/entries.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { answerList } from '../lists/list-answer.ts';
import type { Listing } from '../lists/list-page.ts';
import { cursorRule, isRange, limit, rangeFault, readQuery, timeRange } from '../lists/list-query.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { entryColumns, entryObject } from '../presenters/account.ts';

// 500 entries are 150 KB of CSV.
export const ledgerCsv = { name: 'ledger', columns: entryColumns, pageRows: 500 };

export function ledgerRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  router.get('/account/ledger', authenticated(now().keys, 'read'), async (ctx) => {
    const query = readQuery(ledgerQuery, ctx.query);
    const { type, from, to, task_id: taskId, request_id: requestId } = query;
    const { calls, database } = now();
    const { accountId } = keyOf(ctx);
    await calls.settled(accountId);
    await answerList(ctx, ledgerListing(database, accountId, { type, from, to, taskId, requestId }), query, ledgerCsv);
  });
}

/**
 * The entries that pass the filter. Those that arrive have higher numbers than the first page's, so that a list read
 * downwards never meets them.
 */
export const ledgerListing = (database: Database, account: AccountId, filter: EntryFilter): Listing<Entry, bigint> => ({
  read: ({ limit: rows, after: before }) => listEntries(database, account, filter, { limit: rows, before }),
  placeOf: ({ seq }) => seq,
  cursorOf: String,
  present: entryObject,
});

const idRule = 'must be an id of 1 to 128 letters, digits and . _ -';
export const idFilter = z
  .string(idRule)
  .regex(/^[\w.-]{1,128}$/, idRule)
  .optional();

/** What a list of entries, or a file of all, may be cut down to. */
export const ledgerFilters = {
  task_id: idFilter,
  request_id: idFilter,
  type: z.enum(entryTypes, `must be ${list(entryTypes)}`).optional(),
  ...timeRange,
};

export const ledgerQuery = z
  .object({
    limit,
    cursor: z
      .string(cursorRule)
      .regex(/^\d{1,18}$/, cursorRule)
      .transform(BigInt)
      .optional(),
    ...ledgerFilters,
  })
  .refine(isRange, rangeFault);
