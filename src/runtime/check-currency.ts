/** The ledger's amounts have no currency of their own: all are in the one of the first start, for good. */
import { currencyDefault } from '../domain/currency.ts';
import { SettingsError } from '../config/setting-errors.ts';
import type { Database } from '../postgres/database.ts';
import { agreeOn, findFact } from '../postgres/installation.ts';

/** Refuses with a SettingsError a database whose books are in another currency; the first to ask decides. */
export async function checkCurrency(database: Database, wanted: string): Promise<void> {
  const known = await agreeOnCurrency(database, wanted);
  if (known !== wanted) throw new SettingsError([otherCurrency(known, wanted)]);
}

/** Returns the currency of this database's books: `wanted`, if there was none before. */
export async function agreeOnCurrency(database: Database, wanted: string): Promise<string> {
  return agreeOn(database, 'currency', (await findCurrency(database)) ?? wanted);
}

/**
 * Returns the currency of this database's books; undefined before the first start. One that has accounts and no currency
 * was begun before there was this setting: its amounts are CNY.
 */
export async function findCurrency(database: Database): Promise<string | undefined> {
  const known = await findFact(database, 'currency');
  if (known !== undefined) return known;
  const { rows } = await database.pool.query('select from accounts limit 1');
  return rows.length > 0 ? currencyDefault : undefined;
}

/** Why a configuration's currency is refused, and what to do. */
export const otherCurrency = (known: string, wanted: string): string =>
  `currency: this gateway's books are in ${known} since its first start, and can't change to ${wanted}; ` +
  `set 'currency: ${known}', or start a gateway in ${wanted} with a database and data folder of its own`;
