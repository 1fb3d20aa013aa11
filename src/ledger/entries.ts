/** Reading the ledger: an account's entries, newest first, in pages that stay right while entries arrive. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { type EntryType, entryTypes } from '../domain/billing/postings.ts';
import { lineUnits } from '../domain/billing/line-units.ts';
import type { TokenLine } from '../domain/billing/token-lines.ts';
import { zero } from '../domain/money.ts';
import { keptUsageOf } from '../domain/billing/vendor-text.ts';
import type { Database } from '../postgres/database.ts';
import { computed, money, moneyDigits, row, type RowOf } from '../postgres/row.ts';

export interface EntryFilter {
  taskId?: string | undefined;
  requestId?: string | undefined;
  /** Of the lines of this batch, as long as they are kept. */
  batchId?: string | undefined;
  type?: EntryType | undefined;
  model?: string | undefined;
  keyId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

const lineRow = z
  .object({
    ...{ unit: z.enum(lineUnits), name: z.string().optional() },
    ...{ units: z.int(), price_per_million: moneyDigits, amount: moneyDigits },
  })
  .transform(({ price_per_million, name, ...line }): TokenLine => ({
    ...line,
    ...(name !== undefined && { name }),
    pricePerMillion: price_per_million,
  }));

const entryRow = row({
  transferId: z.string(),
  type: z.enum(entryTypes),
  seq: z.bigint(),
  createdAt: z.date(),
  /** On the available balance, signed. */
  amount: computed('d_available', money),
  balance: computed('available_after', money),
  earned: computed('d_revenue', money),
  keyId: z.string().nullable(),
  taskId: z.string().nullable(),
  requestId: z.string().nullable(),
  model: z.string().nullable(),
  units: computed('units::float8', z.number().nullable()),
  unit: z.string().nullable(),
  unitPrice: money.nullable(),
  lines: z.array(lineRow).nullable(),
  usageSource: z.string().nullable(),
  reason: z.string().nullable(),
  vendor: z.string().nullable(),
}).as(({ earned, vendor, ...entry }) => ({
  ...entry,
  /** The provider's own, as it was kept. */
  usage: vendor === null ? undefined : keptUsageOf(vendor),
  /** What a write-off brings to the revenue is not earned. */
  charged: entry.type === 'capture' ? earned : zero,
}));
export type Entry = RowOf<typeof entryRow>;

/** Up to `limit` entries before the number `before`, or the newest. */
export async function listEntries(
  database: Database,
  account: AccountId,
  { taskId, requestId, batchId, type, model, keyId, from, to }: EntryFilter,
  { limit, before }: { limit: number; before: bigint | undefined },
): Promise<Entry[]> {
  const { rows } = await database.pool.query({
    name: 'list-entries',
    text: `select ${entryRow.columns}
      from entries where account_id = $1 and seq < coalesce($2, 9223372036854775807)
        and ($3::text is null or task_id = $3) and ($4::text is null or transfer_id in (select transfer_id from entries where request_id = $4 and type = 'hold')) and ($5::text is null or type = $5)
        and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)
        and ($9::text is null or model = $9) and ($10::text is null or key_id = $10)
        and ($11::text is null or transfer_id in (select transfer_id from batch_lines where batch_id = $11))
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
      batchId ?? null,
    ],
  });
  return rows.map((row) => entryRow.parse(row));
}

/** The entries of one task, the first one first; a task has a handful at most. */
export async function entriesOfTask(database: Database, account: AccountId, task: string): Promise<Entry[]> {
  const { rows } = await database.pool.query({
    name: 'entries-of-task',
    text: `select ${entryRow.columns} from entries where task_id = $2 and account_id = $1 order by seq`,
    values: [account, task],
  });
  return rows.map((row) => entryRow.parse(row));
}
