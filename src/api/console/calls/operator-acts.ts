/** The log of administrative acts, for operators: who did what, when and why. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { isoIn } from '../../../domain/time-zone.ts';
import type { ListedAct } from '../../../ledger/audit-log-list.ts';
import { answerWholeCsv } from '../../lists/list-answer.ts';
import { listObject, readPage } from '../../lists/list-page.ts';
import { isRange, pageRowsDefault, rangeFault } from '../../lists/list-query.ts';
import { actFilters, actListing, actPage, actsCsv, amountOf } from '../act-lists.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { actorObject, actorRecord } from '../operator-records.ts';

const facts = z.record(z.string(), z.unknown()).nullable();

const actRecord = z.strictObject({
  object: z.literal('act'),
  id: z.string(),
  created: z.int(),
  actor: actorRecord,
  action: z.string(),
  account_id: z.string().nullable(),
  account_name: z.string().nullable(),
  /** The account or key that was changed. */
  subject: z.string().nullable(),
  /** The amount of a credit or an adjustment. */
  amount: z.number().nullable(),
  details: facts,
  /** What was set of the subject from then on. */
  facts,
  reason: z.string().nullable(),
});

const present = (act: ListedAct): z.input<typeof actRecord> => {
  const details = facts.parse(act.details);
  return {
    object: 'act',
    id: `act_${act.seq}`,
    created: unixSeconds(act.at),
    actor: actorObject(act.actor, act.actorName),
    action: act.action,
    account_id: act.accountId,
    account_name: act.accountName,
    subject: act.subject,
    amount: amountOf(act),
    details,
    facts: facts.parse(act.facts),
    reason: act.reason,
  };
};

const accountRule = 'must be the id of an account';
const filters = {
  account: z
    .string(accountRule)
    .regex(/^acc_[0-9a-f]{32}$/, accountRule)
    .optional(),
  ...actFilters,
};

const listActsCall = operatorCall({
  method: 'get',
  path: '/operator/acts',
  id: 'listActs',
  summary: 'The audit log, newest first',
  query: z.object({ ...actPage, ...filters }).refine(isRange, rangeFault),
  answer: listOf(actRecord),
  handle: async ({ deps: { database }, query: { limit: rows = pageRowsDefault, cursor, ...filter } }) =>
    listObject(await readPage(actListing(database, filter), { limit: rows, after: cursor }), present),
});

const actsFile = operatorCall({
  method: 'get',
  path: '/operator/acts.csv',
  id: 'downloadActs',
  summary: 'All of it as CSV',
  query: z.object(filters).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: ({ ctx, deps, query }) =>
    answerWholeCsv(
      ctx,
      {
        ...actListing(deps.database, query),
        present: (act) => {
          const shown = present(act);
          return { ...shown, time: isoIn('UTC', act.at), actor: act.actor, actor_name: shown.actor.name };
        },
      },
      actsCsv(deps.configuration.currency, [
        ...['id', 'time', 'action', 'actor', 'actor_name', 'account_id', 'account_name', 'subject', 'amount', 'reason'],
        'details',
      ]),
    ),
});

export const operatorActCalls = [listActsCall, actsFile];
