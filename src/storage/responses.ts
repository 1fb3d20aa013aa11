/** Which account a stored response belongs to, and which provider made it. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from './database.ts';

/** Notes a response; the first to note an id keeps it. */
export async function insertResponse(
  database: Database,
  { id, account, model, provider }: { id: string; account: AccountId; model: string; provider: string },
): Promise<void> {
  await database.pool.query({
    name: 'insert-response',
    text: 'insert into responses (id, account_id, model, provider) values ($1, $2, $3, $4) on conflict do nothing',
    values: [id, account, model, provider],
  });
}

/** The response of this id, if it is the account's. */
export async function findResponse(
  database: Database,
  id: string,
  account: AccountId,
): Promise<{ model: string; provider: string } | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-response',
    text: 'select model, provider from responses where id = $1 and account_id = $2',
    values: [id, account],
  });
  return rows[0] === undefined ? undefined : z.object({ model: z.string(), provider: z.string() }).parse(rows[0]);
}

/** Forgets a response of the account's, so that nobody asks for it any more. */
export async function deleteResponse(database: Database, id: string, account: AccountId): Promise<void> {
  await database.pool.query({
    name: 'delete-response',
    text: 'delete from responses where id = $1 and account_id = $2',
    values: [id, account],
  });
}
