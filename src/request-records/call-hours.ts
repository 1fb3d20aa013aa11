/** How the calls of each model went, hour by hour: counted over the records of all processes. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { row, type RowOf } from '../postgres/row.ts';

/** Of these records the calls are sought, newest first: however many come in a day, the search has an end. */
const rowsMax = 50_000;

const hourRow = row({
  model: z.string(),
  /** 0: the hour that ends now. */
  hoursAgo: z.int(),
  succeeded: z.int(),
  failed: z.int(),
});
export type HourCount = RowOf<typeof hourRow>;

/** Counts the calls of the last 24 hours that succeeded or failed with one of `faults`. Hours without any have no row. */
export async function callHours(database: Database, faults: readonly string[]): Promise<HourCount[]> {
  const { rows } = await database.pool.query({
    name: 'call-hours',
    text: `with newest as (
        select model, provider, task_id, status, code, created_at from requests
        where created_at > now() - interval '1 day' order by created_at desc limit ${rowsMax}
      )
      select model, greatest(0, floor(extract(epoch from now() - created_at) / 3600))::integer as "hoursAgo",
        (count(*) filter (where status < 400 and code is null))::integer as succeeded,
        (count(*) filter (where code = any($1::text[])))::integer as failed
      from newest where provider is not null and model is not null and task_id is null group by 1, 2`,
    values: [faults],
  });
  return rows.map((each) => hourRow.parse(each));
}
