/** Accounts that are low: below the threshold that they have set, in arrears, or with nothing left. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { computed, row, type RowOf } from '../postgres/row.ts';
import { accountColumns } from './accounts.ts';

const lowRow = row({
  ...accountColumns,
  inArrears: z.boolean(),
  /** Of all that are low, `countedMax` at the most. */
  count: computed('(select count(*) from low)::int', z.int()),
});
export type LowAccount = Omit<RowOf<typeof lowRow>, 'count'>;

const countedMax = 10_000;

/** Returns how many active accounts are low, and up to `limit` of them, the poorest first. Reading 100,000 takes some 20 ms. */
export async function lowAccounts(
  { pool }: Database,
  limit: number,
): Promise<{ count: number; poorest: readonly LowAccount[] }> {
  const { rows } = await pool.query({
    name: 'low-accounts',
    // One that never had an entry has not been used yet.
    text: `with low as (
        select * from accounts where status = 'active' and seq > 0 and (is_low or in_arrears or available + held = 0)
        limit ${countedMax})
      select ${lowRow.columnsOf('a')} from low a order by a.available + a.held, a.id limit $1`,
    values: [limit],
  });
  const poorest = rows.map((each) => lowRow.parse(each));
  return { count: poorest[0]?.count ?? 0, poorest };
}
