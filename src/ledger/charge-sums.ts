/**
 * Sums of captures and write-offs by the hour, made behind the ledger and never in its commits. An account's entries are
 * numbered without a gap and never change: its sums hold all up to a number, which is written in the same transaction. Who
 * reads them takes what is above from the entries, so that sums are right however far they are behind.
 */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { chargeFigures, figureNames, tokensOfLines } from './charge-figures.ts';

/** Of an account, and of the accounts of a statement about as many: it takes the database a quarter of a second. */
const sliceEntries = 20_000;

export interface SumOptions {
  /** Accounts with fewer entries above their sums are left to another time. */
  leastEntries?: number;
  /** Nothing more is begun then. */
  signal?: AbortSignal;
}

/** Adds what came since to the sums of all accounts. What another process is adding to is left to it. */
export async function sumCharges(database: Database, { leastEntries = 1, signal }: SumOptions = {}): Promise<void> {
  const { rows } = await database.pool.query({ name: 'accounts-to-sum', text: behindText, values: [leastEntries] });
  for (const group of groupsOf(z.array(behindRow).parse(rows))) {
    await database.keyed.query({ name: 'begin-charge-sums', text: beginText, values: [group] });
    for (let left = group; left.length > 0;) {
      if (signal?.aborted === true) return;
      const summed = await database.keyed.query({ name: 'sum-charges', text: sumText, values: [left, sliceEntries] });
      left = z
        .array(summedRow)
        .parse(summed.rows)
        .flatMap(({ id, is_behind }) => (is_behind ? [id] : []));
    }
  }
}

const behindRow = z.object({ id: z.string(), entries: z.bigint() });
const summedRow = z.object({ id: z.string(), is_behind: z.boolean() });

/** Accounts that fit into one statement. */
function* groupsOf(accounts: readonly z.output<typeof behindRow>[]): Generator<string[]> {
  let [group, count]: [string[], number] = [[], 0];
  for (const { id, entries } of accounts) {
    group.push(id);
    count += Number(entries);
    if (count < sliceEntries) continue;
    yield group;
    [group, count] = [[], 0];
  }
  if (group.length > 0) yield group;
}

/** How many entries of all accounts are above the sums. */
export async function entriesNotSummed({ pool }: Pick<Database, 'pool'>): Promise<bigint> {
  const { rows } = await pool.query({
    name: 'entries-not-summed',
    text: `select coalesce(sum(a.seq - coalesce(p.seq, 0)), 0)::bigint as count
      from accounts a left join charge_positions p on p.account_id = a.id`,
  });
  return z.object({ count: z.bigint() }).parse(rows[0]).count;
}

const behindText = `select a.id, a.seq - coalesce(p.seq, 0) as entries from accounts a left join charge_positions p on p.account_id = a.id
  where a.seq - coalesce(p.seq, 0) >= $1`;

const beginText = 'insert into charge_positions (account_id, seq) select unnest($1::text[]), 0 on conflict do nothing';

const keys = 'account_id, charged_hour, admitted_hour, type, key_id, model, provider';
const added = [
  ...figureNames.map((name) => `${name} = c.${name} + excluded.${name}`),
  'first_seq = least(c.first_seq, excluded.first_seq)',
  'last_seq = greatest(c.last_seq, excluded.last_seq)',
];

// Another's row of the position is left to it. Where it has just let go of it, the position is newer than the entries that
// this statement sees: then there may be nothing to add.
const sumText = `
  with stretch as materialized (
    select p.account_id, p.seq as above, least(a.seq, p.seq + $2::bigint) as up_to, a.seq as newest
    from charge_positions p join accounts a on a.id = p.account_id
    where p.account_id = any($1::text[]) for update of p skip locked
  ), summed as (
    insert into charge_sums as c (${keys}, ${figureNames.join(', ')}, first_seq, last_seq)
    select e.account_id, date_trunc('hour', e.created_at, 'UTC'), date_trunc('hour', tollgate_uuid_moment(e.transfer_id), 'UTC'),
      e.type, coalesce(e.key_id, ''), coalesce(e.model, ''), coalesce(e.provider, ''),
      ${Object.values(chargeFigures)
        .map((figure) => `sum(${figure})::bigint`)
        .join(', ')}, min(e.seq), max(e.seq)
    from stretch join entries e on e.account_id = stretch.account_id and e.seq > stretch.above and e.seq <= stretch.up_to
      ${tokensOfLines}
    where e.type in ('capture', 'write_off') group by 1, 2, 3, 4, 5, 6, 7
    on conflict (${keys}) do update set ${added.join(', ')}
  )
  update charge_positions p set seq = stretch.up_to from stretch
  where p.account_id = stretch.account_id and stretch.up_to > stretch.above
  returning p.account_id as id, stretch.up_to < stretch.newest as is_behind`;
