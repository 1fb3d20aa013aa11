/** Facts of an installation that all its processes share. */
import * as z from 'zod';
import type { Database } from './database.ts';

type FactName = 'secret_fingerprint' | 'demo_account' | 'queue_prefix' | 'public_url' | 'currency';

/** The fact, written by this call if it was not there before: the first to say it is believed. */
export async function agreeOn(database: Database, name: FactName, value: string): Promise<string> {
  await database.pool.query('insert into installation (name, value) values ($1, $2) on conflict do nothing', [
    name,
    value,
  ]);
  return (await findFact(database, name)) ?? value;
}

/** Writes a fact that may change: the last to say it is believed. */
export async function tellFact(database: Database, name: FactName, value: string): Promise<void> {
  await database.pool.query(
    `insert into installation (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value where installation.value <> excluded.value`,
    [name, value],
  );
}

export async function findFact(database: Database, name: FactName): Promise<string | undefined> {
  const { rows } = await database.pool.query('select value from installation where name = $1', [name]);
  return rows[0] === undefined ? undefined : z.object({ value: z.string() }).parse(rows[0]).value;
}
