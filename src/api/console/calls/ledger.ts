/** The account's ledger, entry by entry, and the same as a file. */
import * as z from 'zod';
import { keyNames } from '../../../accounts/key-names.ts';
import type { Entry } from '../../../ledger/entries.ts';
import { answerWholeCsv } from '../../lists/list-answer.ts';
import { listObject, readPage } from '../../lists/list-page.ts';
import { isRange, modelFilter, pageRowsDefault, rangeFault } from '../../lists/list-query.ts';
import { entryFields, entryObject } from '../../presenters/ledger-entries.ts';
import { idFilter, ledgerCsv, ledgerFilters, ledgerListing, ledgerQuery } from '../../lists/ledger-list.ts';
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
    const names = await keyNames(
      ask.deps.database,
      ask.account,
      page.rows.map(({ keyId }) => keyId),
    );
    return listObject(page, (entry: Entry) => ({
      ...entryObject(entry),
      key_name: names.get(entry.keyId ?? '') ?? null,
    }));
  },
});

const ledgerFile = accountCall({
  method: 'get',
  path: '/accounts/{account}/ledger.csv',
  id: 'downloadLedger',
  summary: 'The whole of it as CSV, with the columns of the public API',
  needs: 'member',
  query: z.object({ ...ledgerFilters, ...filters }).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: async (ask) => answerWholeCsv(ask.ctx, await listingOf(ask), ledgerCsv(ask.deps.configuration.currency)),
});

export const ledgerCalls = [listLedger, ledgerFile];

type Filter = Omit<z.output<typeof query>, 'limit' | 'cursor'>;

async function listingOf({ deps: { calls, database }, account, query }: AccountAsk<Filter, unknown>) {
  await calls.settled(account);
  const { task_id: taskId, request_id: requestId, batch_id: batchId, key_id: keyId, type, model, from, to } = query;
  return ledgerListing(database, account, { taskId, requestId, batchId, keyId, type, model, from, to });
}
