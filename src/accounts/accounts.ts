/** Accounts: making, finding and suspending them. Their money is the ledger's matter. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Money } from '../domain/money.ts';
import { type ActName, administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { id, money, row, type RowOf } from '../postgres/row.ts';
import { chainLink } from '../ledger/chain.ts';
import { trustedMsMax } from '../ledger/commit/row-cache.ts';
import { newAccountId } from '../postgres/new-ids.ts';

export const accountColumns = {
  id: id<AccountId>(),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  /** What can be spent; what is held comes on top. */
  available: money,
  held: money,
  /** How many ledger entries it has. */
  seq: z.bigint(),
  /** A default for its tasks, and where its own events go. */
  webhookUrl: z.string().nullable(),
  /** Falling below this is an event. */
  lowBalance: money.nullable(),
  /** Of its days and months. */
  timeZone: z.string(),
  createdAt: z.date(),
};
export const accountRow = row(accountColumns);
export type Account = RowOf<typeof accountRow>;

/** What can be set of an account after it was made; what is not named stays. */
export interface AccountChanges {
  name?: string;
  webhookUrl?: string | null;
  lowBalance?: Money | null;
  timeZone?: string;
}

/** The link before an account's first entry. It is made from the account's id, so that no rows of another fit its chain. */
export const accountGenesis = (ledgerKey: Buffer, id: string): Buffer => chainLink(ledgerKey, Buffer.alloc(32), [id]);

/** Makes an account without money. One with an id that is taken is not made: it returns the account that has it. */
export async function createAccount(by: Administrator, name: string, id: AccountId = newAccountId()): Promise<Account> {
  const made = await act(by, 'account.created', (client) =>
    client.query(
      `insert into accounts (id, name, chain) values ($1, $2, $3) on conflict (id) do nothing returning ${accountRow.columns}`,
      [id, name, accountGenesis(by.ledgerKey, id)],
    ),
  );
  const account = made ?? (await findAccount(by.database, id));
  if (!account) throw new Error('no account was made');
  return account;
}

export async function findAccount(database: Database, id: string): Promise<Account | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-account',
    text: `select ${accountRow.columns} from accounts where id = $1`,
    values: [id],
  });
  return rows[0] === undefined ? undefined : accountRow.parse(rows[0]);
}

/** All accounts, oldest first. */
export async function listAccounts(database: Database): Promise<Account[]> {
  const { rows } = await database.pool.query(`select ${accountRow.columns} from accounts order by created_at, id`);
  return rows.map((row) => accountRow.parse(row));
}

/**
 * Suspends an account: its keys are refused from now on, and when this returns, nothing more is begun in the trust that
 * they are good. Returns undefined when there is no such account.
 */
export async function suspendAccount(by: Administrator, id: string, reason?: string): Promise<Account | undefined> {
  const suspend = `update accounts set status = 'suspended' where id = $1 and status <> 'suspended' returning ${accountRow.columns}`;
  const suspended = await act(by, 'account.suspended', (client) => client.query(suspend, [id]), reason);
  if (suspended) await pause(trustedMsMax);
  return suspended ?? findAccount(by.database, id);
}

/** Lifts a suspension. Returns undefined when there is no such account. */
export async function resumeAccount(by: Administrator, id: string, reason?: string): Promise<Account | undefined> {
  const resume = `update accounts set status = 'active' where id = $1 and status <> 'active' returning ${accountRow.columns}`;
  const resumed = await act(by, 'account.resumed', (client) => client.query(resume, [id]), reason);
  return resumed ?? findAccount(by.database, id);
}

/**
 * Sets what is named; what is so already is not logged as a change. A threshold above the balance of now has not been
 * crossed: the event comes at the next crossing. Returns undefined when there is no such account.
 */
export async function changeAccount(
  by: Administrator,
  id: string,
  { name, webhookUrl, lowBalance, timeZone }: AccountChanges,
): Promise<Account | undefined> {
  const changed = await act(by, 'account.changed', (client) =>
    client.query(
      `update accounts a set webhook_url = r.webhook_url, low_balance = r.low_balance, name = r.name, time_zone = r.time_zone,
         is_low = coalesce(a.available + a.held < r.low_balance, false)
       from (select id, case when $2 then $3 else webhook_url end as webhook_url,
               case when $4 then $5 else low_balance end as low_balance,
               coalesce($6, name) as name, coalesce($7, time_zone) as time_zone
             from accounts where id = $1 for no key update) as r
       where a.id = r.id and (a.webhook_url is distinct from r.webhook_url or a.low_balance is distinct from r.low_balance
         or a.name <> r.name or a.time_zone <> r.time_zone)
       returning ${accountRow.columnsOf('a')}`,
      [
        ...[id, webhookUrl !== undefined, webhookUrl ?? null, lowBalance !== undefined, lowBalance ?? null],
        ...[name ?? null, timeZone ?? null],
      ],
    ),
  );
  return changed ?? findAccount(by.database, id);
}

/** Changes one account and logs it; returns undefined, with nothing logged, if no row was changed. */
const act = (
  by: Administrator,
  action: ActName,
  change: (client: pg.ClientBase) => Promise<pg.QueryResult>,
  reason?: string,
): Promise<Account | undefined> =>
  administer(by, async (client) => {
    const { rows } = await change(client);
    if (rows[0] === undefined) return undefined;
    const account = accountRow.parse(rows[0]);
    const { id } = account;
    return { act: { action, account: id, subject: id, ...(reason !== undefined && { reason }) }, outcome: account };
  });
