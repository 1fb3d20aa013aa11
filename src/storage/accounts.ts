/** Accounts: making, finding and suspending them. Their money is the ledger's matter. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { micros, type MicroYuan } from '../domain/money.ts';
import type { Database } from './database.ts';
import { chainLink } from './ledger/chain.ts';
import { newAccountId } from './new-ids.ts';

export interface Account {
  id: AccountId;
  name: string;
  status: 'active' | 'suspended';
  /** What can be spent; what is held comes on top. */
  available: MicroYuan;
  held: MicroYuan;
  /** How many ledger entries it has. */
  seq: bigint;
  createdAt: Date;
}

const columns = 'id, name, status, available, held, seq, created_at';

/** Makes an account without money. Its chain begins with its own id, so that no rows of another fit it. */
export async function createAccount(database: Database, ledgerKey: Buffer, name: string): Promise<Account> {
  const id = newAccountId();
  const { rows } = await database.pool.query(
    `insert into accounts (id, name, chain) values ($1, $2, $3) returning ${columns}`,
    [id, name, chainLink(ledgerKey, Buffer.alloc(32), [id])],
  );
  return accountRow.parse(rows[0]);
}

export async function findAccount(database: Database, id: string): Promise<Account | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-account',
    text: `select ${columns} from accounts where id = $1`,
    values: [id],
  });
  return rows[0] === undefined ? undefined : accountRow.parse(rows[0]);
}

/** All accounts, oldest first. */
export async function listAccounts(database: Database): Promise<Account[]> {
  const { rows } = await database.pool.query(`select ${columns} from accounts order by created_at, id`);
  return rows.map((row) => accountRow.parse(row));
}

/** Suspends an account: its keys are refused from now on. Answers undefined when there is no such account. */
export async function suspendAccount(database: Database, id: string): Promise<Account | undefined> {
  const { rows } = await database.pool.query(
    `update accounts set status = 'suspended' where id = $1 returning ${columns}`,
    [id],
  );
  return rows[0] === undefined ? undefined : accountRow.parse(rows[0]);
}

const accountRow = z
  .object({
    id: z.string().transform((id) => id as AccountId),
    name: z.string(),
    status: z.enum(['active', 'suspended']),
    available: z.bigint().transform(micros),
    held: z.bigint().transform(micros),
    seq: z.bigint(),
    created_at: z.date(),
  })
  .transform(({ created_at, ...row }): Account => ({ ...row, createdAt: created_at }));
