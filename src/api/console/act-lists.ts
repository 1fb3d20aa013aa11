/** Lists of the audit log, of all accounts or of one: what they may be cut down to, and their files. */
import * as z from 'zod';
import { micros, toAmount } from '../../domain/money.ts';
import { type ActPageFilter, type ListedAct, listActPage } from '../../ledger/audit-log-list.ts';
import type { Database } from '../../postgres/database.ts';
import type { CsvForm } from '../lists/list-answer.ts';
import type { Listing } from '../lists/list-page.ts';
import { cursorRule, limit, timeRange } from '../lists/list-query.ts';

const actorRule = "must be an actor, such as 'cli:root', or a person's e-mail address";
const actionRule = "must be an action of the audit log, such as 'account.credited'";

/** What a list, or a file of all, may be cut down to. */
export const actFilters = {
  actor: z
    .string(actorRule)
    .trim()
    .regex(/^\P{Cc}{1,300}$/u, actorRule)
    .optional(),
  action: z
    .string(actionRule)
    .regex(/^[a-z_]{1,40}\.[a-z_]{1,40}$/, actionRule)
    .optional(),
  ...timeRange,
};

export const actPage = {
  limit,
  cursor: z
    .string(cursorRule)
    .regex(/^\d{1,18}$/, cursorRule)
    .transform(BigInt)
    .optional(),
};

/** The entries that pass the filter, newest first. */
export const actListing = (database: Database, filter: ActPageFilter): Listing<ListedAct, bigint> => ({
  read: ({ limit: count, after }) => listActPage(database, filter, { limit: count, before: after }),
  positionOf: ({ seq }) => seq,
  cursorOf: String,
});

export const actsCsv = (currency: string, columns: readonly string[]): CsvForm => ({
  ...{ name: 'audit-log', columns, currency, pageRows: 500, isDownload: true },
});

/** The amount of a credit or an adjustment; null of others. */
export function amountOf({ details }: ListedAct): number | null {
  const digits = typeof details === 'object' && details !== null && 'amount' in details ? details.amount : null;
  return typeof digits === 'string' && /^-?\d{1,18}$/.test(digits) ? toAmount(micros(BigInt(digits))) : null;
}
