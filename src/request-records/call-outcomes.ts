/** How the calls of the last hour and day went, by model, by provider and by route: over the records of all processes. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { row, type RowOf } from '../postgres/row.ts';

const count = z.bigint().transform(Number);
const subject = {
  of: z.enum(['model', 'provider', 'route']),
  /** The model's id, or the provider's name. */
  name: z.string(),
  /** Of a route the model's id; else empty. */
  model: z.string(),
};
const outcomeRow = row({
  ...subject,
  /** Of a fault of a route; null for a success. */
  code: z.string().nullable(),
  lastHour: count,
  lastDay: count,
});
const latencyRow = row({
  ...subject,
  /** The median of whole calls, from their head to the end of their answer; of successes, of a provider those at once. */
  medianMs: z.number().nullable(),
  /** What 95 of 100 of these calls did not exceed. */
  p95Ms: z.number().nullable(),
});

export interface CallOutcomes {
  outcomes: readonly RowOf<typeof outcomeRow>[];
  /** Of the newest 50,000 records of the last day. */
  latencies: readonly RowOf<typeof latencyRow>[];
}

/**
 * Counts the calls of the last hour and day, by their five minutes, that succeeded or failed with one of `faults`. A call
 * is of its model once, and of each provider and route that was asked for it.
 */
export async function callOutcomes(database: Database, faults: readonly string[]): Promise<CallOutcomes> {
  const [counted, measured] = await Promise.all([
    database.pool.query({ name: 'call-outcomes', text: countText, values: [faults] }),
    database.pool.query({ name: 'call-latencies', text: latencyText }),
  ]);
  return {
    outcomes: counted.rows.map((each) => outcomeRow.parse(each)),
    latencies: measured.rows.map((each) => latencyRow.parse(each)),
  };
}

const countText = `
  with counts as (
    select model, provider, code, sum(count) as day,
      coalesce(sum(count) filter (where slot > now() - interval '1 hour'), 0) as hour
    from outcome_counts
    where slot > now() - interval '1 day' and model <> '' and (code = '' or code = any($1::text[])) group by 1, 2, 3
  ), outcomes as (
    select 'model' as of, model as name, '' as model, code, day, hour from counts where provider = ''
    union all select 'provider', provider, '', code, day, hour from counts where provider <> ''
    union all select 'route', provider, model, code, day, hour from counts where provider <> ''
  )
  select of, name, model, nullif(code, '') as code, sum(day)::bigint as "lastDay", sum(hour)::bigint as "lastHour"
  from outcomes group by 1, 2, 3, 4`;

/** Among these records, the newest, the calls are sought that are measured: however many come in a day, the search has an end. */
const measuredMax = 50_000;
const percentile = (share: number) => `(percentile_cont(${share}) within group (order by latency_ms))::float8`;

// Where another route was asked before, the time is not the provider's own.
const latencyText = `
  with calls as (
    select model, provider, attempts, latency_ms from (
      select * from requests where created_at > now() - interval '1 day' order by created_at desc limit ${measuredMax}
    ) as newest
    where provider is not null and model is not null and task_id is null and status < 400 and code is null
  ), measured as (
    select 'model' as of, model as name, '' as model, latency_ms from calls
    union all select 'provider', provider, '', latency_ms from calls where attempts is null
    union all select 'route', provider, model, latency_ms from calls where attempts is null
  )
  select of, name, model, ${percentile(0.5)} as "medianMs", ${percentile(0.95)} as "p95Ms" from measured group by 1, 2, 3`;
