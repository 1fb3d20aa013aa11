/** The first account of an empty database, with the person who owns it, so that a new installation can be tried at once. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { AccountId } from '../domain/ids.ts';
import type { Money } from '../domain/money.ts';
import type { Administrator } from '../ledger/audit-log.ts';
import { createAccount, findAccount, listAccounts } from './accounts.ts';
import { createApiKey, listKeys, noLimits } from './api-keys.ts';
import { countPeople, createPerson } from './people.ts';
import { agreeOn, findFact } from '../postgres/installation.ts';
import type { Ledger } from '../ledger/ledger.ts';

const bootstrapLock = 7_018_553;

export interface Bootstrapped {
  account: AccountId;
  /** The key's secret, only when this call made it. */
  secret: string | undefined;
  /** How its owner, who is the operator too, signs in to the console; only when this call made them. */
  login: { email: string; password: string } | undefined;
}

export interface BootstrapWishes {
  key: string | undefined;
  balance: Money;
  email: string | undefined;
  password: string | undefined;
}

const emailDefault = 'owner@tollgate.local';
/** 96 random bits that a person can type. */
const newPassword = (): string => randomBytes(12).toString('base64url');

/** What it is done with. */
export interface BootstrapTools extends Omit<Administrator, 'actor'> {
  ledger: Ledger;
  hashPassword: (password: string) => Promise<string>;
  /** What isn't wished is made up; else, where no one would see it, left out. The e-mail address has a default. */
  makesUp: boolean;
}

/**
 * Makes the demo account with an `admin` key, its opening balance and its owner, if the database holds no account; of a
 * demo account from before there was a console, the owner only. Safe when several processes start at once, and when one
 * died half-way. Returns undefined when there is no demo account.
 */
export async function bootstrap(
  { ledger, hashPassword, makesUp, ...tools }: BootstrapTools,
  { key, balance, ...person }: BootstrapWishes,
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
    const password = person.password ?? (makesUp ? newPassword() : undefined);
    const login =
      password === undefined
        ? undefined
        : await owner(by, account, { email: person.email ?? emailDefault, password, hashPassword });
    if ((key === undefined && !makesUp) || (await listKeys(database, account)).length > 0)
      return { account, secret: undefined, login };
    const { secret } = await createApiKey(by, account, { ...noLimits, name: 'demo', level: 'admin' }, key);
    return { account, secret, login };
  } finally {
    await lock.end();
  }
}

async function owner(
  by: Administrator,
  account: AccountId,
  { email, password, hashPassword }: { email: string; password: string } & Pick<BootstrapTools, 'hashPassword'>,
): Promise<Bootstrapped['login']> {
  if ((await countPeople(by.database)) > 0) return undefined;
  const passwordHash = await hashPassword(password);
  const made = await createPerson(by, {
    email,
    passwordHash,
    isOperator: true,
    memberships: [{ account, role: 'owner' }],
  });
  return made && { email, password };
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
