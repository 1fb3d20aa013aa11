/** What the operator wrote off, over all accounts: for the one who asks which upstream claims what. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { computed, money, row, type RowOf } from '../postgres/row.ts';

const writeOffRow = row({
  transferId: z.string(),
  createdAt: z.date(),
  accountId: z.string(),
  taskId: z.string().nullable(),
  requestId: z.string().nullable(),
  model: z.string().nullable(),
  amount: computed('w.d_revenue', money),
  /** What the customer was charged beside it. */
  charged: computed('coalesce(c.d_revenue, 0::bigint)', money),
  /** Null: for want of money. */
  reason: z.string().nullable(),
});
export type WriteOff = RowOf<typeof writeOffRow>;

export interface WriteOffFilter {
  account?: AccountId;
  reason?: string;
  /** Of holds that were made since then. */
  since: Date;
  /** At most so many. */
  limit: number;
}

const dayMs = 86_400_000;

/**
 * The newest write-offs, by when their holds were made. Few entries are write-offs and no index is kept for them: the
 * primary key is read a day at a time, the newest first, until there are enough.
 */
export async function listWriteOffs(database: Database, filter: WriteOffFilter, now: Date): Promise<WriteOff[]> {
  const { account = null, reason = null, since, limit } = filter;
  const found: WriteOff[] = [];
  // A clock of another machine may be ahead.
  let to = new Date(now.getTime() + dayMs);
  while (to > since && found.length < limit) {
    const from = new Date(Math.max(since.getTime(), to.getTime() - dayMs));
    const { rows } = await database.keyed.query({
      name: 'write-offs-of-a-day',
      text: `select ${writeOffRow.columnsOf('w')}
        from entries w left join entries c on c.transfer_id = w.transfer_id and c.type = 'capture'
        where w.type = 'write_off' and w.transfer_id >= tollgate_uuid_floor($1) and w.transfer_id < tollgate_uuid_floor($2)
          and ($3::text is null or w.account_id = $3) and ($4::text is null or w.reason = $4)
        order by w.transfer_id desc limit $5`,
      values: [from, to, account, reason, limit - found.length],
    });
    found.push(...rows.map((row) => writeOffRow.parse(row)));
    to = from;
  }
  return found;
}
