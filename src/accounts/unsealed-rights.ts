/**
 * Rights from before they had seals (migration 0010) are sealed once, by the first process that starts after it. Who can
 * write into the database must not get there by making it look that old. So the log of administrative acts must prove it:
 * each of its links is verified, and none says that rights have seals. Nothing may have a seal yet, and no audit may have
 * left an anchor, which lies outside of the database. A row that stays without its seal gives no right.
 */
import type pg from 'pg';
import * as z from 'zod';
import { actRow, actsGenesis, adoptions, canonicalAct, inTransaction, writeActs } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { chainLink } from '../ledger/chain.ts';
import { digestHash, rightSeal } from '../ledger/access-seals.ts';

/**
 * Seals the keys, passwords, operators' rights and roles that are there, if they are from before there were seals. Returns
 * why it didn't, for a database that looks that old and can't be; undefined for every other. Several processes may do so at
 * once.
 */
export async function sealOldRights(
  database: Database,
  ledgerKeys: readonly Buffer[],
  isAnchored: () => Promise<boolean>,
): Promise<string | undefined> {
  const [ledgerKey] = ledgerKeys;
  if (!ledgerKey || !(await looksOld(database.pool))) return undefined;
  if (await isAnchored()) return 'an audit has left an anchor, and none did before rights had seals';
  return inTransaction(database, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [sealing_lock]);
    if (!(await looksOld(client))) return undefined;
    const { rows } = await client.query(some_seal);
    if (rows.length > 0) return 'others of its rights have seals';
    if (!(await isOldLog(client, ledgerKeys))) return 'its log of administrative acts is not as it was written';
    await sealRows(client, ledgerKey);
    const adopted = (await adoptions(client)).filter(({ action }) => action !== 'account.adopted');
    await writeActs(client, ledgerKey, [
      {
        ...{ actor: 'tollgate', action: 'log.keyed', account: null, subject: null },
        details: { rights: 'keyed' },
      },
      ...adopted,
    ]);
    return undefined;
  });
}

const sealing_lock = 7_018_556;

/** There is a log, and it doesn't say that rights have seals. That it does say so needs no proof: nothing is sealed then. */
async function looksOld(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 where exists (select 1 from acts) and not exists (select 1 from acts where seq = 1 and details ->> 'rights' = 'keyed')
       and not exists (select 1 from acts where action = 'log.keyed')`,
  );
  return rows.length > 0;
}

const some_seal = `select 1 where exists (select 1 from api_keys where seal is not null)
  or exists (select 1 from people where password_seal is not null or operator_seal is not null)
  or exists (select 1 from memberships where seal is not null) or exists (select 1 from invitations where seal is not null)
  or exists (select 1 from sessions)`;

/** Whether every act has its link, from the first one on: a log from which `log.begun` lost its word on seals has not. */
async function isOldLog(client: pg.ClientBase, ledgerKeys: readonly Buffer[]): Promise<boolean> {
  const { rows } = await client.query(
    'select seq, at, actor, action, account_id, subject, facts, details, reason, link from acts order by seq',
  );
  let before: { seq: bigint; link: Buffer } | undefined;
  for (const row of rows) {
    const act = actRow.parse(row);
    const { link } = linkRow.parse(row);
    const text = canonicalAct(act);
    if (act.seq !== (before?.seq ?? 0n) + 1n) return false;
    if (!ledgerKeys.some((key) => chainLink(key, before?.link ?? actsGenesis(key), [text]).equals(link))) return false;
    before = { seq: act.seq, link };
  }
  return true;
}

/** Sessions and open links from before were ended by the migration, since nothing says whose they really are. */
async function sealRows(client: pg.ClientBase, ledgerKey: Buffer): Promise<void> {
  const keys = await client.query('select id, account_id, level, hash from api_keys order by id for update');
  for (const row of keys.rows) {
    const { id, account_id: account, level, hash: digest } = oldKeyRow.parse(row);
    const hash = digestHash(ledgerKey, 'api-keys', digest);
    const seal = rightSeal(ledgerKey, ['key', id, account, level, hash]);
    await client.query('update api_keys set hash = $2, seal = $3 where id = $1', [id, hash, seal]);
  }
  const people = await client.query('select id, email, password_hash, is_operator from people order by id for update');
  for (const row of people.rows) {
    const { id, email, password_hash: password, is_operator: isOperator } = oldPersonRow.parse(row);
    await client.query('update people set password_seal = $2, operator_seal = $3 where id = $1', [
      id,
      rightSeal(ledgerKey, ['password', id, password]),
      isOperator ? rightSeal(ledgerKey, ['operator', id, email]) : null,
    ]);
  }
  const memberships = await client.query(
    'select person_id, account_id, role from memberships order by 1, 2 for update',
  );
  for (const row of memberships.rows) {
    const { person_id: person, account_id: account, role } = oldMembershipRow.parse(row);
    const seal = rightSeal(ledgerKey, ['member', person, account, role]);
    await client.query('update memberships set seal = $3 where person_id = $1 and account_id = $2', [
      person,
      account,
      seal,
    ]);
  }
}

const linkRow = z.object({ link: z.instanceof(Buffer) });
const oldKeyRow = z.object({
  ...{ id: z.string(), account_id: z.string(), level: z.string() },
  hash: z.instanceof(Buffer),
});
const oldPersonRow = z.object({
  ...{ id: z.string(), email: z.string(), password_hash: z.string(), is_operator: z.boolean() },
});
const oldMembershipRow = z.object({ person_id: z.string(), account_id: z.string(), role: z.string() });
