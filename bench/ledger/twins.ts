/** Whether pgbench really did what the product did: its customers must stand exactly where the product's do. */
import { z } from 'zod';
import type { Arena } from './admissions.ts';
import { onDatabase } from './databases.ts';

// Rows as the statements left them, and sums over what they inserted. A credit's entry is there before; both have one.
const standing = `select
    (select jsonb_agg(jsonb_build_array(available, held, in_arrears, seq, chain) order by place)
      from unnest($1::text[]) with ordinality as wanted(id, place) join accounts a using (id)) as accounts,
    (select jsonb_agg(jsonb_build_array(counted_at, running_tasks, calls_total, spent_total) order by place)
      from unnest($2::text[]) with ordinality as wanted(id, place) join api_keys using (id)) as keys,
    (select jsonb_build_array(count(*), sum(seq), sum(d_available), sum(d_held), sum(d_revenue), count(link) filter (where type <> 'credit'))
      from entries where account_id = any($1)) as entries,
    (select jsonb_agg(jsonb_build_array(state, holds, amount) order by state) from (
      select state, count(*) as holds, sum(amount) as amount from holds where account_id = any($1) group by state
    ) as by_state) as holds,
    (select count(*) from tasks where account_id = any($1)) as tasks`;

const standingRow = z.record(z.string(), z.unknown());

/** Returns what differs, in one line; nothing if nothing does. */
export async function differenceOfTwins({
  ledger,
  size,
  customers,
  twins,
}: Pick<Arena, 'size' | 'customers' | 'twins'> & { ledger: { url: string } }): Promise<string | undefined> {
  return onDatabase(ledger.url, async (client) => {
    const of = async (all: Arena['customers']) => {
      const { rows } = await client.query(standing, [all.map(({ account }) => account), all.map(({ key }) => key)]);
      return standingRow.parse(rows[0]);
    };
    const [ours, theirs] = [await of(customers), await of(twins)];
    const different = Object.keys(ours).filter((name) => JSON.stringify(ours[name]) !== JSON.stringify(theirs[name]));
    return different.length === 0
      ? undefined
      : `${different.join(', ')} on the ledger of ${size.toLocaleString('en')} entries`;
  });
}
