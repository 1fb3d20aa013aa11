/** Lists of ledger entries, of the public API and the console's. */
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { entryTypes } from '../../domain/billing/postings.ts';
import { list } from '../../domain/requests/parse.ts';
import type { Database } from '../../postgres/database.ts';
import { type Entry, type EntryFilter, listEntries } from '../../ledger/entries.ts';
import { entryColumns, entryObject, type EntryRecord } from '../presenters/ledger-entries.ts';
import type { CsvForm } from './list-answer.ts';
import type { ShownListing } from './list-page.ts';
import { cursorRule, isRange, limit, rangeFault, timeRange } from './list-query.ts';

// 500 entries are 150 KB of CSV.
export const ledgerCsv = (currency: string): CsvForm => ({
  name: 'ledger',
  columns: entryColumns,
  currency,
  pageRows: 500,
});

/**
 * The entries that pass the filter. Those that arrive have higher numbers than the first page's, so that a list read
 * downwards never meets them.
 */
export const ledgerListing = (
  database: Database,
  account: AccountId,
  filter: EntryFilter,
): ShownListing<Entry, bigint, EntryRecord> => ({
  read: ({ limit: rows, after: before }) => listEntries(database, account, filter, { limit: rows, before }),
  positionOf: ({ seq }) => seq,
  cursorOf: String,
  present: entryObject,
});

const idRule = 'must be an id of 1 to 128 letters, digits and . _ -';
export const idFilter = z
  .string(idRule)
  .regex(/^[\w.-]{1,128}$/, idRule)
  .optional();

/** What entries are about, and of when. */
export const subjectFilters = { task_id: idFilter, request_id: idFilter, batch_id: idFilter, ...timeRange };

/** What a list of entries, or a file of all, may be cut down to. */
export const ledgerFilters = {
  ...subjectFilters,
  type: z.enum(entryTypes, `must be ${list(entryTypes)}`).optional(),
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
