/**
 * Whether task rows agree with the ledger, with their paid calls and with themselves: rules in SQL, of which only what
 * they find leaves the database.
 *
 * What shows only the engine's course has no seal, and is judged as exactly as its writers allow: a start is acknowledged
 * between admission and now; `seen_at` is written two seconds after admission at the earliest, five minutes after an
 * acknowledged start, and never on a final task; a claim of a download lasts 30 seconds. Another moment within these bounds
 * is not reported, and neither is another time of removal between the end and now. A task leaves the queue of its key at
 * any moment before its start.
 */
import * as z from 'zod';
import { pagesOf, reportPages } from '../audit.ts';
import type { CheckContext } from '../check-context.ts';
import { entriesInRange, inRange } from '../key-ranges.ts';

/** The tasks `t` that an audit since then looks at, all if that is null: those that began, ended or run since. */
export const lookedAt = (since: string): string =>
  `(${since}::timestamptz is null or t.created_at >= ${since} or t.finished_at >= ${since} or t.finished_at is null)`;

/** Compares each task with its hold, its entries and its paid calls, and each entry of a task with its task. */
export async function compareTasks(context: CheckContext): Promise<void> {
  const { since, found } = context;
  for await (const rows of pagesOf(context, 'tasks', rulesText, [since ?? null])) {
    for (const row of rows) {
      const [id, problems] = rulesRow.parse(row);
      for (const says of problems) found(id, says);
    }
  }
  await reportPages(context, 'transfers', entriesText, [since ?? null]);
}

/** What is wrong, and the condition under which it is. */
type Rules = readonly (readonly [says: string, sql: string])[];

const ofItself: Rules = [
  ['it has no seal of its admission', 't.seal is null or t.request_digest is null'],
  ['it has no seal of its end', 't.finished_at is not null and t.end_seal is null'],
  [
    'its times are finer than the gateway writes them',
    `t.created_at <> date_trunc('milliseconds', t.created_at) or t.finished_at <> date_trunc('milliseconds', t.finished_at)`,
  ],
  ['it was admitted in the future', 't.created_at > n.now'],
  ['it ended before it was admitted', 't.finished_at < t.created_at'],
  [
    'it is not final, but has what only an end brings',
    `t.finished_at is null and (num_nonnulls(t.files, t.duration_ms, t.cost, t.balance_after, t.error_code, t.error_message,
       t.error_param, t.error_retry_after, t.error_digest, t.end_seal, t.removed_at) > 0)`,
  ],
  ['it is final without a balance after it', 't.finished_at is not null and t.balance_after is null'],
  [
    'it succeeded, but has an error',
    `t.state = 'succeeded' and num_nonnulls(t.error_code, t.error_message, t.error_param, t.error_retry_after, t.error_digest) > 0`,
  ],
  [
    'the message of its error is gone, but it ended within a day',
    `t.error_code is not null and t.error_message is null and t.finished_at > n.now - interval '1 day'`,
  ],
  ['it is final, but a step says that it will fail', 't.finished_at is not null and t.failure is not null'],
  [
    'a step says that it will fail, but not why',
    `t.failure is not null and (jsonb_typeof(t.failure) <> 'object' or not t.failure ?& array['code', 'message', 'param'])`,
  ],
  [
    'it did not succeed, but has a result or a cost',
    `t.state in ('failed', 'cancelled') and num_nonnulls(t.files, t.duration_ms, t.cost) > 0`,
  ],
  ['its request is gone, but it was not removed', 't.removed_at is null and t.request is null'],
  [
    'its uploads are gone, but it was not removed',
    `t.removed_at is null and t.uploads is null and t.kind = 'avatar_talk'`,
  ],
  [
    'its request names an upload that is not there',
    `t.kind <> 'avatar_talk' and t.request is not null and exists (
      select from (
        select jsonb_path_query(t.request, 'lax $.imageUrls[*]') as address
        union all select jsonb_path_query(t.request, 'lax $.mask')
        union all select jsonb_path_query(t.request, 'lax $.content[*].url')
      ) as named
      where address #>> '{}' like 'upload:%' and not coalesce(t.uploads ? substr(address #>> '{}', 8), false))`,
  ],
  [
    'it was removed, but has its request or uploads',
    't.removed_at is not null and num_nonnulls(t.request, t.uploads) > 0',
  ],
  [
    'it was removed within a day, which no image is',
    `t.kind = 'image' and t.removed_at < t.finished_at + interval '1 day'`,
  ],
  // The end has whole milliseconds, cut off.
  ['it was removed before it ended or in the future', 't.removed_at < t.finished_at or t.removed_at > n.now'],
  [
    'its start was acknowledged before it was admitted or in the future',
    't.started_at < t.created_at or t.started_at > n.now',
  ],
  [
    'it was seen at a time when no scan looked at it',
    `t.seen_at < t.created_at + interval '2 seconds' or t.seen_at > n.now
      or t.seen_at > t.finished_at + interval '1 millisecond'
      or (t.seen_at > t.started_at and t.seen_at < t.started_at + interval '5 minutes')`,
  ],
  [
    'it is queued, but was started or left the queue',
    `t.queued and (t.started_at is not null or t.dequeued_at is not null or t.state not in ('accepted', 'failed', 'cancelled'))`,
  ],
  [
    'it left the queue before it was admitted or in the future',
    't.dequeued_at < t.created_at or t.dequeued_at > n.now',
  ],
  ['it was started before it left the queue', 't.started_at < t.dequeued_at'],
  ['it is to be cancelled at the engine, but was not cancelled', `t.cancel_pending and t.state <> 'cancelled'`],
  ['a download claims it by halves', '(t.fetch_owner is null) <> (t.fetch_until is null)'],
  [
    'a download claims what can not be fetched',
    `t.fetch_owner is not null and (t.state <> 'succeeded' or t.kind <> 'avatar_talk' or t.removed_at is not null)`,
  ],
  [
    'a download claims it for a time that no claim has',
    `t.fetch_until > n.now + interval '30 seconds' or t.fetch_until < t.finished_at + interval '30 seconds'`,
  ],
];

