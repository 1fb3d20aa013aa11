/** What people call the accounts that lists name. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';

/** The names of these accounts, by their ids. */
export async function accountNames(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await database.pool.query({
    name: 'account-names',
    text: 'select id, name from accounts where id = any($1::text[])',
    values: [ids],
  });
  return new Map(rows.map((row) => nameRow.parse(row)).map(({ id, name }) => [id, name]));
}

const nameRow = z.object({ id: z.string(), name: z.string() });
