/** People of the installation, for operators: inviting, links for a forgotten password, disabling, making operators. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { GatewayError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { accountRoles, emailField, roleField } from '../../../domain/accounts/person-rules.ts';
import { reasonField, searchField } from '../../../domain/requests/operator.ts';
import { findAccount } from '../../../accounts/accounts.ts';
import { namesOf } from '../../../ledger/audit-log-list.ts';
import { type Invitation, invite, listInvitations, revokeInvitation } from '../../../accounts/invitations.ts';
import {
  findPersonByEmail,
  type ListedPerson,
  listPeople,
  type PersonChanged,
  removeOperator,
  setDisabled,
} from '../../../accounts/operators.ts';
import { findPerson, type Person } from '../../../accounts/people.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { cursorRule, limit, pageRowsDefault } from '../../lists/list-query.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { actorObject, invitationObject, invitationRecord, linkObject, linkRecord } from '../operator-records.ts';

const personRecord = z.strictObject({
  object: z.literal('person'),
  id: z.string(),
  email: z.string(),
  is_operator: z.boolean(),
  is_disabled: z.boolean(),
  created: z.int(),
  /** When one of their sessions was last used; null where none is left. */
  last_seen: z.int().nullable(),
  /** The account whose link made this person: its owners chose the address, and may have used the link themselves. */
  joined_by_account: z.strictObject({ id: z.string(), name: z.string() }).nullable(),
  accounts: z.array(z.strictObject({ id: z.string(), name: z.string(), role: z.enum(accountRoles) })),
});

const present = (person: ListedPerson): z.input<typeof personRecord> => ({
  object: 'person',
  id: person.id,
  email: person.email,
  is_operator: person.isOperator,
  is_disabled: person.isDisabled,
  created: unixSeconds(person.createdAt),
  last_seen: person.lastSeenAt && unixSeconds(person.lastSeenAt),
  joined_by_account: person.joinedBy,
  accounts: person.accounts.map(({ id, name, role }) => ({ id, name, role })),
});

const idCursor = (prefix: string) =>
  z
    .string(cursorRule)
    .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), cursorRule)
    .optional();

const listCall = operatorCall({
  method: 'get',
  path: '/operator/people',
  id: 'listPeople',
  summary: 'Everybody who can sign in, newest first',
  query: z.object({ limit, cursor: idCursor('usr'), search: searchField.optional() }),
  answer: listOf(personRecord),
  handle: async ({ deps: { database }, query: { limit: rows, cursor, search } }) => {
    const listing: Listing<ListedPerson, string> = {
      read: ({ limit: count, after }) => listPeople(database, { search }, { limit: count, before: after }),
      positionOf: ({ id }) => id,
      cursorOf: (id) => id,
    };
    return listObject(await readPage(listing, { limit: rows ?? pageRowsDefault, after: cursor }), present);
  },
});

const linkCall = operatorCall({
  method: 'post',
  path: '/operator/people/{person}/link',
  id: 'makePersonLink',
  summary: 'A one-time link by which a person sets a new password; it is shown this once',
  answer: linkRecord,
  handle: async ({ deps, by, params }) => {
    const { email, isDisabled } = await named(deps, params);
    if (isDisabled) throw isKeptOut(email);
    return linkObject(await invite(by, { email, account: null, role: null, makesOperator: false }));
  },
});

const disabledCall = (act: 'disable' | 'enable', summary: string) =>
  operatorCall({
    method: 'post',
    path: `/operator/people/{person}/${act}`,
    id: `${act}Person`,
    summary,
    body: z.strictObject({ reason: reasonField.nullish() }),
    answer: personRecord,
    handle: async ({ deps, by, person: asker, params, body: { reason } }) => {
      const person = await named(deps, params);
      if (act === 'disable' && person.id === asker.id) throw yourself();
      refuseLast(await setDisabled(by, person, act === 'disable', reason ?? undefined));
      return presentOne(deps, person);
    },
  });

const byLinkOnly =
  "must be false: to make a person an operator, create a link with 'POST /operator/invitations' and 'is_operator' true";
const operatorRightCall = operatorCall({
  method: 'put',
  path: '/operator/people/{person}/operator',
  id: 'setPersonOperator',
  summary: 'Take the rights of an operator from a person; a link gives them',
  body: z.strictObject({ is_operator: z.literal(false, byLinkOnly) }),
  answer: personRecord,
  handle: async ({ deps, by, person: asker, params }) => {
    const person = await named(deps, params);
    if (person.id === asker.id) throw yourself();
    refuseLast(await removeOperator(by, person));
    return presentOne(deps, person);
  },
});

