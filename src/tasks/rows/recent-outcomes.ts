/** How the newest tasks of each model went: what the health report is made of. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';
import { startable } from './task-rows.ts';

export interface TaskOutcome {
  model: string;
  /** Undefined for a success. */
  errorCode: string | undefined;
  finishedAtMs: number;
  /** From the admission, or from when its key's queue let it go, to the end. */
  latencyMs: number;
}

/** Of these rows the telling ones are sought: however many mistakes of callers there are, the search has an end. */
const rowsMax = 200;

/** The newest finished tasks of each model that succeeded or failed with one of `faults`, up to `count`, newest first. */
export async function recentOutcomes(
  database: Database,
  models: readonly string[],
  { faults, count }: { faults: readonly string[]; count: number },
): Promise<TaskOutcome[]> {
  const { rows } = await database.keyed.query({
    name: 'recent-outcomes',
    text: `select t.model, t.error_code, t.finished_at,
        least(round(extract(epoch from t.finished_at - t.started_at) * 1000), 2147483647)::integer as latency_ms
      from unnest($1::text[]) as wanted(model)
      cross join lateral (
        select * from (
          select model, error_code, ${startable} as started_at, finished_at from tasks
          where tasks.model = wanted.model and finished_at is not null order by finished_at desc limit $4
        ) as newest
        where error_code is null or error_code = any($3::text[]) order by finished_at desc limit $2
      ) as t
      order by t.finished_at desc`,
    values: [models, count, faults, rowsMax],
  });
  return rows.map((row) => outcomeRow.parse(row));
}

const outcomeRow = z
  .object({ model: z.string(), error_code: z.string().nullable(), finished_at: z.date(), latency_ms: z.int() })
  .transform((row): TaskOutcome => ({
    model: row.model,
    errorCode: row.error_code ?? undefined,
    finishedAtMs: row.finished_at.getTime(),
    latencyMs: row.latency_ms,
  }));
