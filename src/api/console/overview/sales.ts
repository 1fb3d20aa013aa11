/** What all accounts paid, what that cost and what is left: by day, in three periods up to now, and of the top accounts. */
import * as z from 'zod';
import { accountNames } from '../../../accounts/account-names.ts';
import { zero } from '../../../domain/money.ts';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { largestMargins, type Margin, plusMargin } from '../../../ledger/margin-report.ts';
import type { Database } from '../../../postgres/database.ts';
import { marginObject, marginRecord, marginSumsFields, marginSumsObject } from '../../presenters/margin.ts';
import { kept } from './kept.ts';

/** Days of each period, today among them; the last one is the chart's. */
const periods = [1, 7, 30] as const;
const daysMax = 30;
const accountsMax = 5;
const dayMs = 86_400_000;
/** As long as the sums of hours are behind, a million entries take seconds. */
const keptMs = 60_000;

export const salesRecord = z.strictObject({
  object: z.literal('sales'),
  at: z.int().describe('When it was summed; at most a minute ago.'),
  periods: z.array(
    z.strictObject({
      days: z.int().describe('Of UTC, today among them.'),
      from: z.string().describe('The first of them.'),
      to: z.string().describe('Today.'),
      ...marginSumsFields,
    }),
  ),
  days: z.array(marginRecord).describe('Those on which anything was charged, newest first.'),
  accounts: z.array(marginRecord).describe('That paid the most in the longest period.'),
});

/** Returns the sales as of at most a minute ago. */
export const readSales = kept(keptMs, async (database: Database): Promise<z.input<typeof salesRecord>> => {
  const now = new Date();
  const dayBack = (days: number) => new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10);
  const range = { from: new Date(`${dayBack(daysMax - 1)}T00:00:00Z`), to: now };
  const [days, accounts] = await Promise.all([
    largestMargins(database, 'day', range, daysMax),
    largestMargins(database, 'account', range, accountsMax),
  ]);
  const names = await accountNames(
    database,
    accounts.map(({ group }) => group),
  );
  return {
    object: 'sales',
    at: unixSeconds(now),
    periods: periods.map((count) => {
      const from = dayBack(count - 1);
      const those = days.filter(({ group }) => group >= from);
      return { days: count, from, to: dayBack(0), ...marginSumsObject(sumOf(those)) };
    }),
    days: days.toReversed().map((day) => marginObject('day', day)),
    accounts: accounts.map((account) =>
      marginObject('account', { ...account, name: names.get(account.group) ?? null }),
    ),
  };
});

const nothing: Margin = {
  ...{ group: '', name: null, calls: 0, callsWithoutCost: 0 },
  ...{ revenue: zero, revenueWithoutCost: zero, writtenOff: zero, cost: zero },
};

const sumOf = (margins: readonly Margin[]): Margin => margins.reduce(plusMargin, nothing);
