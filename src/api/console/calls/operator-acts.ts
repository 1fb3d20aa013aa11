/** The log of administrative acts, for operators: who did what, when and why. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { micros, toAmount } from '../../../domain/money.ts';
import { type ListedAct, listActPage } from '../../../ledger/audit-log-list.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, isRange, limit, pageRowsDefault, rangeFault, timeRange } from '../../lists/list-query.ts';
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
    amount: amountOf(details?.['amount']),
    details,
    facts: facts.parse(act.facts),
    reason: act.reason,
  };
};

const amountOf = (digits: unknown): number | null =>
  typeof digits === 'string' && /^-?\d{1,18}$/.test(digits) ? toAmount(micros(BigInt(digits))) : null;

const actorRule = "must be an actor, such as 'cli:root', or a person's e-mail address";
const actionRule = "must be an action of the audit log, such as 'account.credited'";
const accountRule = 'must be the id of an account';

const listActsCall = operatorCall({
  method: 'get',
  path: '/operator/acts',
  id: 'listActs',
  summary: 'The audit log, newest first',
  query: z
    .object({
      limit,
      cursor: z
        .string(cursorRule)
        .regex(/^\d{1,18}$/, cursorRule)
        .transform(BigInt)
        .optional(),
      account: z
        .string(accountRule)
        .regex(/^acc_[0-9a-f]{32}$/, accountRule)
        .optional(),
      actor: z
        .string(actorRule)
        .trim()
        .regex(/^\P{Cc}{1,300}$/u, actorRule)
        .optional(),
      action: z
        .string(actionRule)
        .regex(/^[a-z_]{1,40}\.[a-z_]{1,40}$/, actionRule)
        .optional(),
      ...timeRange,
    })
    .refine(isRange, rangeFault),
  answer: listOf(actRecord),
  handle: async ({ deps: { database }, query: { limit: rows, cursor, ...filter } }) => {
    const listing: Listing<ListedAct, bigint> = {
      read: ({ limit: count, after }) => listActPage(database, filter, { limit: count, before: after }),
      positionOf: ({ seq }) => seq,
      cursorOf: String,
    };
    return listObject(await readPage(listing, { limit: rows ?? pageRowsDefault, after: cursor }), present);
  },
});

export const operatorActCalls = [listActsCall];
