/** The batches of all accounts, for operators; a batch is looked at and cancelled as its owners do it. */
import * as z from 'zod';
import { batchStates, isFinalBatch } from '../../../domain/batches/batch-states.ts';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { type BatchFacts, listBatchFacts } from '../../../batches/batch-reports.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { limit, pageRowsDefault } from '../../lists/list-query.ts';
import { batchFields, presentBatch } from '../batches/batch-line.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { batchCursor, positionsOfBatches } from './batches.ts';

const record = z.strictObject({
  ...batchFields,
  account: z.strictObject({ id: z.string(), name: z.string() }),
  /** When it was last heard of. */
  seen: z.int().nullable(),
});

const underWay = batchStates.filter((state) => !isFinalBatch(state));

const listCall = operatorCall({
  method: 'get',
  path: '/operator/batches',
  id: 'listAllBatches',
  summary: 'Batches of all accounts, newest first',
  query: z.object({
    limit,
    cursor: batchCursor,
    state: z.enum(['under_way', 'all'], "must be 'under_way' or 'all'").optional(),
  }),
  answer: listOf(record),
  handle: async ({ deps: { database }, query: { limit: rows = pageRowsDefault, cursor, state = 'under_way' } }) => {
    const states = state === 'all' ? undefined : underWay;
    const listing: Listing<BatchFacts, string> = {
      read: (page) => listBatchFacts(database, { states, ...page }),
      ...positionsOfBatches,
    };
    return listObject(await readPage(listing, { limit: rows, after: cursor }), present);
  },
});

export const operatorBatchCalls = [listCall];

const present = (batch: BatchFacts): z.input<typeof record> => ({
  ...presentBatch(batch),
  account: { id: batch.accountId, name: batch.accountName },
  seen: batch.seenAt && unixSeconds(batch.seenAt),
});
