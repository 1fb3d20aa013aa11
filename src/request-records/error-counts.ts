/** How many requests of the last hour and day failed, by the code of their error: over all accounts. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { row, type RowOf } from '../postgres/row.ts';

const count = z.bigint().transform(Number);
const countRow = row({
  /** Null: answered without an error. Without a code, the status. */
  code: z.string().nullable(),
  lastHour: count,
  lastDay: count,
});
export type RequestCount = RowOf<typeof countRow>;

/** Counts the requests of the last hour and day, whatever they asked for, by what came of them: by their five minutes. */
export async function countRequests({ pool }: Database): Promise<RequestCount[]> {
  const { rows } = await pool.query({
    name: 'count-requests-by-code',
    text: `select nullif(code, '') as code, sum(count)::bigint as "lastDay",
        coalesce(sum(count) filter (where slot > now() - interval '1 hour'), 0)::bigint as "lastHour"
      from outcome_counts where slot > now() - interval '1 day' and model = '' group by 1`,
  });
  return rows.map((each) => countRow.parse(each));
}
