/**
 * How each provider does by the tasks that were sent to it: facts for operators, over all processes. With 120,000 tasks a
 * day it takes some 300 ms of PostgreSQL.
 */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';
import { isLive } from './intents.ts';
import { idRange, ofEachKind } from './intent-reports.ts';

/** What became of paid calls; those without an outcome yet are in none of them. */
export interface Outcomes {
  /** Their jobs were taken on, or done at once, and did not fail by the provider's fault since. */
  accepted: number;
  /** For something in the request. */
  refused: number;
  /** The outcome is unknown. */
  unknown: number;
  /** Refused or failed by a fault of the provider. */
  faults: number;
  /** Of those that were accepted: their tasks succeeded. */
  succeeded: number;
  /** Of the faults, by the error's code. */
  faultCodes: readonly { code: string; count: number }[];
}

export interface ProviderFigures {
  /** Tasks that are not final and were sent to it, or are being sent. */
  unfinishedTasks: number;
  /** Of those that its bound on unfinished jobs counts. */
  placesTaken: number;
  lastHour: Outcomes;
  lastDay: Outcomes;
}

/** A call is sent so long after its task was admitted, at most, to be found: ids are ordered by time, and calls are not. */
const waitedHours = 2;

/** By the provider's name; those that no task was sent to in the last day are missing. `faults` are the codes of a provider's. */
export async function providerFigures(
  { pool, keyed }: Database,
  faults: readonly string[],
  now: Date,
): Promise<Map<string, ProviderFigures>> {
  const since = (now.getTime() - (24 + waitedHours) * 3_600_000).toString(16).padStart(12, '0');
  const [sent, unfinished, places] = await Promise.all([
    pool.query(outcomesText(since), [faults]),
    keyed.query({ name: 'provider-unfinished-tasks', text: unfinishedText }),
    keyed.query({ name: 'provider-places', text: placesText }),
  ]);
  const figures = new Map<string, ProviderFigures>();
  const of = (provider: string): ProviderFigures => {
    const known = figures.get(provider) ?? {
      unfinishedTasks: 0,
      placesTaken: 0,
      lastHour: { ...none },
      lastDay: { ...none },
    };
    figures.set(provider, known);
    return known;
  };
  for (const row of sent.rows) {
    const { provider, result, code, last_day, last_hour, day_succeeded, hour_succeeded } = outcomeRow.parse(row);
    add(of(provider).lastDay, { result, code, count: last_day, succeeded: day_succeeded });
    add(of(provider).lastHour, { result, code, count: last_hour, succeeded: hour_succeeded });
  }
  for (const row of unfinished.rows) of(countRow.parse(row).provider).unfinishedTasks = countRow.parse(row).count;
  for (const row of places.rows) of(countRow.parse(row).provider).placesTaken = countRow.parse(row).count;
  return figures;
}

const none: Outcomes = { accepted: 0, refused: 0, unknown: 0, faults: 0, succeeded: 0, faultCodes: [] };

function add(
  to: Outcomes,
  { result, code, count, succeeded }: { result: Result; code: string | null; count: number; succeeded: number },
): void {
  to[result] += count;
  to.succeeded += succeeded;
  if (code !== null && count > 0) to.faultCodes = [...to.faultCodes, { code, count }];
}

const isOfHour = `created_at > clock_timestamp() - interval '1 hour'`;
const hasSucceeded = `result = 'accepted' and state = 'succeeded'`;
const counted = (name: string, where: string) => `(count(*) filter (where ${where}))::integer as ${name}`;

const outcomesText = (since: string): string =>
  `select provider, result, case when result = 'faults' then code end as code, ${counted('last_day', 'true')},
     ${counted('last_hour', isOfHour)}, ${counted('day_succeeded', hasSucceeded)},
     ${counted('hour_succeeded', `${isOfHour} and ${hasSucceeded}`)}
   from (${ofEachKind(
     (kind) =>
       `select i.provider, i.created_at, t.state, coalesce(i.error ->> 'code', t.error_code) as code, case
          when i.outcome = 'unknown' then 'unknown'
          when coalesce(i.error ->> 'code', t.error_code) = any($1::text[]) then 'faults'
          when i.outcome = 'refused' then 'refused' else 'accepted' end as result
        from intents i join tasks t on t.id = i.task_id
        where ${idRange('i.task_id', kind, since)} and ${idRange('t.id', kind, since)} and ${isLive}
          and i.outcome <> 'open'`,
   )}) sent
   where created_at > clock_timestamp() - interval '1 day' group by 1, 2, 3`;

const unfinishedText = `select i.provider, count(distinct t.id)::integer as count
  from tasks t join intents i on i.task_id = t.id
  where t.finished_at is null and ${isLive} and i.outcome <> 'refused' group by i.provider`;
const placesText = `select j.provider, count(*)::integer as count
  from provider_jobs j join tasks t on t.id = j.task_id where t.finished_at is null group by j.provider`;

const result = z.enum(['accepted', 'refused', 'unknown', 'faults']);
type Result = z.output<typeof result>;
const outcomeRow = z.object({
  ...{ provider: z.string(), result, code: z.string().nullable() },
  ...{ last_day: z.int(), last_hour: z.int(), day_succeeded: z.int(), hour_succeeded: z.int() },
});
const countRow = z.object({ provider: z.string(), count: z.int() });
