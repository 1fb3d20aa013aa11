/** Accounts as operators list them: with how many keys and people they have. */
import * as z from 'zod';
import { type Account, accountColumns } from './accounts.ts';
import type { Database } from '../postgres/database.ts';
import { computed, row, type RowOf } from '../postgres/row.ts';

const listedRow = row({
  ...accountColumns,
  inArrears: z.boolean(),
  /** That were not revoked. */
  keys: computed('(select count(*)::int from api_keys k where k.account_id = a.id and k.revoked_at is null)', z.int()),
  members: computed('(select count(*)::int from memberships m where m.account_id = a.id)', z.int()),
});
export type ListedAccount = RowOf<typeof listedRow>;

export interface AccountFilter {
  /** Part of the name, or of the id. */
  search?: string | undefined;
  status?: Account['status'] | undefined;
}

/** The position of an account in the list. */
export interface AccountPosition {
  createdAt: Date;
  id: string;
}

/** Up to `limit` accounts behind a position, or the newest. */
export async function listAccountPage(
  database: Database,
  { search, status }: AccountFilter,
  { limit, after }: { limit: number; after: AccountPosition | undefined },
): Promise<ListedAccount[]> {
  const { rows } = await database.pool.query(
    `select ${listedRow.columnsOf('a')} from (
       select * from accounts
       where ($1::text is null or strpos(lower(name), lower($1)) > 0 or strpos(id, $1) > 0)
         and status = coalesce($2, status)
         and ($3::timestamptz is null or (date_trunc('milliseconds', created_at), id) < ($3, $4))
       order by date_trunc('milliseconds', created_at) desc, id desc limit $5
     ) a order by date_trunc('milliseconds', a.created_at) desc, a.id desc`,
    [search ?? null, status ?? null, after?.createdAt ?? null, after?.id ?? null, limit],
  );
  return rows.map((row) => listedRow.parse(row));
}

/** One account as it is listed. */
export async function findListedAccount(database: Database, id: string): Promise<ListedAccount | undefined> {
  const { rows } = await database.pool.query(`select ${listedRow.columnsOf('a')} from accounts a where id = $1`, [id]);
  return rows[0] === undefined ? undefined : listedRow.parse(rows[0]);
}
