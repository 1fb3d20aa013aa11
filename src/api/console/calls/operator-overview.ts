/** The operators' first page: what was earned, and what needs a look. The sums are a call of their own, as they take longer. */
import * as z from 'zod';
import { lowAccounts } from '../../../accounts/low-accounts.ts';
import { listAudits } from '../../../audit/audit-results.ts';
import { batchesUnderWay } from '../../../batches/batch-reports.ts';
import { toAmount } from '../../../domain/money.ts';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { countRequests } from '../../../request-records/error-counts.ts';
import { listUnknownOutcomes } from '../../../tasks/provider-calls/intent-reports.ts';
import { countRecentTasks } from '../../../tasks/rows/all-tasks.ts';
import { readFigures } from '../../../tasks/rows/gauges.ts';
import { operatorCall } from '../console-call.ts';
import { kept } from '../overview/kept.ts';
import { readSales, salesRecord } from '../overview/sales.ts';

const getSales = operatorCall({
  method: 'get',
  path: '/operator/sales',
  id: 'getSales',
  summary: 'Revenue, cost and margin of the last 30 days, and the accounts that paid the most',
  answer: salesRecord,
  handle: ({ deps: { database } }) => readSales(database),
});

const count = z.int();
const errorTally = z.strictObject({
  count: count.describe('All that have ended.'),
  failed: count,
  by_code: z.array(z.strictObject({ code: z.string(), count })).describe('The most frequent first.'),
});
const errors = z.strictObject({
  last_hour: errorTally,
  last_day: errorTally,
});

const overviewRecord = z.strictObject({
  object: z.literal('operator_overview'),
  requests: errors.describe('Of all keys, refused ones too.'),
  tasks: errors.describe('By the time of their creation; cancelled ones are no failures.'),
  queues: z.strictObject({
    tasks_waiting: count.describe('Accepted, and not begun.'),
    tasks_running: count,
    tasks_queued: count.describe('Of those that wait: until their keys may run more.'),
    batches: count.describe('Under way.'),
    batch_lines: count.describe('Of these batches, lines that have not ended.'),
    events: count.describe('Webhook events that are being delivered.'),
  }),
  unknown_outcomes: z.strictObject({
    count: count.describe('Of paid calls, that are not resolved.'),
    has_more: z.boolean(),
  }),
  audit: z
    .strictObject({ id: z.string(), finished: z.int(), agrees: z.boolean(), finding_count: count })
    .nullable()
    .describe('The last one; null: there was none.'),
  low_accounts: z.strictObject({
    count,
    poorest: z.array(
      z.strictObject({
        ...{ id: z.string(), name: z.string(), balance: z.number(), held: z.number() },
        ...{ low_balance: z.number().nullable(), in_arrears: z.boolean() },
      }),
    ),
  }),
});

const lowMax = 5;
const unknownMax = 100;
const codesMax = 8;
/** The paid calls of a week are looked through for them. */
const unknownKeptMs = 30_000;

const getOverview = operatorCall({
  method: 'get',
  path: '/operator/overview',
  id: 'getOperatorOverview',
  summary: 'Errors, queues, unknown outcomes, the last audit, and accounts that are low',
  answer: overviewRecord,
  handle: async ({ deps: { database, requests, secrets } }) => {
    await requests.written();
    const [asked, tasks, figures, batches, unknown, [audit], low] = await Promise.all([
      countRequests(database),
      countRecentTasks(database, new Date()),
      readFigures(database),
      batchesUnderWay(database),
      countUnknown(database),
      listAudits(database, secrets.ledgerKeys, { limit: 1, before: undefined }),
      lowAccounts(database, lowMax),
    ]);
    const inState = (state: string) =>
      figures.unfinished.reduce((sum, each) => sum + (each.state === state ? each.count : 0), 0);
    const ended = tasks
      .filter(({ state }) => state !== 'under_way')
      .map((each) => ({ ...each, code: each.state === 'failed' ? (each.code ?? 'internal_error') : null }));
    return {
      object: 'operator_overview' as const,
      requests: errorsObject(asked),
      tasks: errorsObject(ended),
      queues: {
        ...{ tasks_waiting: inState('accepted'), tasks_running: inState('running'), tasks_queued: figures.queued },
        ...{ batches: batches.batches, batch_lines: batches.lines },
        events: figures.eventsUnstarted + figures.eventsUnderWay,
      },
      unknown_outcomes: unknown,
      audit: audit
        ? {
            ...{ id: audit.id, finished: unixSeconds(audit.finishedAt), agrees: audit.agrees },
            finding_count: audit.findingCount,
          }
        : null,
      low_accounts: {
        count: low.count,
        poorest: low.poorest.map(({ id, name, available, held, lowBalance, inArrears }) => ({
          ...{ id, name, balance: toAmount(available), held: toAmount(held), in_arrears: inArrears },
          low_balance: lowBalance === null ? null : toAmount(lowBalance),
        })),
      },
    };
  },
});

export const operatorOverviewCalls = [getOverview, getSales];

const countUnknown = kept(unknownKeptMs, async (database) => {
  const found = await listUnknownOutcomes(database, { isReviewed: false, limit: unknownMax + 1 }, new Date());
  return { count: Math.min(unknownMax, found.length), has_more: found.length > unknownMax };
});

interface Count {
  /** Null: it did not fail. */
  code: string | null;
  lastHour: number;
  lastDay: number;
}

function errorsObject(counts: readonly Count[]): z.input<typeof errors> {
  const tally = (numberOf: (each: Count) => number): z.input<typeof errorTally> => {
    const failed = counts.filter((each) => each.code !== null && numberOf(each) > 0);
    return {
      count: sum(counts, numberOf),
      failed: sum(failed, numberOf),
      by_code: failed
        .map((each) => ({ code: each.code ?? '', count: numberOf(each) }))
        .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
        .slice(0, codesMax),
    };
  };
  return {
    last_hour: tally(({ lastHour }) => lastHour),
    last_day: tally(({ lastDay }) => lastDay),
  };
}

const sum = (counts: readonly Count[], numberOf: (each: Count) => number): number =>
  counts.reduce((all, each) => all + numberOf(each), 0);
