/** The audit log of an account, as its owners see it: what was done in it and for it, without what is the operators' own. */
import * as z from 'zod';
import { findAccount } from '../../../accounts/accounts.ts';
import { isoIn } from '../../../domain/time-zone.ts';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import type { AccountId } from '../../../domain/ids.ts';
import type { ActName } from '../../../ledger/audit-log.ts';
import { actorOfAccount, type ListedAct } from '../../../ledger/audit-log-list.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { answerWholeCsv } from '../../lists/list-answer.ts';
import { listObject, readPage } from '../../lists/list-page.ts';
import { isRange, pageRowsDefault, rangeFault } from '../../lists/list-query.ts';
import { actFilters, actListing, actPage, actsCsv, amountOf } from '../act-lists.ts';
import { accountCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';

/** What owners may see; the rest is the operators' work, or of people as such. */
const shownActions: readonly ActName[] = [
  ...(['account.created', 'account.changed', 'account.suspended', 'account.resumed'] as const),
  ...(['account.credited', 'account.adjusted', 'webhook_secret.rotated', 'event.replayed'] as const),
  ...(['task.cancelled', 'batch.cancelled', 'key.created', 'key.changed', 'key.revoked'] as const),
  ...(['person.invited', 'person.joined', 'person.changed', 'person.removed', 'invitation.revoked'] as const),
];

const fields = {
  id: z.string(),
  created: z.int(),
  /** `operator`: a person of the service, or its command line. */
  actor: z.strictObject({
    kind: z.enum(['person', 'key', 'operator', 'tollgate']),
    name: z.string().nullable(),
  }),
  action: z.string(),
  subject: z.string().nullable().describe('The key, task, batch or event, or the address of the person.'),
  subject_name: z.string().nullable().describe('Of a key.'),
  amount: z.number().nullable().describe('Of a credit or an adjustment.'),
  reason: z.string().nullable().describe('Of a credit or an adjustment, and what the account itself gave.'),
  facts: z.record(z.string(), z.unknown()).describe('What is set of the account or key from then on.'),
};
const record = z.strictObject({ object: z.literal('act'), ...fields });

const list = accountCall({
  method: 'get',
  path: '/accounts/{account}/acts',
  id: 'listAccountActs',
  summary: 'What was done in the account and for it, newest first',
  needs: 'owner',
  query: z.object({ ...actPage, ...actFilters }).refine(isRange, rangeFault),
  answer: listOf(record),
  handle: async ({ deps, account, query: { limit = pageRowsDefault, cursor, ...filter } }) =>
    listObject(await readPage(await listingOf(deps, account, filter), { limit, after: cursor }), present),
});

const file = accountCall({
  method: 'get',
  path: '/accounts/{account}/acts.csv',
  id: 'downloadAccountActs',
  summary: 'All of it as CSV',
  needs: 'owner',
  query: z.object(actFilters).refine(isRange, rangeFault),
  answer: z.void(),
  media: 'text/csv',
  handle: async ({ ctx, deps, account, query }) => {
    const timeZone = (await findAccount(deps.database, account))?.timeZone ?? 'UTC';
    const lineOf = (act: ListedAct) => {
      const { actor, ...shown } = present(act);
      return { ...shown, time: isoIn(timeZone, act.at), actor: actor.name ?? actor.kind };
    };
    const columns = ['id', 'time', 'action', 'actor', 'subject', 'subject_name', 'amount', 'reason', 'facts'];
    const listing = await listingOf(deps, account, query);
    await answerWholeCsv(ctx, { ...listing, present: lineOf }, actsCsv(deps.configuration.currency, columns));
  },
});

export const actCalls = [list, file];

type Filter = z.output<z.ZodObject<typeof actFilters>>;

/** Only people who are shown by their address are found by it. */
async function listingOf({ database }: Pick<ApiDependencies, 'database'>, account: AccountId, filter: Filter) {
  const { actor: email, ...rest } = filter;
  const actor = email === undefined ? undefined : ((await actorOfAccount(database, account, email)) ?? noActor);
  return actListing(database, { ...rest, account, actor, actions: shownActions });
}

/** No entry is by this one. */
const noActor = 'person:';

const shownFacts = [
  ...['name', 'low_balance', 'time_zone', 'level', 'models', 'call_limits', 'spend_limit', 'max_running_tasks'],
  ...['queue', 'expires_at'],
];

function present(act: ListedAct): z.input<typeof record> {
  const actor = actorOf(act);
  const details = recordOf(act.details);
  const facts = recordOf(act.facts);
  // Of a person there are facts of other accounts too.
  const isOfPerson = act.action.startsWith('person.') || act.action.startsWith('invitation.');
  const amount = amountOf(act);
  return {
    object: 'act',
    id: `act_${act.seq}`,
    created: unixSeconds(act.at),
    actor,
    action: act.action,
    subject: textOf(
      isOfPerson
        ? (details['email'] ?? facts['email'])
        : (details['task_id'] ?? details['batch_id'] ?? details['event_id'] ?? act.subject),
    ),
    subject_name: act.action.startsWith('key.') ? textOf(facts['name']) : null,
    amount,
    reason: amount !== null || actor.kind !== 'operator' ? act.reason : null,
    facts: isOfPerson ? {} : Object.fromEntries(Object.entries(facts).filter(([name]) => shownFacts.includes(name))),
  };
}

function actorOf({ actor, actorName, isOfAccount }: ListedAct): z.input<typeof fields.actor> {
  if (actor === 'tollgate') return { kind: 'tollgate', name: null };
  if (!isOfAccount) return { kind: 'operator', name: null };
  return { kind: actor.startsWith('key:') ? 'key' : 'person', name: actorName };
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  z.record(z.string(), z.unknown()).catch({}).parse(value);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
