/** What all accounts paid and what serving them cost the operator, summed by model, provider, account or day. */
import type pg from 'pg';
import * as z from 'zod';
import type { Money } from '../domain/money.ts';
import { minus, plus } from '../domain/money.ts';
import { othersAt } from '../postgres/cross-table.ts';
import type { Database } from '../postgres/database.ts';
import { money, row, type RowOf } from '../postgres/row.ts';
import { chargesOfAll } from './usage-table.ts';

export const marginGroups = ['day', 'model', 'provider', 'account'] as const;
export type MarginGroup = (typeof marginGroups)[number];

const count = z.bigint().transform(Number);
const marginRow = row({
  /** The day in UTC as `2026-11-21`, the model's or account's id, the provider's name; empty where it is not known. */
  group: z.string(),
  /** The account's name, if it is grouped by accounts. */
  name: z.string().nullable(),
  /** Calls and tasks that were charged or written off. */
  calls: count,
  /** Of these, those whose cost is not known. */
  callsWithoutCost: count,
  /** What the customers paid. */
  revenue: money,
  /** Of this, what they paid for those whose cost is not known. */
  revenueWithoutCost: money,
  writtenOff: money,
  cost: money,
});
export type Margin = RowOf<typeof marginRow>;

/** Calls and tasks that were admitted from a moment on and before another. */
export interface MarginRange {
  from: Date;
  to: Date;
}

/**
 * Returns up to `limit` groups behind the group `after`, or the first: days newest first, all else by their names. The
 * statement may take as long as the connection allows.
 */
export async function listMargins(
  connection: pg.Pool | pg.PoolClient,
  by: MarginGroup,
  { from, to }: MarginRange,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<Margin[]> {
  const { rows } = await connection.query(statements[by], [from, to, after ?? null, limit]);
  return rows.map((one) => marginRow.parse(one));
}

/** Up to `limit` days in their order, or accounts, those that paid the most first; without names. Hours are read from their sums. */
export async function largestMargins(
  database: Database,
  by: 'day' | 'account',
  range: MarginRange,
  limit: number,
): Promise<Margin[]> {
  const query = { group: by, largestBy: 'revenue', groupsMax: limit, columnsMax: 1, timeZone: 'UTC' } as const;
  const { groups } = await chargesOfAll(database, { ...query, ...range });
  return groups
    .filter(({ groupAt, sums }) => groupAt !== othersAt && sums.calls > 0)
    .map(({ group, sums }) => ({ ...sums, group, name: null }));
}

/** What is left of what was paid for the calls and tasks whose cost is known. */
export const marginOf = ({ revenue, revenueWithoutCost, cost }: Margin): Money =>
  minus(minus(revenue, revenueWithoutCost), cost);

/** The margin's share of that in percent, with two decimals; null where nothing was paid. */
export function marginPercentOf(margin: Margin): number | null {
  const paid = minus(margin.revenue, margin.revenueWithoutCost);
  return paid === 0n ? null : Math.round((Number(marginOf(margin)) / Number(paid)) * 10_000) / 100;
}

/** The sums of both; the group and the name are those of the first. */
export const plusMargin = (one: Margin, other: Margin): Margin => ({
  ...one,
  calls: one.calls + other.calls,
  callsWithoutCost: one.callsWithoutCost + other.callsWithoutCost,
  revenue: plus(one.revenue, other.revenue),
  revenueWithoutCost: plus(one.revenueWithoutCost, other.revenueWithoutCost),
  writtenOff: plus(one.writtenOff, other.writtenOff),
  cost: plus(one.cost, other.cost),
});

// A transfer has a capture; or only a write-off, of a call whose process had died and whose hold was swept.
const isOneEach = `(e.type = 'capture' or e.reason = 'owner_lost')`;
/** Over captures and write-offs `e`. */
const marginSums = {
  calls: `count(*) filter (where ${isOneEach})`,
  callsWithoutCost: `count(*) filter (where ${isOneEach} and e.cost is null)`,
  revenue: `coalesce(sum(e.d_revenue) filter (where e.type = 'capture'), 0)::bigint`,
  revenueWithoutCost: `coalesce(sum(e.d_revenue) filter (where e.type = 'capture' and e.cost is null), 0)::bigint`,
  writtenOff: `coalesce(sum(e.d_revenue) filter (where e.type = 'write_off'), 0)::bigint`,
  cost: 'coalesce(sum(e.cost), 0)::bigint',
};
const sums = Object.entries(marginSums)
  .map(([name, sum]) => `${sum} as "${name}"`)
  .join(', ');

// Transfer ids are in the order of their times and in the primary key, by which the months are cut. So a range is read by
// itself, in the months that it touches; and a late settlement is of the day on which its call was made.
const entriesOf = (from: string, to: string) => `entries e where e.type in ('capture', 'write_off')
  and e.transfer_id >= tollgate_uuid_floor(${from}) and e.transfer_id < tollgate_uuid_floor(${to})`;

/** In the order of their bytes, whatever the database's collation is. */
const by = (column: string, name = 'null::text') => {
  const group = `coalesce(e.${column}, '') collate "C"`;
  return `select ${group} as "group", ${name} as name, ${sums} from ${entriesOf('$1::timestamptz', '$2::timestamptz')}
    and ($3::text is null or ${group} > $3) group by 1 order by 1 limit $4`;
};

const statements: Record<MarginGroup, string> = {
  day: `select to_char(first at time zone 'UTC', 'YYYY-MM-DD') as "group", null::text as name, of_day.*
    from generate_series(date_trunc('day', $1::timestamptz, 'UTC'), $2::timestamptz, '24 hours') as first
    cross join lateral (select ${sums}
      from ${entriesOf(`greatest(first, $1::timestamptz)`, `least(first + interval '24 hours', $2::timestamptz)`)}) as of_day
    where of_day.calls > 0 and ($3::text is null or first < $3::date::timestamp at time zone 'UTC')
    order by first desc limit $4`,
  model: by('model'),
  provider: by('provider'),
  account: by('account_id', '(select a.name from accounts a where a.id = min(e.account_id))'),
};