const listInvitationsCall = operatorCall({
  method: 'get',
  path: '/operator/invitations',
  id: 'listLinks',
  summary: 'One-time links, newest first; never their tokens',
  query: z.object({ limit, cursor: idCursor('inv') }),
  answer: listOf(invitationRecord),
  handle: async ({ deps: { database }, query: { limit: rows, cursor } }) => {
    const listing: Listing<Invitation, string> = {
      read: ({ limit: count, after }) => listInvitations(database, { limit: count, before: after }),
      positionOf: ({ id }) => id,
      cursorOf: (id) => id,
    };
    const page = await readPage(listing, { limit: rows ?? pageRowsDefault, after: cursor });
    const inviters = page.rows.map(({ invitedBy }) => invitedBy);
    const names = await namesOf(database, inviters);
    return listObject(page, (invitation) => ({
      ...invitationObject(invitation),
      invited_by: actorObject(invitation.invitedBy, names.get(invitation.invitedBy) ?? null),
    }));
  },
});

const together = "and 'role' must be sent together";
const inviteCall = operatorCall({
  method: 'post',
  path: '/operator/invitations',
  id: 'invitePerson',
  summary: 'A one-time link by which a person becomes an operator, or joins an account; it is shown this once',
  body: z
    .strictObject({
      email: emailField,
      is_operator: z.boolean('must be true or false').default(false),
      account: z
        .string('must be the id of an account')
        .regex(/^acc_[0-9a-f]{32}$/, 'must be the id of an account')
        .nullish(),
      role: roleField.nullish(),
    })
    .refine(({ account, role }) => Boolean(account) === Boolean(role), { path: ['account'], error: together })
    .refine(({ account, is_operator: isOperator }) => Boolean(account) || isOperator, {
      path: ['is_operator'],
      error: 'must be true where no account is named',
    }),
  answer: linkRecord,
  handle: async ({ deps, by, body: { email, is_operator: makesOperator, account, role } }) => {
    if (account && !(await findAccount(deps.database, account)))
      throw new GatewayError('invalid_parameter', `Account ${account} not found.`, { param: 'account' });
    if ((await findPersonByEmail(deps.database, email))?.isDisabled) throw isKeptOut(email);
    const of = { account: (account ?? null) as AccountId | null, role: role ?? null };
    return linkObject(await invite(by, { email, ...of, makesOperator }));
  },
});

const revokeCall = operatorCall({
  method: 'delete',
  path: '/operator/invitations/{invitation}',
  id: 'revokeLink',
  summary: 'Take a one-time link back',
  answer: z.void(),
  handle: async ({ by, params: { invitation = '' } }) => {
    const isKnown = /^inv_[0-9a-f]{32}$/.test(invitation);
    if (!isKnown || !(await revokeInvitation(by, invitation)))
      throw new GatewayError('route_not_found', 'No open link has this id.');
  },
});

export const operatorPeopleCalls = [
  listCall,
  linkCall,
  disabledCall('disable', 'Keep a person from signing in, and end their sessions at once'),
  disabledCall('enable', 'Let a person sign in again'),
  operatorRightCall,
  listInvitationsCall,
  inviteCall,
  revokeCall,
];

/** The person of the path. */
async function named(
  { database }: ApiDependencies,
  { person = '' }: Readonly<Record<string, string>>,
): Promise<Person> {
  const found = /^usr_[0-9a-f]{32}$/.test(person) ? await findPerson(database, person) : undefined;
  if (!found) throw new GatewayError('route_not_found', 'Person not found.');
  return found;
}

async function presentOne({ database }: ApiDependencies, { id }: Person): Promise<z.input<typeof personRecord>> {
  const [person] = await listPeople(database, { search: id }, { limit: 1, before: undefined });
  if (!person) throw new GatewayError('internal_error', 'This person no longer exists.');
  return present(person);
}

function refuseLast(changed: PersonChanged): void {
  if (changed !== 'last') return;
  throw new GatewayError('would_lock_out', 'This is the last operator. Add another operator first.');
}

const yourself = (): GatewayError =>
  new GatewayError('would_lock_out', 'You can’t do this to yourself. Ask another operator.');

const isKeptOut = (email: string): GatewayError =>
  new GatewayError('invalid_parameter', `${email} is disabled. Enable this person first.`, { param: 'email' });
