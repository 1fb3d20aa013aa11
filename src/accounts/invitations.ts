/** One-time links by which a person joins an account, becomes an operator, or sets a new password. */
import type pg from 'pg';
import * as z from 'zod';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';
import { type AccountRole, accountRoles } from '../domain/accounts/person-rules.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { bytes, computed, id, pick, row, type RowOf } from '../postgres/row.ts';
import { newInvitationId, newPersonId } from '../postgres/new-ids.ts';
import { isSealed, rightSeal, tokenHash, tokenHashes } from '../ledger/access-seals.ts';
import { type Person, personColumns, personRow } from './people.ts';
import { newToken } from './sessions.ts';

const invitationDays = 7;

/** What using the link makes of who uses it, besides setting their password. */
export interface Offer {
  /** In lower case. */
  email: string;
  account: AccountId | null;
  /** Null where no account is. */
  role: AccountRole | null;
  makesOperator: boolean;
}

const open = 'i.closed_at is null and i.expires_at > now()';

const offerColumns = {
  id: z.string(),
  email: z.string(),
  accountId: id<AccountId>().nullable(),
  role: z.enum(accountRoles).nullable(),
  makesOperator: z.boolean(),
};
const invitationRow = row({
  ...offerColumns,
  accountName: computed('a.name', z.string().nullable()),
  invitedBy: z.string(),
  createdAt: z.date(),
  expiresAt: z.date(),
  state: computed(
    `case when i.is_used then 'used' when i.closed_at is not null then 'revoked'
      when i.expires_at <= now() then 'expired' else 'open' end`,
    z.enum(['open', 'used', 'revoked', 'expired']),
  ),
}).as(({ accountId: account, ...invitation }) => ({ ...invitation, account }));
export type Invitation = RowOf<typeof invitationRow>;

const sealColumns = { tokenHash: bytes, seal: bytes };
const sealedRow = row({ ...offerColumns, ...sealColumns });
const revokedRow = row(pick(offerColumns, 'accountId', 'email'));
const idRow = row(pick(offerColumns, 'id'));

const select = `select ${invitationRow.columnsOf('i')}, ${row(sealColumns).columnsOf('i')}
  from invitations i left join accounts a on a.id = i.account_id`;

/** Makes a link; its token is returned this once. */
export async function invite(
  by: Administrator,
  { email, account, role, makesOperator }: Offer,
): Promise<{ invitation: Invitation; token: string }> {
  const id = newInvitationId();
  const token = newToken();
  const hash = tokenHash(by.ledgerKey, 'invitations', token);
  const seal = rightSeal(by.ledgerKey, ['invitation', id, hash, email, account, role, makesOperator]);
  await administer(by, async (client) => {
    await client.query(
      `insert into invitations (id, token_hash, email, account_id, role, makes_operator, invited_by, seal, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '${invitationDays} days')`,
      [id, hash, email, account, role, makesOperator, by.actor, seal],
    );
    const details = {
      invitation: id,
      email,
      ...(role && { role }),
      ...(makesOperator && { operator: 'true' }),
    };
    return { act: { action: 'person.invited', account, subject: null, details }, outcome: true };
  });
  const invitation = await findInvitation(by.database, id);
  if (!invitation) throw new Error(`invitation ${id} is gone`);
  return { invitation, token };
}

async function findInvitation(database: Database, id: string): Promise<Invitation | undefined> {
  const { rows } = await database.pool.query(`${select} where i.id = $1`, [id]);
  return rows[0] === undefined ? undefined : invitationRow.parse(rows[0]);
}

/** The invitation of a link that can still be used. One that was made or changed by other hands than the gateway's can't. */
export async function findOpenInvitation(
  database: Database,
  ledgerKeys: readonly Buffer[],
  token: string,
): Promise<Invitation | undefined> {
  const { rows } = await database.pool.query(`${select} where i.token_hash = any($1::bytea[]) and ${open}`, [
    tokenHashes(ledgerKeys, 'invitations', token),
  ]);
  return rows[0] === undefined || !isOurs(ledgerKeys, rows[0]) ? undefined : invitationRow.parse(rows[0]);
}

/** Whether what a link offers is what it was made with. */
function isOurs(ledgerKeys: readonly Buffer[], row: unknown): boolean {
  const { id, tokenHash, email, accountId, role, makesOperator, seal } = sealedRow.parse(row);
  return isSealed(ledgerKeys, ['invitation', id, tokenHash, email, accountId, role, makesOperator], seal);
}

/** The newest invitations (older than `before`), of one account if it is named. */
export async function listInvitations(
  database: Database,
  { account, before, limit }: { account?: AccountId; before?: string | undefined; limit: number },
): Promise<Invitation[]> {
  const { rows } = await database.pool.query(
    `${select} where ($1::text is null or i.account_id = $1) and ($3::text is null or i.id < $3)
     order by i.id desc limit $2`,
    [account ?? null, limit, before ?? null],
  );
  return rows.map((row) => invitationRow.parse(row));
}

/** Takes a link back; returns whether there was an open one (of this account, if one is named). */
export async function revokeInvitation(by: Administrator, id: string, account?: AccountId): Promise<boolean> {
  const done = await administer(by, async (client) => {
    const { rows } = await client.query(
      `update invitations i set closed_at = now()
       where i.id = $1 and ($2::text is null or i.account_id = $2) and ${open} returning ${revokedRow.columnsOf('i')}`,
      [id, account ?? null],
    );
    if (rows[0] === undefined) return undefined;
    const { accountId: of, email } = revokedRow.parse(rows[0]);
    return {
      act: { action: 'invitation.revoked', account: of, subject: null, details: { invitation: id, email } },
      outcome: true,
    };
  });
  return done ?? false;
}

