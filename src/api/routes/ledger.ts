/** The account's ledger, entry by entry, newest first, in JSON or CSV (contract, section 3). */
import type Router from '@koa/router';
import * as z from 'zod';
import { entryTypes } from '../../domain/ledger.ts';
import { list } from '../../domain/requests/parse.ts';
import { listEntries } from '../../storage/ledger/entries.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { answerList } from '../lists/answer.ts';
import { cursorRule, isRange, limit, rangeFault, readQuery, timeRange } from '../lists/query.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { entryColumns, entryObject } from '../presenters/account.ts';

// 500 entries are 150 KB of CSV.
const csv = { name: 'ledger', columns: entryColumns, pageRows: 500 };

export function ledgerRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  router.get('/account/ledger', authenticated(now().keys, 'read'), async (ctx) => {
    const query = readQuery(ledgerQuery, ctx.query);
    const { type, from, to, task_id: taskId, request_id: requestId } = query;
    const { calls, database } = now();
    const { accountId } = keyOf(ctx);
    await calls.settled(accountId);
    // Entries that arrive have higher numbers than the first page's, so that a list read downwards never meets them.
    const listing = {
      read: ({ limit: rows, after: before }: { limit: number; after: bigint | undefined }) =>
        listEntries(database, accountId, { type, from, to, taskId, requestId }, { limit: rows, before }),
      placeOf: ({ seq }: { seq: bigint }) => seq,
      cursorOf: String,
      present: entryObject,
    };
    await answerList(ctx, listing, query, csv);
  });
}

const idRule = 'must be one id of 1 to 128 letters, digits and . _ -';
const id = z.string(idRule).regex(/^[\w.-]{1,128}$/, idRule);

export const ledgerQuery = z
  .object({
    limit,
    cursor: z
      .string(cursorRule)
      .regex(/^\d{1,18}$/, cursorRule)
      .transform(BigInt)
      .optional(),
    task_id: id.optional(),
    request_id: id.optional(),
    type: z.enum(entryTypes, `must be ${list(entryTypes)}`).optional(),
    ...timeRange,
  })
  .refine(isRange, rangeFault);
