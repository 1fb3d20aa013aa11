/** The first account of an empty database, so that a new installation can be tried at once. */
import pg from 'pg';
import type { AccountId } from '../domain/ids.ts';
import type { MicroYuan } from '../domain/money.ts';
import type { Administrator } from './acts.ts';
import { createAccount, findAccount, listAccounts } from './accounts.ts';
import { createApiKey, listKeys, noLimits } from './api-keys.ts';
import { agreeOn, findFact } from './installation.ts';
import type { Ledger } from './ledger/ledger.ts';

const bootstrapLock = 7_018_552;

export interface Bootstrapped {
  account: AccountId;
  /** The key's secret, only when this call made it. */
  secret: string | undefined;
}

/**
 * Makes the demo account with an `admin` key and its opening balance, if the database holds no account. Safe when
 * several processes start at once, and when one died half-way. Answers undefined when there is no demo account.
 */
export async function bootstrap(
  { ledger, ...tools }: Omit<Administrator, 'actor'> & { ledger: Ledger },
  { key, balance }: { key: string | undefined; balance: MicroYuan },
): Promise<Bootstrapped | undefined> {
  const by: Administrator = { database: tools.database, ledgerKey: tools.ledgerKey, actor: 'tollgate' };
  const { database } = by;
  const lock = new pg.Client({ connectionString: database.url, connectionTimeoutMillis: 5_000 });
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [bootstrapLock]);
    const account = await demoAccount(by);
    if (account === undefined) return undefined;
    const state = await findAccount(database, account);
    if (balance > 0n && state?.available === 0n && state.seq === 0n)
      await ledger.credit(account, balance, 'opening balance');
    if ((await listKeys(database, account)).length > 0) return { account, secret: undefined };
    const { secret } = await createApiKey(by, account, { ...noLimits, name: 'demo', level: 'admin' }, key);
    return { account, secret };
  } finally {
    await lock.end();
  }
}

async function demoAccount(by: Administrator): Promise<AccountId | undefined> {
  const { database } = by;
  const known = await findFact(database, 'demo_account');
  if (known !== undefined) return (await findAccount(database, known))?.id;
  if ((await listAccounts(database)).length > 0) return undefined;
  const { id } = await createAccount(by, 'demo');
  await agreeOn(database, 'demo_account', id);
  return id;
}
