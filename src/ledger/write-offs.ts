/** What the operator wrote off, over all accounts: for the one who asks which upstream claims what. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { micros, type MicroYuan } from '../domain/money.ts';
import type { Database } from '../postgres/database.ts';

export interface WriteOff {
  transferId: string;
  createdAt: Date;
  accountId: string;
  taskId: string | null;
  requestId: string | null;
  model: string | null;
  amount: MicroYuan;
  /** What the customer was charged beside it. */
  charged: MicroYuan;
  /** Null: for want of money. */
  reason: string | null;
}

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
      text: `select w.transfer_id, w.created_at, w.account_id, w.task_id, w.request_id, w.model, w.d_revenue as amount,
          coalesce(c.d_revenue, 0::bigint) as charged, w.reason
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

const money = z.bigint().transform(micros);
const writeOffRow = z
  .object({
    transfer_id: z.string(),
    created_at: z.date(),
    account_id: z.string(),
    task_id: z.string().nullable(),
    request_id: z.string().nullable(),
    model: z.string().nullable(),
    amount: money,
    charged: money,
    reason: z.string().nullable(),
  })
  .transform((row): WriteOff => ({
    transferId: row.transfer_id,
    createdAt: row.created_at,
    accountId: row.account_id,
    taskId: row.task_id,
    requestId: row.request_id,
    model: row.model,
    amount: row.amount,
    charged: row.charged,
    reason: row.reason,
  }));
