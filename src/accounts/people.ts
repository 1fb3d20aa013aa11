/** People of the console, and what they are to accounts. Who changes them is logged as an administrative act. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { type AccountRole, accountRoles, type PersonId } from '../domain/accounts/person-rules.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { bytes, computed, id, row, type RowOf } from '../postgres/row.ts';
import { newPersonId } from '../postgres/new-ids.ts';
import { isSealed, rightSeal } from '../ledger/access-seals.ts';

export const personRow = row({
  id: id<PersonId>(),
  email: z.string(),
  isOperator: z.boolean(),
  /** They may not sign in. */
  isDisabled: computed('p.disabled_at is not null', z.boolean()),
  createdAt: z.date(),
});
export type Person = RowOf<typeof personRow>;

/** What seals a person's rights and password. */
const sealsRow = row({ operatorSeal: bytes.nullable(), passwordHash: z.string(), passwordSeal: bytes });

const membershipRow = row({
  accountId: id<AccountId>(),
  accountName: computed('a.name', z.string()),
  accountStatus: computed('a.status', z.enum(['active', 'suspended'])),
  accountTimeZone: computed('a.time_zone', z.string()),
  role: z.enum(accountRoles),
});
export type Membership = RowOf<typeof membershipRow>;

const roleRow = row({ role: z.enum(accountRoles), seal: bytes });

export interface NewPerson {
  email: string;
  /** Argon2id, encoded. */
  passwordHash: string;
  isOperator: boolean;
  memberships: readonly { account: AccountId; role: AccountRole }[];
}

/** Of `people p`, with what `personOf` checks. */
export const personColumns = `${personRow.columnsOf('p')}, ${sealsRow.columnsOf('p')}`;

/** Makes a person, without an invitation; undefined if another person has this address already. */
export async function createPerson(by: Administrator, wanted: NewPerson): Promise<Person | undefined> {
  const { email, passwordHash, isOperator, memberships } = wanted;
  return administer(by, async (client) => {
    const { ledgerKey } = by;
    const id = newPersonId();
    const { rows } = await client.query(
      `insert into people as p (id, email, password_hash, password_seal, is_operator, operator_seal)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning ${personColumns}`,
      [
        id,
        email,
        passwordHash,
        rightSeal(ledgerKey, ['password', id, passwordHash]),
        isOperator,
        isOperator ? rightSeal(ledgerKey, ['operator', id, email]) : null,
      ],
    );
    if (rows[0] === undefined) return undefined;
    const person = personRow.parse(rows[0]);
    for (const { account, role } of memberships) {
      await client.query('insert into memberships (person_id, account_id, role, seal) values ($1, $2, $3, $4)', [
        id,
        account,
        role,
        rightSeal(ledgerKey, ['member', id, account, role]),
      ]);
    }
    const account = memberships[0]?.account ?? null;
    return {
      act: { action: 'person.created', account, subject: id, details: { person: id, email } },
      outcome: person,
    };
  });
}

/** Who signs in with this address, with the hash of their password. One that was put there by other hands is none. */
export async function findCredentials(
  database: Database,
  ledgerKeys: readonly Buffer[],
  email: string,
): Promise<{ person: Person; passwordHash: string } | undefined> {
  const { rows } = await database.pool.query(`select ${personColumns} from people p where p.email = $1`, [email]);
  if (rows[0] === undefined) return undefined;
  const person = personOf(ledgerKeys, rows[0]);
  const { passwordHash, passwordSeal: seal } = sealsRow.parse(rows[0]);
  return isSealed(ledgerKeys, ['password', person.id, passwordHash], seal) ? { person, passwordHash } : undefined;
}

export async function findPerson(database: Database, id: string): Promise<Person | undefined> {
  const { rows } = await database.pool.query(`select ${personColumns} from people p where p.id = $1`, [id]);
  return rows[0] === undefined ? undefined : personRow.parse(rows[0]);
}

/** How many people there are who can sign in. */
export async function countPeople(database: Database): Promise<number> {
  const { rows } = await database.pool.query('select count(*)::int as count from people where disabled_at is null');
  return z.object({ count: z.int() }).parse(rows[0]).count;
}

/** The accounts that a person belongs to, by name. */
export async function membershipsOf(database: Database, person: PersonId): Promise<Membership[]> {
  const { rows } = await database.pool.query(
    `select ${membershipRow.columnsOf('m')}
     from memberships m join accounts a on a.id = m.account_id where m.person_id = $1 order by a.name, a.id`,
    [person],
  );
  return rows.map((row) => membershipRow.parse(row));
}

/** What a person is to an account, or undefined; a role that was put there by other hands than the gateway's is none. */
export async function roleOf(
  database: Database,
  ledgerKeys: readonly Buffer[],
  person: PersonId,
  account: string,
): Promise<AccountRole | undefined> {
  const { rows } = await database.pool.query({
    name: 'role-of-person',
    text: `select ${roleRow.columns} from memberships where person_id = $1 and account_id = $2`,
    values: [person, account],
  });
  if (rows[0] === undefined) return undefined;
  const { role, seal } = roleRow.parse(rows[0]);
  return isSealed(ledgerKeys, ['member', person, account, role], seal) ? role : undefined;
}

/**
 * Sets a new password and ends all sessions of the person but `keep`. `before` is the hash of the password that was
 * checked: if another one was set meanwhile, nothing is changed and it returns false.
 */
export async function changePassword(
  by: Administrator,
  person: PersonId,
  { before, hash, keep }: { before: string; hash: string; keep: string },
): Promise<boolean> {
  const done = await administer(by, async (client) => {
    const { rowCount } = await client.query(
      'update people set password_hash = $3, password_seal = $4 where id = $1 and password_hash = $2',
      [person, before, hash, rightSeal(by.ledgerKey, ['password', person, hash])],
    );
    if (rowCount !== 1) return undefined;
    await client.query('delete from sessions where person_id = $1 and id <> $2', [person, keep]);
    return {
      act: { action: 'password.changed', account: null, subject: person, details: { person } },
      outcome: true,
    };
  });
  return done ?? false;
}

/** A person whose rights are to be used: who was made an operator by other hands than the gateway's is none. */
export function personOf(ledgerKeys: readonly Buffer[], row: unknown): Person {
  const person = personRow.parse(row);
  const { operatorSeal: seal } = sealsRow.parse(row);
  const isOperator = person.isOperator && isSealed(ledgerKeys, ['operator', person.id, person.email], seal);
  return { ...person, isOperator };
}
