/** What people call the keys that entries and sums name. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';

/** The names of these keys of the account, or of all accounts, by their ids; what is none of its keys is left out. */
export async function keyNames(
  database: Database,
  account: AccountId | undefined,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return new Map();
  const { rows } = await database.pool.query({
    name: 'key-names',
    text: 'select id, name from api_keys where ($1::text is null or account_id = $1) and id = any($2::text[])',
    values: [account ?? null, wanted],
  });
  return new Map(rows.map((row) => nameRow.parse(row)).map(({ id, name }) => [id, name]));
}

const nameRow = z.object({ id: z.string(), name: z.string() });
