/**
 * What an account was charged in the last days, by day and model, and which of its tasks failed. Entries never change and are
 * numbered without a gap, so that sums up to a number are good for ever: they are kept, and each further look reads
 * only the entries that came since.
 */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { micros, type Money, plus } from '../domain/money.ts';
import { dayAfter, dayIn, type Spans, spansIn, startOfDay } from '../domain/time-zone.ts';
import type { Database } from '../postgres/database.ts';
import { stretchOf } from './sequence-range.ts';

/** Days that are kept, today among them: as many as the longest month has. */
export const recentDays = 31;
/** Accounts whose sums this process keeps; one with 30 models takes 100 kB. */
const accountsMax = 200;
/** Failed tasks of a day and model that are named. */
const failuresMax = 5;

export interface DayCharges {
  /** As `2026-11-21`. */
  day: string;
  model: string;
  /** Calls and tasks that were charged, those that cost nothing included. */
  calls: number;
  cost: Money;
  /** Tasks that failed; cancelled ones did not. */
  failed: number;
  /** The newest of them. */
  failures: readonly Failure[];
}

/** A failed task and the number of the entry that gave its hold back. */
export interface Failure {
  seq: bigint;
  taskId: string;
}

interface Sums {
  /** Of its days. */
  timeZone: string;
  /** The newest entry that is in them. */
  upTo: bigint;
  charges: readonly DayCharges[];
}

const keptOf = new WeakMap<Database, Map<AccountId, Sums>>();

/** The charges of the last `recentDays` of the time zone, that of `now` among them; `newest` is the number of the account's newest entry. */
export async function recentCharges(
  database: Database,
  account: AccountId,
  newest: bigint,
  { timeZone, now }: { timeZone: string; now: Date },
): Promise<readonly DayCharges[]> {
  const fromDay = dayAfter(dayIn(timeZone, now), 1 - recentDays);
  const from = startOfDay(timeZone, fromDay);
  // Tomorrow, too: it may begin before the entries are read.
  const days = spansIn(timeZone, 'day', { from, to: startOfDay(timeZone, dayAfter(fromDay, recentDays + 1)) });
  const all = keptOf.get(database) ?? new Map<AccountId, Sums>();
  keptOf.set(database, all);
  const kept = all.get(account);
  const known = kept?.timeZone === timeZone ? kept : undefined;
  const above = known?.upTo ?? (await stretchOf(database, account, newest, { from })).above;
  const read = await readCharges(database, account, above, days);
  // Made anew and never changed: who looks at the same time has sums of their own.
  const sums: Sums = {
    timeZone,
    upTo: read.reduce((most, { upTo }) => (upTo > most ? upTo : most), above),
    charges: summed([...(known?.charges ?? []), ...read.map(({ charges }) => charges)]).filter(
      ({ day }) => day >= fromDay,
    ),
  };
  all.delete(account);
  all.set(account, sums);
  for (const oldest of all.keys()) if (all.size > accountsMax) all.delete(oldest);
  return sums.charges;
}

function summed(rows: readonly DayCharges[]): DayCharges[] {
  const found = new Map<string, DayCharges>();
  for (const row of rows) {
    const name = JSON.stringify([row.day, row.model]);
    const before = found.get(name);
    found.set(name, before ? added(before, row) : row);
  }
  return [...found.values()];
}

const added = (before: DayCharges, more: DayCharges): DayCharges => ({
  ...before,
  calls: before.calls + more.calls,
  cost: plus(before.cost, more.cost),
  failed: before.failed + more.failed,
  failures: [...more.failures, ...before.failures].slice(0, failuresMax),
});

// A task that failed is a release that says why; the release after a capture gives no reason.
const failed = `(type = 'release' and task_id is not null and reason is not null and reason <> 'cancelled')`;

async function readCharges(
  database: Database,
  account: AccountId,
  above: bigint,
  { starts, labels }: Spans,
): Promise<{ upTo: bigint; charges: DayCharges }[]> {
  const { rows } = await database.pool.query({
    name: 'recent-charges',
    text: `select max(seq) as up_to, width_bucket(created_at, $3::timestamptz[]) as day, coalesce(model, '') as model,
        count(*) filter (where type = 'capture') as calls,
        coalesce(sum(d_revenue) filter (where type = 'capture'), 0)::bigint as cost,
        count(*) filter (where ${failed}) as failed,
        coalesce((array_agg(jsonb_build_object('seq', seq::text, 'taskId', task_id) order by seq desc) filter (where ${failed}))[1:${failuresMax}], '{}') as failures
      from entries where account_id = $1 and seq > $2 and created_at >= ($3::timestamptz[])[1]
      group by 2, 3`,
    values: [account, above, starts],
  });
  return rows.map((row) => {
    const { up_to: upTo, day, ...charges } = chargesRow.parse(row);
    return { upTo, charges: { ...charges, day: labels[day - 1] ?? '' } };
  });
}

const count = z.bigint().transform(Number);
const chargesRow = z.object({
  up_to: z.bigint(),
  /** Its number among the days: 1 is the first. */
  day: z.int(),
  model: z.string(),
  calls: count,
  cost: z.bigint().transform(micros),
  failed: count,
  failures: z.array(z.object({ seq: z.string().transform(BigInt), taskId: z.string() })),
});
