/** How the ledger compared with the last bill of each provider, for operators. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { reportRecord } from '../../../reconciliation/report.ts';
import { listReconciliations } from '../../../reconciliation/results.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

const reconciliation = z.strictObject({
  object: z.literal('reconciliation'),
  provider: z.string(),
  /** When `tollgate reconcile` was run. */
  made: z.int(),
  from: z.int(),
  to: z.int(),
  /** Of the differences by the sum of the bill. */
  share: z.number(),
  tolerance: z.number(),
  /** Whether the share is within the tolerance. */
  agrees: z.boolean(),
  /** Its list has the first differences; the counts are of all. */
  report: reportRecord,
});

const listCall = operatorCall({
  method: 'get',
  path: '/operator/reconciliations',
  id: 'listReconciliations',
  summary: 'The last comparison of each provider with its bill, with the first differences',
  answer: listOf(reconciliation),
  handle: async ({ deps: { database } }) => ({
    object: 'list' as const,
    data: (await listReconciliations(database)).map(({ provider, madeAt, period, share, tolerance, report }) => ({
      object: 'reconciliation' as const,
      provider,
      made: unixSeconds(madeAt),
      from: unixSeconds(period.from),
      to: unixSeconds(period.to),
      ...{ share, tolerance, agrees: share <= tolerance, report },
    })),
    has_more: false,
    next_cursor: null,
  }),
});

export const operatorReconciliationCalls = [listCall];
