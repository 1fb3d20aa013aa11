/**
 * Events that are owed to webhooks, and every attempt to deliver them. A row is written by the transaction that the event
 * reports, and is from then on what drives its delivery: each start or repetition reads the row first.
 */
import type pg from 'pg';
import * as z from 'zod';
import type { AccountId, TaskId } from '../domain/ids.ts';
import { type Database, sqlState } from '../postgres/database.ts';
import { computed, id, pick, row, type RowOf } from '../postgres/row.ts';

/** The columns of `events` that rows are declared of. */
export const eventColumns = {
  id: z.string(),
  accountId: id<AccountId>(),
  type: z.string(),
  url: z.string(),
  /** What is reported; of the end of a task null. */
  data: z.unknown(),
  /** The task whose end it reports. */
  taskId: id<TaskId>().nullable(),
  createdAt: z.date(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  delivered: z.boolean().nullable(),
};

const owed = pick(eventColumns, 'id', 'accountId', 'type');
const owedRow = row(owed);
/** What starting a delivery takes. */
export type OwedEvent = RowOf<typeof owedRow>;

/**
 * Takes up to `count` events whose delivery was not started. The process that takes one has it for five seconds, so that several
 * workers share the work; no lock is held meanwhile. The event of a task is left for a second to the task's own workflow,
 * which starts the delivery itself if it was the one that ended the task.
 */
export async function takeEventsToStart(database: Database, count: number): Promise<OwedEvent[]> {
  const { rows } = await database.pool.query(
    `update events set seen_at = clock_timestamp() where id in (
       select id from events where started_at is null
         and (task_id is null or created_at < clock_timestamp() - interval '1 second')
         and coalesce(seen_at, '-infinity') < clock_timestamp() - interval '5 seconds'
       order by created_at limit $1 for no key update skip locked)
     returning ${owedRow.columns}`,
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
     returning ${owedRow.columns}`,
    [count],
  );
  return rows.map((row) => owedRow.parse(row));
}

const elapsedMs = 'extract(epoch from clock_timestamp() - started_at)::float8 * 1000';

const deliverRow = row({
  ...owed,
  ...pick(eventColumns, 'url', 'data', 'taskId', 'createdAt'),
  /** By the database's clock, since the delivery was started. */
  elapsedMs: computed(elapsedMs, z.number()),
});
/** An event whose delivery is under way. */
export type EventToDeliver = RowOf<typeof deliverRow>;

/** The event, unless there is none or it has ended; its delivery counts as started from now on, if it did not before. */
export async function eventToDeliver(database: Database, id: string): Promise<EventToDeliver | undefined> {
  const { rows } = await database.pool.query(
    `update events set started_at = coalesce(started_at, clock_timestamp()) where id = $1 and ended_at is null
     returning ${deliverRow.columns}`,
    [id],
  );
  return rows[0] === undefined ? undefined : deliverRow.parse(rows[0]);
}

/** The event that notifies a webhook of this task's end, if there is one. */
export async function eventOfTask(database: Database, task: TaskId): Promise<string | undefined> {
  const { rows } = await database.pool.query('select id from events where task_id = $1', [task]);
  return rows[0] === undefined ? undefined : idRow.parse(rows[0]).id;
}

/** An attempt that was made. */
export interface Attempt {
  durationMs: number;
  status: number | null;
  fault: string | null;
  /** The beginning of what was answered. */
  answer?: string | undefined;
}

const notedRow = row({
  /** Its number among all attempts of the event. */
  attempt: z.number(),
  /** Since the delivery was started. */
  elapsedMs: computed(`(select coalesce(${elapsedMs}, 0) from events where id = $1)`, z.number()),
});
/** What was noted of an attempt. */
export type NotedAttempt = RowOf<typeof notedRow>;

/**
 * Notes an attempt, and in the same transaction that the event is delivered, if it is. An attempt of a worker that died in
 * it is not noted.
 */
export async function noteAttempt(
  database: Database,
  id: string,
  { durationMs, status, fault, answer }: Attempt,
  isDelivered: boolean,
): Promise<NotedAttempt> {
  for (let tries = 1; ; tries++) {
    try {
      const { rows } = await database.pool.query(
        `with noted as (
           insert into deliveries (event_id, attempt, at, duration_ms, status, fault, answer)
           select $1::text, coalesce(max(attempt), 0) + 1, clock_timestamp() - make_interval(secs => $2::integer / 1000.0),
             $2::integer, $3::integer, $4::text, $6::text
           from deliveries where event_id = $1 returning attempt),
         ended as (
           update events set started_at = coalesce(started_at, clock_timestamp()), ended_at = clock_timestamp(), delivered = true
           where id = $1 and ended_at is null and $5::boolean)
         select ${notedRow.columns} from noted`,
        [id, Math.round(durationMs), status, fault, isDelivered, answer ?? null],
      );
      return notedRow.parse(rows[0]);
    } catch (error) {
      // Another worker, which was taken for dead, has noted an attempt just now.
      if (sqlState(error) !== uniqueViolation || tries === noteTriesMax) throw error;
    }
  }
}

/** Notes that an event will not be delivered; changes nothing if it has ended or is gone. Returns whether it was delivered. */
export async function giveEventUp(database: Database, id: string): Promise<boolean> {
  await database.pool.query(
    `update events set started_at = coalesce(started_at, clock_timestamp()), ended_at = clock_timestamp(), delivered = false
     where id = $1 and ended_at is null`,
    [id],
  );
  const { rows } = await database.pool.query('select delivered from events where id = $1', [id]);
  return rows[0] === undefined ? false : (endRow.parse(rows[0]).delivered ?? false);
}

/** PostgreSQL's `uniqueViolation`. */
const uniqueViolation = '23505';
const noteTriesMax = 5;

const idRow = row(pick(eventColumns, 'id'));
const endRow = row(pick(eventColumns, 'delivered'));

/** An event with data of its own. */
export interface NewOwnEvent {
  id: string;
  account: AccountId;
  type: string;
  /** Null: the account's, if it has one. */
  url: string | null;
  data: Readonly<Record<string, unknown>>;
}

/** Owes an event to a webhook from the end of the client's transaction on; where there is no webhook, it is none. */
export async function oweEvent(client: Pick<pg.ClientBase, 'query'>, event: NewOwnEvent): Promise<void> {
  await client.query(
    `insert into events (id, account_id, type, url, data, created_at)
     select $1, id, $3, coalesce($4, webhook_url), $5, clock_timestamp() from accounts
     where id = $2 and coalesce($4, webhook_url) is not null`,
    [event.id, event.account, event.type, event.url, JSON.stringify(event.data)],
  );
}
