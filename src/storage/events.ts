/**
 * Events that are owed to webhooks, and every attempt to deliver them. A row is written by the transaction that the event
 * tells of, and is from then on what drives its delivery: whoever starts or repeats it reads the row first.
 */
import * as z from 'zod';
import type { AccountId, TaskId } from '../domain/ids.ts';
import { administer, type Administrator } from './acts.ts';
import { type Database, sqlState } from './database.ts';

/** What starting a delivery takes. */
export interface OwedEvent {
  id: string;
  accountId: AccountId;
  type: string;
}

/**
 * Takes up to `count` events whose delivery was not started. Whoever takes one has it for five seconds, so that several
 * workers share the work; no lock is held meanwhile.
 */
export async function takeEventsToStart(database: Database, count: number): Promise<OwedEvent[]> {
  const { rows } = await database.pool.query(
    `update events set seen_at = clock_timestamp() where id in (
       select id from events where started_at is null
         and coalesce(seen_at, '-infinity') < clock_timestamp() - interval '5 seconds'
       order by created_at limit $1 for no key update skip locked)
     returning ${owedColumns}`,
    [count],
  );
  return rows.map((row) => owedRow.parse(row));
}

/** Notes that Temporal acknowledged the starts. */
export async function markEventsStarted(database: Database, ids: readonly string[]): Promise<void> {
  await database.pool.query(
    'update events set started_at = clock_timestamp() where id = any($1::text[]) and started_at is null',
    [ids],
  );
}

/** Up to `count` events that are neither delivered nor given up and were not looked after for five minutes; now they are. */
export async function takeSilentEvents(database: Database, count: number): Promise<OwedEvent[]> {
  const { rows } = await database.pool.query(
    `update events set seen_at = clock_timestamp() where id in (
       select id from events where ended_at is null and started_at < clock_timestamp() - interval '5 minutes'
         and coalesce(seen_at, started_at) < clock_timestamp() - interval '5 minutes'
       order by started_at limit $1 for no key update skip locked)
     returning ${owedColumns}`,
    [count],
  );
  return rows.map((row) => owedRow.parse(row));
}

/** An event whose delivery is under way. */
export interface EventToDeliver extends OwedEvent {
  url: string;
  /** What is told; of the end of a task null. */
  data: unknown;
  /** The task whose end it tells of. */
  taskId: TaskId | null;
  createdAt: Date;
  /** By the database's clock, since the delivery was started. */
  elapsedMs: number;
}

/** The event, unless there is none or it has ended; its delivery counts as started from now on, if it did not before. */
export async function eventToDeliver(database: Database, id: string): Promise<EventToDeliver | undefined> {
  const { rows } = await database.pool.query(
    `update events set started_at = coalesce(started_at, clock_timestamp()) where id = $1 and ended_at is null
     returning ${owedColumns}, url, data, task_id, created_at, ${elapsedMs} as elapsed_ms`,
    [id],
  );
  return rows[0] === undefined ? undefined : deliverRow.parse(rows[0]);
}

/** The event that tells a webhook of this task's end, if there is one. */
export async function eventOfTask(database: Database, task: TaskId): Promise<string | undefined> {
  const { rows } = await database.pool.query('select id from events where task_id = $1', [task]);
  return rows[0] === undefined ? undefined : idRow.parse(rows[0]).id;
}

/** An attempt that was made. */
export interface Attempt {
  durationMs: number;
  status: number | null;
  fault: string | null;
}

/** What was noted of an attempt. */
export interface NotedAttempt {
  /** Its number among all attempts of the event. */
  attempt: number;
  /** Since the delivery was started. */
  elapsedMs: number;
}

/**
 * Notes an attempt, and in the same transaction that the event is delivered, if it is. An attempt of a worker that died in
 * it is not noted.
 */
export async function noteAttempt(
  database: Database,
  id: string,
  { durationMs, status, fault }: Attempt,
  isDelivered: boolean,
): Promise<NotedAttempt> {
  for (let tries = 1; ; tries++) {
    try {
      const { rows } = await database.pool.query(
        `with noted as (
           insert into deliveries (event_id, attempt, at, duration_ms, status, fault)
           select $1::text, coalesce(max(attempt), 0) + 1, clock_timestamp() - make_interval(secs => $2::integer / 1000.0),
             $2::integer, $3::integer, $4::text
           from deliveries where event_id = $1 returning attempt),
         ended as (
           update events set started_at = coalesce(started_at, clock_timestamp()), ended_at = clock_timestamp(), delivered = true
           where id = $1 and ended_at is null and $5::boolean)
         select attempt, (select coalesce(${elapsedMs}, 0) from events where id = $1) as elapsed_ms from noted`,
        [id, Math.round(durationMs), status, fault, isDelivered],
      );
      return notedRow.parse(rows[0]);
    } catch (error) {
      // Another worker, which was taken for dead, has noted an attempt just now.
      if (sqlState(error) !== unique_violation || tries === note_tries_max) throw error;
    }
  }
}

