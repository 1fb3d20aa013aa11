/** How the calls of each model went, hour by hour: counted over the records of all processes. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { row, type RowOf } from '../postgres/row.ts';

const count = z.bigint().transform(Number);
const hourRow = row({
  model: z.string(),
  /** 0: the hour that ends now. */
  hoursAgo: z.int(),
  succeeded: count,
  failed: count,
});
export type HourCount = RowOf<typeof hourRow>;

/**
 * Counts the calls of the last 24 hours that succeeded or failed with one of `faults`, by their five minutes. Hours without
 * any have no row.
 */
export async function callHours(database: Database, faults: readonly string[]): Promise<HourCount[]> {
  const { rows } = await database.pool.query({
    name: 'call-hours',
    // By the middle of the five minutes.
    text: `select model, greatest(0, floor(extract(epoch from now() - slot - interval '150 seconds') / 3600))::integer as "hoursAgo",
        coalesce(sum(count) filter (where code = ''), 0)::bigint as succeeded,
        coalesce(sum(count) filter (where code <> ''), 0)::bigint as failed
      from outcome_counts
      where slot > now() - interval '1 day' and model <> '' and provider = '' and (code = '' or code = any($1::text[]))
      group by 1, 2`,
    values: [faults],
  });
  return rows.map((each) => hourRow.parse(each));
}
