/** What all accounts paid and what serving them cost, by day, model, provider or account, and the same as a file. */
import * as z from 'zod';
import { marginCsv, marginFilters, marginListing, marginRange } from '../../lists/margin-list.ts';
import { answerWholeCsv } from '../../lists/list-answer.ts';
import { listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, isRange, rangeFault } from '../../lists/list-query.ts';
import { groupOfCursor } from '../../lists/usage-list.ts';
import { marginRecord } from '../../presenters/margin.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const rowsMax = 1_000;

const listMargin = operatorCall({
  method: 'get',
  path: '/operator/margin',
  id: 'listMargin',
  summary: 'Revenue, cost and margin, by day, model, provider or account',
  query: z
    .object({
      cursor: z
        .string(cursorRule)
        .regex(/^[\w-]{1,2000}$/, cursorRule)
        .optional(),
      ...marginFilters,
    })
    .refine(isRange, rangeFault),
  answer: listOf(marginRecord),
  handle: async ({ deps: { database }, query: { group_by: by, cursor, ...times } }) => {
    const listing = marginListing(database, by, marginRange(times));
    const after = cursor === undefined ? undefined : groupOfCursor(by, cursor);
    return listObject(await readPage(listing, { limit: rowsMax, after }), listing.present);
  },
});

const marginFile = operatorCall({
  method: 'get',
  path: '/operator/margin.csv',
  id: 'downloadMargin',
  summary: 'The whole of it as CSV',
  query: z.object(marginFilters).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: async ({ ctx, deps: { configuration, database }, query: { group_by: by, ...times } }) =>
    answerWholeCsv(ctx, marginListing(database, by, marginRange(times)), marginCsv(by, configuration.currency)),
});

export const operatorMarginCalls = [listMargin, marginFile];
