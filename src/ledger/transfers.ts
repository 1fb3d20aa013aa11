/** The ledger as one row a call or task: what each moved in the end, newest first, and the sum of it. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { computed, money, moneyDigits, row, type RowOf } from '../postgres/row.ts';
import type { EntryFilter } from './entries.ts';
import { stretchOf, timeOf } from './sequence-range.ts';

export type TransferFilter = Omit<EntryFilter, 'type'>;

/** A sum reads so many of the newest entries, at most: a million take a second. */
const summedMax = 200_000;

/** The entries that transfers begin with; what else there is of a transfer follows from its hold. */
const firstTypes = ['hold', 'credit', 'adjustment'] as const;

const transferRow = row({
  transferId: z.string(),
  /** Of its first entry. */
  type: z.enum(firstTypes),
  seq: z.bigint(),
  createdAt: z.date(),
  amount: computed('d_available', money),
  charged: computed('coalesce(later.charged, 0)::text', moneyDigits),
  /** A hold whose call or task has ended. */
  isClosed: computed("type <> 'hold' or coalesce(later.is_closed, false)", z.boolean()),
  keyId: z.string().nullable(),
  taskId: z.string().nullable(),
  requestId: z.string().nullable(),
  model: z.string().nullable(),
  reason: computed('coalesce(entries.reason, later.reason)', z.string().nullable()),
});
export type Transfer = RowOf<typeof transferRow>;

/**
 * Up to `limit` transfers whose first entry has a number below `before`, or the newest; `newest` is the number of the
 * account's newest entry.
 */
export async function listTransfers(
  database: Database,
  account: AccountId,
  newest: bigint,
  filter: TransferFilter,
  { limit, before }: { limit: number; before: bigint | undefined },
): Promise<Transfer[]> {
  const { above, upTo } = await stretchOf(database, account, newest, filter);
  const { where, values } = conditions(account, filter);
  const below = before !== undefined && before <= upTo ? before : upTo + 1n;
  const { rows } = await database.keyed.query({
    name: ['list-transfers', ...namesOf(filter)].join('-'),
    text: `select ${transferRow.columns}
      from (select * from entries e where type in ('hold', 'credit', 'adjustment') and ${where}
          and seq > $${values.push(above)} and seq < $${values.push(below)}
          order by seq desc limit $${values.push(limit)}) as entries
        left join lateral (
          select sum(l.d_revenue) filter (where l.type = 'capture') as charged,
            bool_or(l.type in ('capture', 'release')) as is_closed, max(l.reason) as reason
          from entries l where l.transfer_id = entries.transfer_id and l.type in ('capture', 'release', 'write_off')
        ) as later on entries.type = 'hold'
      order by seq desc`,
    values,
  });
  return rows.map((each) => transferRow.parse(each));
}

const sumsRow = row({
  charged: computed("coalesce(sum(d_revenue) filter (where type = 'capture'), 0)::text", moneyDigits),
  credited: computed(
    "coalesce(sum(d_available) filter (where type in ('credit', 'adjustment')), 0)::text",
    moneyDigits,
  ),
});

export interface LedgerSums extends RowOf<typeof sumsRow> {
  /** Only the entries since then are in it; undefined: all that pass the filter. */
  since: Date | undefined;
}

/** What the entries that pass the filter charged, and what was added, in all; of a long ledger, of its newest entries. */
export async function sumsOfLedger(
  database: Database,
  account: AccountId,
  newest: bigint,
  filter: TransferFilter,
): Promise<LedgerSums> {
  const { above: start, upTo } = await stretchOf(database, account, newest, filter);
  const { where, values } = conditions(account, filter);
  // What has one of these ids is found by it, however long the ledger is.
  const isNamed = [filter.taskId, filter.requestId, filter.batchId].some((its) => its !== undefined);
  const isCut = !isNamed && upTo - start > summedMax;
  const above = isCut ? upTo - BigInt(summedMax) : start;
  const { rows } = await database.keyed.query({
    name: ['sum-ledger', ...namesOf(filter)].join('-'),
    text: `select ${sumsRow.columns} from entries e
      where ${where} and seq > $${values.push(above)} and seq <= $${values.push(upTo)}`,
    values,
  });
  return { ...sumsRow.parse(rows[0]), since: isCut ? await timeOf(database, account, above) : undefined };
}

/** Only those that are asked for, so that each set of filters has a plan of its own. */
function conditions(account: AccountId, filter: TransferFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [account];
  const where = ['account_id = $1'];
  const add = (condition: (its: string) => string, value: unknown) => {
    if (value !== undefined) where.push(condition(`$${values.push(value)}`));
  };
  add((its) => `task_id = ${its}`, filter.taskId);
  add(
    (its) => `transfer_id in (select h.transfer_id from entries h where h.request_id = ${its} and h.type = 'hold')`,
    filter.requestId,
  );
  add((its) => `transfer_id in (select b.transfer_id from batch_lines b where b.batch_id = ${its})`, filter.batchId);
  add((its) => `model = ${its}`, filter.model);
  add((its) => `key_id = ${its}`, filter.keyId);
  add((its) => `created_at >= ${its}::timestamptz`, filter.from);
  add((its) => `created_at < ${its}::timestamptz`, filter.to);
  return { where: where.join(' and '), values };
}

const namesOf = (filter: TransferFilter): string[] =>
  Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
