/** The people of an account. Who changes what they may is logged, and the next request of theirs goes by it. */
import type pg from 'pg';
import * as z from 'zod';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';
import { type AccountRole, accountRoles, type PersonId } from '../domain/accounts/person-rules.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { computed, id, row, type RowOf } from '../postgres/row.ts';
import { rightSeal } from '../ledger/access-seals.ts';
import { lockLinksAbout, takeBackLinks } from './invitations.ts';

const memberRow = row({
  id: computed('m.person_id', id<PersonId>()),
  email: computed('p.email', z.string()),
  role: z.enum(accountRoles),
  /** They may not sign in. */
  isDisabled: computed('p.disabled_at is not null', z.boolean()),
  since: computed('m.created_at', z.date()),
});
export type Member = RowOf<typeof memberRow>;

const select = `select ${memberRow.columnsOf('m')} from memberships m join people p on p.id = m.person_id`;

/** An account's people, by address. */
export async function listMembers(database: Database, account: AccountId): Promise<Member[]> {
  const { rows } = await database.pool.query(`${select} where m.account_id = $1 order by p.email`, [account]);
  return rows.map((row) => memberRow.parse(row));
}

/**
 * Gives a person another role; a former owner keeps no open links in the account. Undefined if they are not of it. Refuses with `last_owner` where no one would
 * be left who may change anything.
 */
export async function changeRole(
  by: Administrator,
  account: AccountId,
  person: string,
  role: AccountRole,
): Promise<Member | undefined> {
  await administer(by, async (client) => {
    const member = await lockMember(client, account, person);
    if (!member || member.role === role) return undefined;
    const links = role === 'member' ? await lockLinksAbout(client, member, account) : [];
    if (role === 'member') await requireAnotherOwner(client, account, person);
    await client.query('update memberships set role = $3, seal = $4 where account_id = $1 and person_id = $2', [
      account,
      person,
      role,
      rightSeal(by.ledgerKey, ['member', person, account, role]),
    ]);
    const details = { person, email: member.email, role, ...(await takeBackLinks(client, links)) };
    return { act: { action: 'person.changed', account, subject: person, details }, outcome: true };
  });
  return findMember(by.database, account, person);
}

/** Takes a person out of the account, with their open links; returns whether they were of it. Refuses with `last_owner` like `changeRole`. */
export async function removeMember(by: Administrator, account: AccountId, person: string): Promise<boolean> {
  const done = await administer(by, async (client) => {
    const member = await lockMember(client, account, person);
    if (!member) return undefined;
    const links = await lockLinksAbout(client, member, account);
    if (member.role === 'owner') await requireAnotherOwner(client, account, person);
    await client.query('delete from memberships where account_id = $1 and person_id = $2', [account, person]);
    const details = { person, email: member.email, ...(await takeBackLinks(client, links)) };
    return { act: { action: 'person.removed', account, subject: person, details }, outcome: true };
  });
  return done ?? false;
}

/** Locks the account, so that two owners who remove each other at once come one after the other. */
async function lockMember(client: pg.ClientBase, account: AccountId, person: string): Promise<Member | undefined> {
  await client.query('select 1 from accounts where id = $1 for no key update', [account]);
  return memberOf(client, account, person);
}

async function requireAnotherOwner(client: pg.ClientBase, account: AccountId, person: string): Promise<void> {
  const { rowCount } = await client.query(
    `select 1 from memberships m join people p on p.id = m.person_id
     where m.account_id = $1 and m.person_id <> $2 and m.role = 'owner' and p.disabled_at is null limit 1`,
    [account, person],
  );
  if (rowCount === 0) {
    throw new GatewayError(
      'last_owner',
      'The account has no other owner who can sign in. Make another person an owner first.',
    );
  }
}

const findMember = (database: Database, account: AccountId, person: string): Promise<Member | undefined> =>
  memberOf(database.pool, account, person);

async function memberOf(
  client: Pick<pg.ClientBase, 'query'>,
  account: AccountId,
  person: string,
): Promise<Member | undefined> {
  const { rows } = await client.query(`${select} where m.account_id = $1 and m.person_id = $2`, [account, person]);
  return rows[0] === undefined ? undefined : memberRow.parse(rows[0]);
}
