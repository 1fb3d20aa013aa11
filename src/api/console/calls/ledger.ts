/** The account's ledger, entry by entry, and the same as a file. */
import * as z from 'zod';
import { findAccount } from '../../../accounts/accounts.ts';
import { keyNames } from '../../../accounts/key-names.ts';
import { toAmount } from '../../../domain/money.ts';
import { isoIn } from '../../../domain/time-zone.ts';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { listTransfers, sumsOfLedger, type Transfer, type TransferFilter } from '../../../ledger/transfers.ts';
import type { Entry } from '../../../ledger/entries.ts';
import { answerWholeCsv } from '../../lists/list-answer.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { isRange, modelFilter, pageRowsDefault, rangeFault } from '../../lists/list-query.ts';
import { entryFields, entryObject } from '../../presenters/ledger-entries.ts';
import {
  idFilter,
  ledgerCsv,
  ledgerFilters,
  ledgerListing,
  ledgerQuery,
  subjectFilters,
} from '../../lists/ledger-list.ts';
import { type AccountAsk, accountCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const entry = z.strictObject({
  ...entryFields,
  lines: z
    .array(
      z.strictObject({
        ...{ unit: z.string(), name: z.string().optional() },
        ...{ units: z.number(), unit_price: z.number(), amount: z.number() },
      }),
    )
    .optional()
    .describe('Of a chat call.'),
  key_name: z.string().nullable(),
});

const filters = { model: modelFilter, key_id: idFilter };
const query = ledgerQuery.safeExtend(filters);
const sumFilters = { ...subjectFilters, ...filters };
type SumFilters = z.output<z.ZodObject<typeof sumFilters>>;

const listLedger = accountCall({
  method: 'get',
  path: '/accounts/{account}/ledger',
  id: 'listLedger',
  summary: 'Entries of the ledger, newest first',
  needs: 'member',
  query,
  answer: listOf(entry),
  handle: async (ask) => {
    const { limit = pageRowsDefault, cursor } = ask.query;
    const page = await readPage(await listingOf(ask), { limit, after: cursor });
    return listObject({ ...page, rows: await withNames(ask, page.rows) }, shown);
  },
});

const ledgerFile = accountCall({
  method: 'get',
  path: '/accounts/{account}/ledger.csv',
  id: 'downloadLedger',
  summary: 'The whole of it as CSV, with the columns of the public API, times of the account and names of keys',
  needs: 'member',
  query: z.object({ ...ledgerFilters, ...filters }).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: async (ask) => {
    const { account, ctx, deps } = ask;
    const listing = await listingOf(ask);
    const timeZone = (await findAccount(deps.database, account))?.timeZone ?? 'UTC';
    const named: Listing<NamedEntry, bigint> = {
      ...listing,
      read: async (page) => withNames(ask, await listing.read(page)),
    };
    const present = (entry: NamedEntry) => ({ ...shown(entry), time: isoIn(timeZone, entry.createdAt) });
    const form = ledgerCsv(deps.configuration.currency);
    const columns = ['time', ...form.columns, 'key_name'];
    await answerWholeCsv(ctx, { ...named, present }, { ...form, columns, isDownload: true });
  },
});

const transfer = z.strictObject({
  id: z.string(),
  created: z.int(),
  /** What it begins with. */
  type: z.enum(['hold', 'credit', 'adjustment']),
  /** What it did to the balance in the end; of one under way, what is held. */
  amount: z.number(),
  charged: z.number(),
  is_open: z.boolean(),
  ...{ model: z.string().nullable(), task_id: z.string().nullable(), request_id: z.string().nullable() },
  ...{ key_id: z.string().nullable(), key_name: z.string().nullable(), reason: z.string().nullable() },
});

const listTransfersCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/ledger/transfers',
  id: 'listTransfers',
  summary: 'The ledger with a row for each call, task and credit, newest first',
  needs: 'member',
  query: z
    .object({ limit: ledgerQuery.shape.limit, cursor: ledgerQuery.shape.cursor, ...sumFilters })
    .refine(isRange, rangeFault),
  answer: listOf(transfer),
  handle: async ({ deps: { calls, database }, account, query: { limit = pageRowsDefault, cursor, ...filters } }) => {
    await calls.settled(account);
    const newest = (await findAccount(database, account))?.seq ?? 0n;
    const listing = {
      read: (page: { limit: number; after: bigint | undefined }) =>
        listTransfers(database, account, newest, filterOf(filters), { limit: page.limit, before: page.after }),
      positionOf: ({ seq }: Transfer) => seq,
      cursorOf: String,
    };
    const page = await readPage(listing, { limit, after: cursor });
    const names = await keyNames(
      database,
      account,
      page.rows.map(({ keyId }) => keyId),
    );
    return listObject(page, (one) => ({ ...transferObject(one), key_name: names.get(one.keyId ?? '') ?? null }));
  },
});

const sumLedger = accountCall({
  method: 'get',
  path: '/accounts/{account}/ledger/sums',
  id: 'sumLedger',
  summary: 'What was charged and added in all, of the entries that pass the filter',
  needs: 'member',
  query: z.object(sumFilters).refine(isRange, rangeFault),
  answer: z.strictObject({
    ...{ charged: z.number(), credited: z.number() },
    since: z.int().nullable().describe('Of a long ledger only the entries since then are summed; null: all of them.'),
  }),
  handle: async ({ deps: { calls, database }, account, query }) => {
    await calls.settled(account);
    const newest = (await findAccount(database, account))?.seq ?? 0n;
    const { charged, credited, since } = await sumsOfLedger(database, account, newest, filterOf(query));
    return { charged: toAmount(charged), credited: toAmount(credited), since: since ? unixSeconds(since) : null };
  },
});

export const ledgerCalls = [listLedger, ledgerFile, listTransfersCall, sumLedger];

const transferObject = (one: Transfer) => ({
  id: one.transferId,
  created: unixSeconds(one.createdAt),
  type: one.type,
  amount: one.type === 'hold' && one.isClosed ? 0 - toAmount(one.charged) : toAmount(one.amount),
  charged: toAmount(one.charged),
  is_open: !one.isClosed,
  ...{ model: one.model, task_id: one.taskId, request_id: one.requestId, key_id: one.keyId, reason: one.reason },
});

function filterOf(query: SumFilters): TransferFilter {
  const { task_id: taskId, request_id: requestId, batch_id: batchId, key_id: keyId, model, from, to } = query;
  return { taskId, requestId, batchId, keyId, model, from, to };
}

interface NamedEntry extends Entry {
  keyName: string | null;
}

async function withNames(
  { deps: { database }, account }: Pick<AccountAsk<unknown, unknown>, 'deps' | 'account'>,
  entries: readonly Entry[],
): Promise<NamedEntry[]> {
  const names = await keyNames(
    database,
    account,
    entries.map(({ keyId }) => keyId),
  );
  return entries.map((entry) => ({ ...entry, keyName: names.get(entry.keyId ?? '') ?? null }));
}

const shown = (entry: NamedEntry) => ({ ...entryObject(entry), key_name: entry.keyName });

type Filter = Omit<z.output<typeof query>, 'limit' | 'cursor'>;

async function listingOf({ deps: { calls, database }, account, query }: AccountAsk<Filter, unknown>) {
  await calls.settled(account);
  const { task_id: taskId, request_id: requestId, batch_id: batchId, key_id: keyId, type, model, from, to } = query;
  return ledgerListing(database, account, { taskId, requestId, batchId, keyId, type, model, from, to });
}
