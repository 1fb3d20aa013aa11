/** How the tasks of the last hour and day went, by model. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';
import { row, type RowOf } from '../../postgres/row.ts';
import { startable } from './task-rows.ts';

/** Of each model's newest tasks so many are counted, at most. */
const rowsMax = 10_000;

const countRow = row({
  model: z.string(),
  /** Of a fault; null for a success. */
  code: z.string().nullable(),
  lastHour: z.int(),
  lastDay: z.int(),
  /** The median of whole tasks, from the admission, or from when the key's queue let it go, to the end; of successes. */
  medianMs: z.number().nullable(),
});
export type OutcomeCount = RowOf<typeof countRow>;

/** Counts the tasks of these models that ended in the last day and succeeded or failed with one of `faults`. */
export async function outcomeCounts(
  database: Database,
  models: readonly string[],
  faults: readonly string[],
): Promise<OutcomeCount[]> {
  const { rows } = await database.keyed.query({
    name: 'task-outcome-counts',
    text: `select wanted.model, t.error_code as code, count(*)::integer as "lastDay",
        (count(*) filter (where t.finished_at > now() - interval '1 hour'))::integer as "lastHour",
        (percentile_cont(0.5) within group (order by t.ms) filter (where t.error_code is null))::float8 as "medianMs"
      from unnest($1::text[]) as wanted(model)
      cross join lateral (
        select error_code, finished_at, extract(epoch from finished_at - ${startable}) * 1000 as ms from tasks
        where tasks.model = wanted.model and finished_at > now() - interval '1 day'
        order by finished_at desc limit ${rowsMax}
      ) as t
      where t.error_code is null or t.error_code = any($2::text[])
      group by 1, 2`,
    values: [models, faults],
  });
  return rows.map((each) => countRow.parse(each));
}
