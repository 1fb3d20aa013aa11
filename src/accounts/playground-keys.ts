/**
 * The key under whose name an account's runs in the playground are booked. It is a key like any other, so that limits,
 * usage and the ledger know it, but for its secret, which is thrown away when it is made.
 */
import type pg from 'pg';
import * as z from 'zod';
import { noCounts } from '../domain/billing/admission.ts';
import type { AccountId } from '../domain/ids.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import { type ApiKey, findSealedKey, insertKey, newSecret, noLimits } from './api-keys.ts';
import type { Database } from '../postgres/database.ts';
import { newKeyId } from '../postgres/new-ids.ts';

const playgroundKey = { ...noLimits, name: 'Playground', level: 'standard' } as const;

/** An administrator who knows a right's seal under any of the ledger's keys. */
type KeyMaker = Administrator & { ledgerKeys: readonly Buffer[] };

/**
 * The account's key for its playground, made where there is none that is good: an owner who has revoked it, or let it
 * expire, and runs something all the same, gets a new one without limits. A row that names another account's key, or one
 * whose seal doesn't fit, is as good as none. Refuses with `invalid_parameter` when the account may have no more keys.
 */
export async function playgroundKeyOf(by: KeyMaker, account: AccountId): Promise<ApiKey> {
  const key = (await findGood(by.database.pool, by, account)) ?? (await made(by, account));
  if (!key) throw new Error(`account ${account} has no key for its playground`);
  return key;
}

/**
 * The account's key for its playground, or where there is none one that stands in for it: for requests that only look or
 * ask what something would cost. It is in no table, and nothing can be booked under it.
 */
export async function playgroundKeyToLook(
  { database, ledgerKeys }: Pick<KeyMaker, 'database' | 'ledgerKeys'>,
  account: AccountId,
): Promise<ApiKey> {
  const key = await findGood(database.pool, { ledgerKeys }, account);
  if (key) return key;
  const { rows } = await database.pool.query('select status from accounts where id = $1', [account]);
  const { status } = statusRow.parse(rows[0]);
  return {
    ...{ ...playgroundKey, id: newKeyId(), accountId: account, accountStatus: status, revoked: false },
    ...{ models: null, callLimits: [], allowedIps: null, bodyRules: null }, // as of `noLimits`
    ...{ createdAt: new Date(), createdBy: null, lastUsedAt: null, start: '', last4: '' },
    counters: {
      ...{ countedAt: null, calls: noCounts, spent: noCounts, since: noCounts },
      ...{ clockBackAt: null, runningTasks: 0 },
    },
  };
}

/** The id of the key that runs in the account's playground were last booked under, good or not; undefined before the first. */
export async function findPlaygroundKeyId(database: Database, account: AccountId): Promise<string | undefined> {
  const { rows } = await database.pool.query('select key_id as id from playground_keys where account_id = $1', [
    account,
  ]);
  return rows[0] === undefined ? undefined : idRow.parse(rows[0]).id;
}

async function made(by: KeyMaker, account: AccountId): Promise<ApiKey | undefined> {
  await administer(by, async (client) => {
    // Locked, or two tabs that ask at once would make two.
    await client.query('select 1 from accounts where id = $1 for no key update', [account]);
    if (await findGood(client, by, account)) return undefined;
    const id = await insertKey(client, by, account, playgroundKey, newSecret());
    await client.query(
      `insert into playground_keys (account_id, key_id) values ($1, $2)
       on conflict (account_id) do update set key_id = excluded.key_id`,
      [account, id],
    );
    return { act: { action: 'key.created', account, subject: id }, outcome: undefined };
  });
  return findGood(by.database.pool, by, account);
}

async function findGood(
  client: Pick<pg.ClientBase, 'query'>,
  { ledgerKeys }: Pick<KeyMaker, 'ledgerKeys'>,
  account: AccountId,
): Promise<ApiKey | undefined> {
  const { rows } = await client.query({ name: 'find-playground-key', text: goodKey, values: [account] });
  if (rows[0] === undefined) return undefined;
  const key = await findSealedKey(client, ledgerKeys, idRow.parse(rows[0]).id);
  return key?.accountId === account ? key : undefined;
}

const goodKey = `select k.id from playground_keys p join api_keys k on k.id = p.key_id
  where p.account_id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`;
const idRow = z.object({ id: z.string() });
const statusRow = z.object({ status: z.enum(['active', 'suspended']) });
