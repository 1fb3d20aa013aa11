/** Revenue, cost and margin of all accounts by one dimension or by two, errors and latency likewise; and as a file. */
import * as z from 'zod';
import { chargesOfAll } from '../../../ledger/usage-table.ts';
import { sumRequests } from '../../../request-records/request-sums.ts';
import { boundsOf, usageRange, usageTableAnswer, usageTableQuery } from '../../lists/usage-table.ts';
import {
  requestFigureOf,
  requestFigures,
  requestSumsFields,
  saleFields,
  saleFigures,
} from '../../presenters/usage-figures.ts';
import { operatorCall, type PersonAsk } from '../console-call.ts';
import { usageTable } from '../usage-tables.ts';

const query = usageTableQuery(
  ['account', 'model', 'provider', 'key', 'user', 'tag'],
  ['revenue', 'cost', 'margin', 'tokens', 'calls', 'errors', 'latency', 'p95'],
);

const getAllUsageTable = operatorCall({
  method: 'get',
  path: '/operator/usage-table',
  id: 'getAllUsageTable',
  summary: 'The same of all accounts, with cost and margin, by time of admission',
  query,
  answer: usageTableAnswer(z.union([z.strictObject(saleFields), z.strictObject(requestSumsFields)])),
  handle: (ask) => tableOf(ask).answer(),
});

const allUsageTableFile = operatorCall({
  method: 'get',
  path: '/operator/usage-table.csv',
  id: 'downloadAllUsageTable',
  summary: 'The same as CSV, with a line each for more of the smaller ones',
  query,
  answer: z.void(),
  media: 'text/csv',
  handle: (ask) => tableOf(ask).answerFile(),
});

export const operatorUsageCalls = [getAllUsageTable, allUsageTableFile];

function tableOf(ask: PersonAsk<z.output<typeof query>, unknown>) {
  const { group, by, metric } = ask.query;
  const { database, requests } = ask.deps;
  const range = { ...usageRange(ask.query), timeZone: 'UTC' };
  const all = { ...ask, account: undefined };
  if (metric === 'errors' || metric === 'latency' || metric === 'p95')
    return usageTable(all, {
      read: async (bounds) => {
        await requests.written();
        const largestBy = metric === 'errors' ? 'errors' : 'requests';
        return sumRequests(database, { group, by, largestBy, ...range, ...boundsOf(ask.query, bounds) });
      },
      figuresOf: requestFigures,
      valueOf: (figures) => figures[requestFigureOf[metric]],
    });
  return usageTable(all, {
    read: async (bounds) => {
      await requests.written();
      const largestBy = metric === 'margin' ? 'revenue' : metric;
      return chargesOfAll(database, { group, by, largestBy, ...range, ...boundsOf(ask.query, bounds) });
    },
    figuresOf: saleFigures,
    valueOf: (figures) => figures[metric],
  });
}
