/** Reading the ledger: an account's entries, newest first, in pages that stay right while entries arrive. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { type EntryType, entryTypes } from '../domain/billing/postings.ts';
import { micros, type MicroYuan, zero } from '../domain/money.ts';
import type { Database } from '../postgres/database.ts';

export interface Entry {
  transferId: string;
  type: EntryType;
  seq: bigint;
  createdAt: Date;
  /** On the available balance, signed. */
  amount: MicroYuan;
  balance: MicroYuan;
  /** Earned by this entry: what a write-off brings to the revenue is not to be had. */
  charged: MicroYuan;
  keyId: string | null;
  taskId: string | null;
  requestId: string | null;
  model: string | null;
  units: number | null;
  unit: string | null;
  unitPrice: MicroYuan | null;
  lines: readonly EntryLine[] | null;
  usageSource: string | null;
  reason: string | null;
}

/** One kind of token of a chat call. */
export interface EntryLine {
  unit: string;
  units: number;
  pricePerMillion: MicroYuan;
  amount: MicroYuan;
}

export interface EntryFilter {
  taskId?: string | undefined;
  requestId?: string | undefined;
  type?: EntryType | undefined;
  model?: string | undefined;
  keyId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

const entryColumns = `transfer_id, type, seq, created_at, d_available, available_after, d_revenue, key_id, task_id, request_id,
  model, units::float8 as units, unit, unit_price, lines, usage_source, reason`;

/** Up to `limit` entries before the number `before`, or the newest. */
export async function listEntries(
  database: Database,
  account: AccountId,
  { taskId, requestId, type, model, keyId, from, to }: EntryFilter,
  { limit, before }: { limit: number; before: bigint | undefined },
): Promise<Entry[]> {
  const { rows } = await database.pool.query({
    name: 'list-entries',
    text: `select ${entryColumns}
      from entries where account_id = $1 and seq < coalesce($2, 9223372036854775807)
        and ($3::text is null or task_id = $3) and ($4::text is null or transfer_id in (select transfer_id from entries where request_id = $4 and type = 'hold')) and ($5::text is null or type = $5)
        and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)
        and ($9::text is null or model = $9) and ($10::text is null or key_id = $10)
      order by seq desc limit $8`,
    values: [
      account,
      before ?? null,
      taskId ?? null,
      requestId ?? null,
      type ?? null,
      from ?? null,
      to ?? null,
      limit,
      model ?? null,
      keyId ?? null,
    ],
  });
  return rows.map((row) => entryRow.parse(row));
}

/** The entries of one task, the first one first; a task has a handful at most. */
export async function entriesOfTask(database: Database, account: AccountId, task: string): Promise<Entry[]> {
  const { rows } = await database.pool.query({
    name: 'entries-of-task',
    text: `select ${entryColumns} from entries where task_id = $2 and account_id = $1 order by seq`,
    values: [account, task],
  });
  return rows.map((row) => entryRow.parse(row));
}

const money = z.bigint().transform(micros);
const digits = z.string().transform((text) => micros(BigInt(text)));
const lineRow = z
  .object({ unit: z.string(), units: z.int(), price_per_million: digits, amount: digits })
  .transform(({ price_per_million, ...line }): EntryLine => ({ ...line, pricePerMillion: price_per_million }));
const entryRow = z
  .object({
    transfer_id: z.string(),
    type: z.enum(entryTypes),
    seq: z.bigint(),
    created_at: z.date(),
    d_available: money,
    available_after: money,
    d_revenue: money,
    key_id: z.string().nullable(),
    task_id: z.string().nullable(),
    request_id: z.string().nullable(),
    model: z.string().nullable(),
    units: z.number().nullable(),
    unit: z.string().nullable(),
    unit_price: money.nullable(),
    lines: z.array(lineRow).nullable(),
    usage_source: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .transform((row): Entry => ({
    transferId: row.transfer_id,
    type: row.type,
    seq: row.seq,
    createdAt: row.created_at,
    amount: row.d_available,
    balance: row.available_after,
    charged: row.type === 'capture' ? row.d_revenue : zero,
    keyId: row.key_id,
    taskId: row.task_id,
    requestId: row.request_id,
    model: row.model,
    units: row.units,
    unit: row.unit,
    unitPrice: row.unit_price,
    lines: row.lines,
    usageSource: row.usage_source,
    reason: row.reason,
  }));