/** Notes that an event will not be delivered; changes nothing if it has ended already. Answers whether it was delivered. */
export async function giveEventUp(database: Database, id: string): Promise<boolean> {
  await database.pool.query(
    `update events set started_at = coalesce(started_at, clock_timestamp()), ended_at = clock_timestamp(), delivered = false
     where id = $1 and ended_at is null`,
    [id],
  );
  const { rows } = await database.pool.query('select delivered from events where id = $1', [id]);
  return endRow.parse(rows[0]).delivered ?? false;
}

/** An event and its last attempt, as an operator sees them. */
export interface EventFacts extends OwedEvent {
  /** Host and port; the rest of the address is the account's secret. */
  host: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  delivered: boolean | null;
  attempts: number;
  last: (Attempt & { at: Date }) | null;
}

export interface EventFilter {
  id?: string;
  account?: AccountId;
  /** Only those that were given up. */
  failed?: boolean;
  limit: number;
}

/** Events, newest first. */
export async function listEvents(
  database: Database,
  { id, account, failed, limit }: EventFilter,
): Promise<EventFacts[]> {
  const { rows } = await database.pool.query(
    `select e.id, e.account_id, e.type, e.url, e.created_at, e.started_at, e.ended_at, e.delivered,
       d.attempt, d.at, d.duration_ms, d.status, d.fault
     from events e left join lateral (
       select * from deliveries where event_id = e.id order by attempt desc limit 1) d on true
     where ($1::text is null or e.id = $1) and ($2::text is null or e.account_id = $2)
       and (not $3 or e.delivered = false)
     order by e.created_at desc, e.id desc limit $4`,
    [id ?? null, account ?? null, failed ?? false, limit],
  );
  return rows.map((row) => factsRow.parse(row));
}

/** Has an event that ended delivered again, as if it had just come. Answers whether it had ended. */
export async function replayEvent(by: Administrator, id: string): Promise<boolean> {
  const replayed = await administer(by, async (client) => {
    const { rows } = await client.query(
      `update events set started_at = null, seen_at = null, ended_at = null, delivered = null
       where id = $1 and ended_at is not null returning ${owedColumns}`,
      [id],
    );
    if (rows[0] === undefined) return undefined;
    const { accountId } = owedRow.parse(rows[0]);
    const details = { event_id: id };
    return { act: { action: 'event.replayed', account: accountId, subject: null, details }, outcome: true };
  });
  return replayed ?? false;
}

/** PostgreSQL's `unique_violation`. */
const unique_violation = '23505';
const note_tries_max = 5;

const elapsedMs = 'extract(epoch from clock_timestamp() - started_at)::float8 * 1000';
const owedColumns = 'id, account_id, type';
const owedFields = { id: z.string(), account_id: z.string().transform((id) => id as AccountId), type: z.string() };
const owedRow = z
  .object(owedFields)
  .transform(({ account_id, ...row }): OwedEvent => ({ ...row, accountId: account_id }));
const idRow = z.object({ id: z.string() });
const taskId = z
  .string()
  .transform((id) => id as TaskId)
  .nullable();
const deliverRow = z
  .object({
    ...owedFields,
    url: z.string(),
    data: z.unknown(),
    task_id: taskId,
    created_at: z.date(),
    elapsed_ms: z.number(),
  })
  .transform((row): EventToDeliver => ({
    id: row.id,
    accountId: row.account_id,
    type: row.type,
    url: row.url,
    data: row.data,
    taskId: row.task_id,
    createdAt: row.created_at,
    elapsedMs: row.elapsed_ms,
  }));
const notedRow = z
  .object({ attempt: z.number(), elapsed_ms: z.number() })
  .transform(({ attempt, elapsed_ms }): NotedAttempt => ({ attempt, elapsedMs: elapsed_ms }));
const endRow = z.object({ delivered: z.boolean().nullable() });
const factsRow = z
  .object({
    ...owedFields,
    url: z.string(),
    created_at: z.date(),
    started_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    delivered: z.boolean().nullable(),
    attempt: z.number().nullable(),
    at: z.date().nullable(),
    duration_ms: z.number().nullable(),
    status: z.number().nullable(),
    fault: z.string().nullable(),
  })
  .transform((row): EventFacts => ({
    id: row.id,
    accountId: row.account_id,
    type: row.type,
    host: URL.canParse(row.url) ? new URL(row.url).host : '-',
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    delivered: row.delivered,
    attempts: row.attempt ?? 0,
    last:
      row.at === null ? null : { at: row.at, durationMs: row.duration_ms ?? 0, status: row.status, fault: row.fault },
  }));
