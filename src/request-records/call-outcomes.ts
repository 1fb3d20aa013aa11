/** How the newest calls went, by model, by provider and by route: counted over the records of all processes. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { row, type RowOf } from '../postgres/row.ts';

/** Of these records the calls are sought, newest first: however many come in a day, the search has an end. */
const rowsMax = 50_000;

const outcomeRow = row({
  of: z.enum(['model', 'provider', 'route']),
  /** The model's id, or the provider's name. */
  name: z.string(),
  /** Of a route the model's id; else empty. */
  model: z.string(),
  /** Of a fault of a route; null for a success. */
  code: z.string().nullable(),
  lastHour: z.int(),
  lastDay: z.int(),
  /** The median of whole calls, from their head to the end of their answer; of successes, of a provider those at once. */
  medianMs: z.number().nullable(),
  /** What 95 of 100 of these calls did not exceed. */
  p95Ms: z.number().nullable(),
});
export type CallOutcome = RowOf<typeof outcomeRow>;

export interface CallOutcomes {
  outcomes: readonly CallOutcome[];
  /** Only calls since then are counted; undefined: all of the last day. */
  since: Date | undefined;
}

/**
 * Counts the calls of the last hour and day that succeeded or failed with one of `faults`. A call is of its model once,
 * and of each provider and route that was asked for it.
 */
export async function callOutcomes(database: Database, faults: readonly string[]): Promise<CallOutcomes> {
  const [counted, first] = await Promise.all([
    database.pool.query({ name: 'call-outcomes', text: countText, values: [faults] }),
    database.pool.query({ name: 'call-outcomes-since', text: sinceText }),
  ]);
  const since = sinceRow.optional().parse(first.rows[0]);
  return { outcomes: counted.rows.map((each) => outcomeRow.parse(each)), since: since?.created_at };
}

const newest = `from requests where created_at > now() - interval '1 day' order by created_at desc`;

const percentile = (share: number) =>
  `(percentile_cont(${share}) within group (order by latency_ms) filter (where code = ''))::float8`;

// A route's attempts are kept where one was in vain; one without a fault gave the answer, which may have broken off.
const countText = `
  with calls as (
    select model, provider, attempts, latency_ms, created_at > now() - interval '1 hour' as is_new,
      case when status < 400 and code is null then '' else code end as code
    from (select * ${newest} limit ${rowsMax}) as newest
    where provider is not null and model is not null and task_id is null
  ), asked as (
    select coalesce(asked ->> 'provider', provider) as provider, model, is_new,
      case when asked ? 'fault' then asked ->> 'code' when asked is null or code = 'upstream_error' then code else '' end as code,
      case when attempts is null then latency_ms end as latency_ms
    from calls left join lateral jsonb_array_elements(attempts) as asked on true
  ), outcomes as (
    select 'model' as of, model as name, '' as model, code, is_new, latency_ms from calls
    union all select 'provider', provider, '', code, is_new, latency_ms from asked
    union all select 'route', provider, model, code, is_new, latency_ms from asked
  )
  select of, name, model, nullif(code, '') as code, count(*)::integer as "lastDay",
    (count(*) filter (where is_new))::integer as "lastHour",
    ${percentile(0.5)} as "medianMs", ${percentile(0.95)} as "p95Ms"
  from outcomes where code = '' or code = any($1::text[]) group by 1, 2, 3, 4`;
const sinceText = `select created_at ${newest} offset ${rowsMax - 1} limit 1`;

const sinceRow = z.object({ created_at: z.date() });
