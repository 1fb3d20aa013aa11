/** Whether an account has ever called anything. */
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';

/** True from its first hold on. The oldest entries are looked at first, where a hold stands soon if there is one. */
export async function hasCalls(database: Database, account: AccountId): Promise<boolean> {
  const { rowCount } = await database.pool.query({
    name: 'has-calls',
    text: `select 1 from entries where account_id = $1 and seq > 0 and type = 'hold' order by seq limit 1`,
    values: [account],
  });
  return rowCount === 1;
}