/**
 * Locks the open links that a person made or that are for them, of one account if it is named. A person who loses a right must
 * not come by it again with a link from before; it goes before all else is locked, as using a link does.
 */
export async function lockLinksAbout(
  client: pg.ClientBase,
  { id, email }: Pick<Person, 'id' | 'email'>,
  account?: AccountId,
): Promise<string[]> {
  const { rows } = await client.query(
    `select i.id from invitations i
     where (i.invited_by = $1 or i.email = $2) and ($3::text is null or i.account_id = $3) and ${open}
     order by i.id for update`,
    [`person:${id}`, email, account ?? null],
  );
  return rows.map((row) => idRow.parse(row).id);
}

/** Takes links back that are locked; returns what the audit-log entry says of it. */
export async function takeBackLinks(
  client: pg.ClientBase,
  links: readonly string[],
): Promise<{ links_taken_back?: string }> {
  if (links.length === 0) return {};
  await client.query('update invitations set closed_at = now() where id = any($1::text[])', [links]);
  return { links_taken_back: links.join(' ') };
}

/**
 * Whether a link sets a new password of a person who is there already. Only those of operators do: owners may invite
 * whatever address they like, and would else get into the accounts and rights of others.
 */
export const setsPassword = ({ account, makesOperator }: Pick<Offer, 'account' | 'makesOperator'>): boolean =>
  account === null || makesOperator;

/**
 * Uses a link, once: its person is made, and the offer carried out. Who is there already gets this new password and loses
 * all sessions, or, if the link sets none, keeps the password whose hash is `proved`; a role is never made less. Undefined
 * if the link is not open any more, or its person may not sign in. Refuses with `wrong_password` where the password that
 * was proved is not theirs any more.
 */
export async function acceptInvitation(
  { ledgerKeys, ...tools }: Omit<Administrator, 'actor'> & { ledgerKeys: readonly Buffer[] },
  token: string,
  { passwordHash, proved }: { passwordHash: string; proved?: string },
): Promise<Person | undefined> {
  const by: Administrator = { ...tools, actor: 'tollgate' };
  return administer(by, async (client) => {
    const closed = await client.query(
      `update invitations i set closed_at = now(), is_used = true where i.token_hash = any($1::bytea[]) and ${open}
         and not exists (select 1 from people p where p.email = i.email and p.disabled_at is not null)
       returning ${sealedRow.columnsOf('i')}`,
      [tokenHashes(ledgerKeys, 'invitations', token)],
    );
    if (closed.rows[0] === undefined) return undefined;
    if (!isOurs(ledgerKeys, closed.rows[0])) return undefined;
    const offer = sealedRow.parse(closed.rows[0]);
    const isNewPassword = setsPassword({ account: offer.accountId, makesOperator: offer.makesOperator });
    const id = newPersonId();
    const { rows } = await client.query(
      `insert into people as p (id, email, password_hash, password_seal, is_operator) values ($1, $2, $3, $7, $4)
       on conflict (email) do update set is_operator = p.is_operator or excluded.is_operator,
         password_hash = case when $5 then excluded.password_hash else p.password_hash end
         where $5 or p.password_hash = $6
       returning ${personColumns}`,
      [
        ...[id, offer.email, passwordHash, offer.makesOperator, isNewPassword, proved ?? null],
        rightSeal(by.ledgerKey, ['password', id, passwordHash]),
      ],
    );
    if (rows[0] === undefined)
      throw new GatewayError(
        'wrong_password',
        'A person with this e-mail address and a different password already exists.',
      );
    const person = personRow.parse(rows[0]);
    await sealPerson(client, by.ledgerKey, person, { passwordHash, makesOperator: offer.makesOperator });
    if (isNewPassword) await client.query('delete from sessions where person_id = $1', [person.id]);
    if (offer.accountId !== null) {
      await client.query(
        `insert into memberships (person_id, account_id, role, seal) values ($1, $2, $3, $4)
         on conflict (person_id, account_id) do update set role = excluded.role, seal = excluded.seal
           where excluded.role = 'owner'`,
        [
          person.id,
          offer.accountId,
          offer.role,
          rightSeal(by.ledgerKey, ['member', person.id, offer.accountId, offer.role ?? '']),
        ],
      );
    }
    const details = { person: person.id, email: offer.email, invitation: offer.id };
    return {
      act: { action: 'person.joined', account: offer.accountId, subject: person.id, details },
      outcome: person,
    };
  });
}

/** Seals what using a link gives, and no more: the password that was set or proved, and the right that was offered. */
async function sealPerson(
  client: pg.ClientBase,
  ledgerKey: Buffer,
  { id, email }: Person,
  { passwordHash, makesOperator }: { passwordHash: string; makesOperator: boolean },
): Promise<void> {
  await client.query(
    `update people set password_seal = case when password_hash = $2 then $3 else password_seal end,
       operator_seal = coalesce($4, operator_seal) where id = $1`,
    [
      id,
      passwordHash,
      rightSeal(ledgerKey, ['password', id, passwordHash]),
      makesOperator ? rightSeal(ledgerKey, ['operator', id, email]) : null,
    ],
  );
}
