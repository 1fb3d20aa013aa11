/** A month of an account's ledger in sums. All of them are over the same entries, so that they agree with each other. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { micros, type Money, plus, zero } from '../domain/money.ts';
import type { Database } from '../postgres/database.ts';
import { stretchOf } from './sequence-range.ts';
import { listUsage, type Usage } from './usage-report.ts';

/** An account's money at a moment: what could be spent, and what was held on top. */
export interface Funds {
  available: Money;
  held: Money;
}

export interface SumOf {
  count: number;
  amount: Money;
}

export interface Statement {
  opening: Funds;
  credits: SumOf;
  /** Signed, in the account's favour above zero. */
  adjustments: SumOf;
  /** By model; what is charged with them leaves the account. */
  charges: readonly Usage[];
  charged: Money;
  /** What the operator bears; it is none of the account's money. */
  writeOffs: SumOf;
  closing: Funds;
}

const modelsMax = 10_000;

/** The sums over the entries from `from` on and before `to`; `newest` is the number of the account's newest entry. */
export async function statementOf(
  database: Database,
  account: AccountId,
  newest: bigint,
  { from, to }: { from: Date; to: Date },
): Promise<Statement> {
  const { above, upTo } = await stretchOf(database, account, newest, { from, to });
  const page = { limit: modelsMax, after: undefined };
  const [start, sums, charges] = await Promise.all([
    fundsAfter(database, account, above),
    readSums(database, [account, above, upTo, from, to]),
    listUsage(database, account, 'model', { from, to, above, upTo, timeZone: 'UTC' }, page),
  ]);
  const opening = { available: plus(start.available, sums.availableBefore), held: plus(start.held, sums.heldBefore) };
  return {
    opening,
    credits: sums.credits,
    adjustments: sums.adjustments,
    charges,
    charged: charges.reduce((sum, { cost }) => plus(sum, cost), zero),
    writeOffs: sums.writeOffs,
    closing: { available: plus(opening.available, sums.available), held: plus(opening.held, sums.held) },
  };
}

/** Available and held together: what came in and was not charged. */
export const total = ({ available, held }: Funds): Money => plus(available, held);

async function fundsAfter(database: Database, account: AccountId, seq: bigint): Promise<Funds> {
  if (seq === 0n) return { available: zero, held: zero };
  const { rows } = await database.pool.query({
    name: 'funds-after-entry',
    text: 'select available_after as available, held_after as held from entries where account_id = $1 and seq = $2',
    values: [account, seq],
  });
  return z.object({ available: money, held: money }).parse(rows[0]);
}

async function readSums(database: Database, values: readonly unknown[]) {
  const { rows } = await database.pool.query({
    name: 'statement-sums',
    text: `select ${sum('d_available', 'created_at < $4')} as "availableBefore", ${sum('d_held', 'created_at < $4')} as "heldBefore",
        ${sum('d_available', 'created_at >= $4')} as available, ${sum('d_held', 'created_at >= $4')} as held,
        ${counted('d_available', 'credit')} as credits, ${counted('d_available', 'adjustment')} as adjustments,
        ${counted('d_revenue', 'write_off')} as "writeOffs"
      from entries where account_id = $1 and seq > $2 and seq <= $3 and created_at < $5`,
    values: [...values],
  });
  return sumsRow.parse(rows[0]);
}

const sum = (column: string, where: string) => `coalesce(sum(${column}) filter (where ${where}), 0)::bigint`;
const counted = (column: string, type: string) =>
  `jsonb_build_object('count', count(*) filter (where type = '${type}' and created_at >= $4),
    'amount', ${sum(column, `type = '${type}' and created_at >= $4`)}::text)`;

const money = z.bigint().transform(micros);
const sumOf = z.object({ count: z.int(), amount: z.string().transform((digits) => micros(BigInt(digits))) });
const sumsRow = z.object({
  availableBefore: money,
  heldBefore: money,
  available: money,
  held: money,
  credits: sumOf,
  adjustments: sumOf,
  writeOffs: sumOf,
});
