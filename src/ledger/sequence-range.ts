/**
 * Where a time lies among an account's entries. They are indexed by their numbers, which grow as time does, so that a month
 * of a long ledger is found by halving instead of reading all of it.
 */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';

// Entries are numbered in the order of their commits and timed by the database's clock. A clock that is set by up to this
// much puts no entry on the wrong side of a position that keeps this distance.
const clockChangeMsMax = 24 * 3_600_000;

/** The numbers between which all entries of a time lie: above the first, up to the second. Others lie there, too. */
export interface Stretch {
  above: bigint;
  upTo: bigint;
}

/** Returns the shortest stretch that is certain to have all entries from `from` on and before `to`; `newest` is the account's newest number. */
export async function stretchOf(
  database: Database,
  account: AccountId,
  newest: bigint,
  { from, to }: { from?: Date | undefined; to?: Date | undefined },
): Promise<Stretch> {
  const before = (timeMs: number, least: bigint) =>
    numberBefore(database, account, new Date(timeMs), { least, newest });
  const above = from ? await before(from.getTime() - clockChangeMsMax, 0n) : 0n;
  const isOver = to !== undefined && to.getTime() + clockChangeMsMax < Date.now();
  return { above, upTo: isOver ? await before(to.getTime() + clockChangeMsMax, above) : newest };
}

/** The number of the last entry before that moment, by halving: 19 look-ups among 300,000 entries, 10 ms in all. */
async function numberBefore(
  database: Database,
  account: AccountId,
  moment: Date,
  { least, newest }: { least: bigint; newest: bigint },
): Promise<bigint> {
  let [before, after] = [least, newest + 1n];
  while (after - before > 1n) {
    const middle = (before + after) / 2n;
    if ((await timeOf(database, account, middle)) < moment) before = middle;
    else after = middle;
  }
  return before;
}

/** When the entry of that number was written. */
export async function timeOf(database: Database, account: AccountId, seq: bigint): Promise<Date> {
  const { rows } = await database.pool.query({
    name: 'time-of-entry',
    text: 'select created_at from entries where account_id = $1 and seq = $2',
    values: [account, seq],
  });
  return timeRow.parse(rows[0]).created_at;
}

const timeRow = z.object({ created_at: z.date() });
