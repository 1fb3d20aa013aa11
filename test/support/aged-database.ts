/** A connection to a test's database on which it is earlier than it is: what it writes is old, and sealed as that. */
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import type { TestDatabase } from './database.ts';

/** Opens it so that the database's clock is behind by this interval there, as in `8 days`. To be closed after use. */
export async function openedBefore(home: Pick<TestDatabase, 'database' | 'url'>, interval: string): Promise<Database> {
  await defineClock(home, (name) => `pg_catalog.${name}() - interval '${interval}'`);
  const url = new URL(home.url);
  url.searchParams.set('options', '-c search_path=before,public,pg_catalog');
  return openDatabase(url.href, { onIdleError: () => undefined });
}

/** Stops the clock of all connections that are opened so: it is this time there, in ISO 8601, until it is set again. */
export const setClock = (home: Pick<TestDatabase, 'database'>, at: string): Promise<void> =>
  defineClock(home, () => `timestamptz '${at}'`);

async function defineClock({ database }: Pick<TestDatabase, 'database'>, time: (name: string) => string) {
  await database.pool.query(`create schema if not exists before`);
  for (const [name, kind] of [
    ['now', 'stable'],
    ['clock_timestamp', 'volatile'],
  ] as const) {
    await database.pool.query(`create or replace function before.${name}() returns timestamptz language sql ${kind}
      as $$ select ${time(name)} $$`);
  }
}
