/** The account's ledger, entry by entry, newest first, in JSON or CSV. */
import { keyOf } from '../context.ts';
import { answerList } from '../lists/list-answer.ts';
import { ledgerCsv, ledgerListing, ledgerQuery } from '../lists/ledger-list.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { exampleCreated, examplePage, one } from '../openapi/examples.ts';
import { listAnswer } from '../openapi/list-response.ts';
import { queryParameters } from '../openapi/queries.ts';
import { listOfRecords } from '../openapi/schemas.ts';
import { entryColumns, entryRecord } from '../presenters/ledger-entries.ts';
import { operation } from '../public-operation.ts';

const csvExample = [
  entryColumns.join(),
  `${exampleIds.entry},ledger_entry,1767225602,capture,0,99.8,0.2,${exampleIds.image},${exampleIds.request},${exampleIds.key},sim-image,1,image,0.2,,,`,
  '',
].join('\r\n');

export const listLedger = operation({
  method: 'get',
  path: '/account/ledger',
  id: 'listLedger',
  tag: 'Account',
  level: 'read',
  summary: 'Ledger entries, newest first',
  query: ledgerQuery,
  parameters: queryParameters(ledgerQuery, {
    task_id: 'Only entries of this task.',
    request_id: 'Only entries of this request.',
    batch_id: 'Only entries of the lines of this batch, as long as its files are kept.',
    type: 'Only entries of this type.',
  }),
  answer: listOfRecords('LedgerPage', entryRecord),
  responses: { 200: listAnswer(csvExample, ({ model }) => one('A page', examplePage(entryExample(model('image'))))) },
  errors: ['invalid_parameter'],
  handle: async ({ ctx, deps: { calls, configuration, database }, query }) => {
    const { type, from, to, task_id: taskId, request_id: requestId, batch_id: batchId } = query;
    const { accountId } = keyOf(ctx);
    await calls.settled(accountId);
    const listing = ledgerListing(database, accountId, { type, from, to, taskId, requestId, batchId });
    return answerList(ctx, listing, query, ledgerCsv(configuration.currency));
  },
});

const entryExample = (model: string) => ({
  id: exampleIds.entry,
  object: 'ledger_entry',
  created: exampleCreated + 2,
  type: 'capture',
  amount: 0,
  balance: 99.8,
  charged: 0.2,
  task_id: exampleIds.image,
  request_id: exampleIds.request,
  key_id: exampleIds.key,
  model,
  units: 1,
  unit: 'image',
  unit_price: 0.2,
  usage_source: null,
});
