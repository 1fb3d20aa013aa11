/** How the tasks of each model went, hour by hour, by when they ended. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';
import { row, type RowOf } from '../../postgres/row.ts';

/** Of each model's newest tasks so many are counted, at most. */
const rowsMax = 10_000;

const hourRow = row({
  model: z.string(),
  /** 0: the hour that ends now. */
  hoursAgo: z.int(),
  succeeded: z.int(),
  failed: z.int(),
});
type HourCount = RowOf<typeof hourRow>;

/** Counts the tasks of these models that ended in the last 24 hours and succeeded or failed with one of `faults`. */
export async function taskHours(
  database: Database,
  models: readonly string[],
  faults: readonly string[],
): Promise<HourCount[]> {
  const { rows } = await database.keyed.query({
    name: 'task-hours',
    text: `select wanted.model,
        greatest(0, floor(extract(epoch from now() - t.finished_at) / 3600))::integer as "hoursAgo",
        (count(*) filter (where t.error_code is null))::integer as succeeded,
        (count(*) filter (where t.error_code = any($2::text[])))::integer as failed
      from unnest($1::text[]) as wanted(model)
      cross join lateral (
        select error_code, finished_at from tasks
        where tasks.model = wanted.model and finished_at > now() - interval '1 day'
        order by finished_at desc limit ${rowsMax}
      ) as t
      group by 1, 2`,
    values: [models, faults],
  });
  return rows.map((each) => hourRow.parse(each));
}
