/**
 * The batches of an account: looking through them, at one of them and at its files, and cancelling it. Uploads and
 * creations are the public operations, see `../playground-operations.ts`.
 */
import * as z from 'zod';
import { batchStates } from '../../../domain/batches/batch-states.ts';
import { GatewayError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { list } from '../../../domain/requests/parse.ts';
import { type BatchFacts, findBatchFacts, listBatchFacts } from '../../../batches/batch-reports.ts';
import { cancelBatch } from '../../../batches/cancel-batch.ts';
import { findFile } from '../../../files/file-rows.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, limit, pageRowsDefault } from '../../lists/list-query.ts';
import { accountFileDownload } from '../../presenters/openai-files.ts';
import { answerFile } from '../../send-file.ts';
import { batchLine, presentBatch } from '../batches/batch-line.ts';
import { batchPage, fileIdOf, fileRoles, presentBatchPage } from '../batches/batch-page.ts';
import { accountCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const idForm = /^batch_[0-9a-f]{32}$/;
/** Ids are ordered by time, so that the last one of a page is its cursor. */
export const batchCursor = z.string(cursorRule).regex(idForm, cursorRule).optional();
export const positionsOfBatches = {
  positionOf: ({ id }: BatchFacts) => id,
  cursorOf: (id: string) => id,
} satisfies Partial<Listing<BatchFacts, string>>;

const listCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/batches',
  id: 'listBatches',
  summary: 'Batches, newest first',
  needs: 'member',
  query: z.object({
    limit,
    cursor: batchCursor,
    status: z.enum(batchStates, `must be ${list(batchStates)}`).optional(),
  }),
  answer: listOf(batchLine),
  handle: async ({ deps: { database }, account, query: { limit: rows = pageRowsDefault, cursor, status } }) => {
    const states = status && [status];
    const listing: Listing<BatchFacts, string> = {
      read: (page) => listBatchFacts(database, { account, states, ...page }),
      ...positionsOfBatches,
    };
    return listObject(await readPage(listing, { limit: rows, after: cursor }), presentBatch);
  },
});

const getCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/batches/{id}',
  id: 'getBatch',
  summary: 'One batch with all that is known of it',
  needs: 'member',
  answer: batchPage,
  handle: async ({ deps, account, params, person: { isOperator } }) =>
    presentBatchPage(deps, await batchOf(deps, account, params), { isOperator }),
});

const cancelCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/batches/{id}/cancel',
  id: 'cancelBatch',
  summary: 'Have no more lines sent; what is under way is finished and charged',
  needs: 'owner',
  answer: batchPage,
  handle: async ({ deps, account, params, by, person: { isOperator } }) => {
    const { id } = await batchOf(deps, account, params);
    await cancelBatch(deps, account, id, by);
    return presentBatchPage(deps, await batchOf(deps, account, params), { isOperator });
  },
});

const fileCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/batches/{id}/files/{file}',
  id: 'downloadBatchFile',
  summary: 'Its input, output or error file',
  needs: 'member',
  answer: z.void(),
  media: 'application/octet-stream',
  handle: async ({ deps, ctx, account, params }) => {
    const role = fileRoles.find((one) => one === params['file']);
    const fileId = role && fileIdOf(await batchOf(deps, account, params), role);
    const found = async () => (fileId ? await findFile(deps.database, account, fileId) : undefined);
    const file = await found();
    if (!file) throw fileNotFound();
    const whenGone = async () => ((await found()) ? undefined : fileNotFound());
    await answerFile(deps, ctx, accountFileDownload(file, whenGone));
  },
});

export const batchCalls = [listCall, getCall, cancelCall, fileCall];

/** Refuses with `batch_not_found` what is no id, no batch, or another account's. */
async function batchOf(
  { database }: ApiDependencies,
  account: AccountId,
  { id = '' }: Readonly<Record<string, string>>,
): Promise<BatchFacts> {
  const batch = idForm.test(id) ? await findBatchFacts(database, id, account) : undefined;
  if (!batch) throw new GatewayError('batch_not_found', 'Batch not found.');
  return batch;
}

const fileNotFound = () => new GatewayError('file_not_found', 'This batch has no such file, or it was deleted.');
