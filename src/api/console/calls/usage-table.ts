/** What the account used and paid by one dimension or by two, how many requests failed and how long they took; and as a file. */
import * as z from 'zod';
import { findAccount } from '../../../accounts/accounts.ts';
import { stretchOf } from '../../../ledger/sequence-range.ts';
import { chargesOfAccount } from '../../../ledger/usage-table.ts';
import { sumRequests } from '../../../request-records/request-sums.ts';
import { idFilter } from '../../lists/ledger-list.ts';
import { boundsOf, usageRange, usageTableAnswer, usageTableQuery } from '../../lists/usage-table.ts';
import {
  chargeFields,
  chargeFigures,
  requestFigureOf,
  requestFigures,
  requestSumsFields,
} from '../../presenters/usage-figures.ts';
import { type AccountAsk, accountCall } from '../console-call.ts';
import { usageTable } from '../usage-tables.ts';

const query = usageTableQuery(
  ['model', 'key', 'user', 'tag'],
  ['cost', 'tokens', 'calls', 'errors', 'latency', 'p95'],
).safeExtend({ key_id: idFilter });

const getUsageTable = accountCall({
  method: 'get',
  path: '/accounts/{account}/usage-table',
  id: 'getUsageTable',
  summary: 'Cost, tokens and calls of the ledger, errors and latency of requests, by one dimension or by two',
  needs: 'member',
  query,
  answer: usageTableAnswer(z.union([z.strictObject(chargeFields), z.strictObject(requestSumsFields)])),
  handle: (ask) => tableOf(ask).answer(),
});

const usageTableFile = accountCall({
  method: 'get',
  path: '/accounts/{account}/usage-table.csv',
  id: 'downloadUsageTable',
  summary: 'The same as CSV, with a line each for more of the smaller ones',
  needs: 'member',
  query,
  answer: z.void(),
  media: 'text/csv',
  handle: (ask) => tableOf(ask).answerFile(),
});

export const usageTableCalls = [getUsageTable, usageTableFile];

function tableOf(ask: AccountAsk<z.output<typeof query>, unknown>) {
  const { account, deps, query: asked } = ask;
  const { group, by, metric, key_id: key } = asked;
  const { calls, database, requests } = deps;
  const range = usageRange(asked);
  const zoneOf = async () => (await findAccount(database, account))?.timeZone ?? 'UTC';
  if (metric === 'errors' || metric === 'latency' || metric === 'p95')
    return usageTable(ask, {
      read: async (bounds) => {
        await requests.written();
        const largestBy = metric === 'errors' ? 'errors' : 'requests';
        const times = { ...range, timeZone: await zoneOf() };
        return sumRequests(database, { account, key, group, by, largestBy, ...times, ...boundsOf(asked, bounds) });
      },
      figuresOf: requestFigures,
      valueOf: (figures) => figures[requestFigureOf[metric]],
    });
  return usageTable(ask, {
    read: async (bounds) => {
      await calls.settled(account);
      await requests.written();
      const { seq: newest = 0n, timeZone = 'UTC' } = (await findAccount(database, account)) ?? {};
      const stretch = await stretchOf(database, account, newest, range);
      const largestBy = metric === 'cost' ? 'revenue' : metric;
      return chargesOfAccount(database, account, stretch, {
        ...{ key, group, by, largestBy, timeZone, ...range, ...boundsOf(asked, bounds) },
      });
    },
    figuresOf: chargeFigures,
    valueOf: (figures) => figures[metric],
  });
}