const ofItsCalls: Rules = [
  [
    'it is accepted, but has a paid call',
    `t.state = 'accepted' and exists (select 1 from intents i where i.task_id = t.id)`,
  ],
  [
    'it is running, but has no paid call',
    `t.state = 'running' and not exists (select 1 from intents i where i.task_id = t.id)`,
  ],
  [
    'it succeeded, but no paid call of it was taken by a provider of its terms',
    `t.state = 'succeeded' and not exists (select 1 from intents i where i.task_id = t.id
       and i.outcome in ('accepted', 'finished') and i.provider = t.terms #>> array['routes', i.route::text, 'provider'])`,
  ],
];

const ofItsHold: Rules = [
  ['its hold is gone', 'h.transfer_id is null'],
  ['its hold is of another account', 'h.account_id <> t.account_id'],
  ['its hold is of another key', 'h.key_id <> t.key_id'],
  ['its hold is of something else', 'h.subject <> t.id'],
  ['its hold is of another amount', 'h.amount <> t.hold_amount'],
  ['its hold was made at another time', 'h.created_at <> t.created_at'],
  ['its hold has an owner, as only those of calls have', 'h.owner is not null'],
  [
    'its hold is not as its state says',
    `h.state <> case t.state when 'succeeded' then 'captured' when 'failed' then 'released' when 'cancelled' then 'released'
       else 'held' end`,
  ],
];

const ofItsEntries: Rules = [
  ['no entry holds its money', 'e.held is null'],
  ['its entry holds another amount', 'e.held <> t.hold_amount'],
  ['its entry was written at another time than it', 'e.held_at <> t.created_at'],
  ['it is not final, but entries end it', 't.finished_at is null and e.ended_at is not null'],
  ['it succeeded, but nothing was captured', `t.state = 'succeeded' and e.earned is null`],
  ['its cost is not what was captured', `t.state = 'succeeded' and e.earned <> t.cost`],
  ['it did not succeed, but was captured', `t.state in ('failed', 'cancelled') and e.earned is not null`],
  ['it did not succeed, but nothing was released', `t.state in ('failed', 'cancelled') and e.released_after is null`],
  [
    'its balance after it is not that of its last entry',
    't.finished_at is not null and coalesce(e.written_off_after, e.released_after, e.captured_after) is distinct from t.balance_after',
  ],
  [
    'entries ended it at another time than it says',
    't.finished_at is not null and (e.ended_first_at <> t.finished_at or e.ended_at <> t.finished_at)',
  ],
];

const problemsOf = (rules: Rules): string =>
  rules.map(([says, sql]) => `case when ${sql} then '${says}' end`).join(',\n');

// An entry of a type is there once a transfer, so that a maximum is just its value. A capture's entries stand in this
// order: capture, release, write-off. A task changes in one transaction with its hold and entries, so they agree at any
// moment; the clock is read after the page's snapshot was taken, so that nothing in it is of the future.
const rulesText = `with n as materialized (select clock_timestamp() as now)
  select id, problems from (
    select t.id, array_remove(array[${[ofItself, ofItsCalls, ofItsHold, ofItsEntries].map(problemsOf).join(',\n')}], null) as problems
    from tasks t cross join n left join holds h using (transfer_id) cross join lateral (
      select max(-d_available) filter (where type = 'hold') as held, max(created_at) filter (where type = 'hold') as held_at,
        max(d_revenue) filter (where type = 'capture') as earned,
        max(available_after) filter (where type = 'capture') as captured_after,
        max(available_after) filter (where type = 'release') as released_after,
        max(available_after) filter (where type = 'write_off') as written_off_after,
        min(created_at) filter (where type <> 'hold') as ended_first_at, max(created_at) filter (where type <> 'hold') as ended_at
      from entries where transfer_id = t.transfer_id and task_id is not null
    ) e where ${lookedAt('$3')} and ${inRange('tasks', 't.id')}
  ) as judged where cardinality(problems) > 0`;
const rulesRow = z.tuple([z.string(), z.array(z.string())]);

const entriesText = `select e.transfer_id || '.' || e.type,
    case when t.id is null then 'it is of task ' || e.task_id || ', which is not there'
      when e.type not in ('hold', 'capture', 'release', 'write_off') then 'it is of task ' || t.id || ', which has no such entries'
      else 'task ' || t.id || ' has another transfer, account, key, request or model' end
  from ${entriesInRange} e left join tasks t on t.id = e.task_id
  where e.task_id is not null and ($3::timestamptz is null or e.created_at >= $3)
    and (t.id is null or e.type not in ('hold', 'capture', 'release', 'write_off')
      or (e.transfer_id, e.account_id, e.key_id, e.request_id, e.model)
        is distinct from (t.transfer_id, t.account_id, t.key_id, t.request_id, t.model))`;
