/** Events as an operator sees them: what became of each, and sending one again. */
import * as z from 'zod';
import type { AccountId, TaskId } from '../domain/ids.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import type { Attempt, OwedEvent } from './events.ts';

/** An event and its last attempt. */
export interface EventFacts extends OwedEvent {
  /** The task whose end it tells of. */
  taskId: TaskId | null;
  /** Host and port; the rest of the address is the account's secret. */
  host: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  delivered: boolean | null;
  attempts: number;
  last: (Attempt & { at: Date }) | null;
}

export interface NumberedAttempt extends Attempt {
  attempt: number;
  at: Date;
}

export interface EventFilter {
  account?: AccountId;
  /** Only those that were given up. */
  failed?: boolean;
  limit: number;
}

/** Events, newest first. */
export async function listEvents(database: Database, { account, failed, limit }: EventFilter): Promise<EventFacts[]> {
  // Ids are ordered by time, and their index is the only one of all events.
  const newest = account === undefined ? 'e.id desc' : 'e.created_at desc, e.id desc';
  const { rows } = await database.pool.query(
    `select ${eventFacts} where ($1::text is null or e.account_id = $1) and (not $2 or e.delivered = false)
     order by ${newest} limit $3`,
    [account ?? null, failed ?? false, limit],
  );
  return rows.map((row) => factsRow.parse(row));
}

/** The event of this id, or that of the task of this id. */
export async function findEvent(database: Database, id: string): Promise<EventFacts | undefined> {
  const { rows } = await database.pool.query(`select ${eventFacts} where e.id = $1 or e.task_id = $1`, [id]);
  return rows[0] === undefined ? undefined : factsRow.parse(rows[0]);
}

/** All attempts to deliver an event, the first one first. */
export async function attemptsOf(database: Database, event: string): Promise<NumberedAttempt[]> {
  const { rows } = await database.pool.query(
    'select attempt, at, duration_ms, status, fault from deliveries where event_id = $1 order by attempt',
    [event],
  );
  return rows.map((row) => attemptRow.parse(row));
}

/**
 * Has an event that ended delivered again, as if it had just come: to the address that it was owed to, under its id. A task's
 * is told as GET shows the task then, without links if its results are deleted. Answers whether the event had ended.
 */
export async function replayEvent(by: Administrator, id: string): Promise<boolean> {
  const replayed = await administer(by, async (client) => {
    const { rows } = await client.query(
      `update events set started_at = null, seen_at = null, ended_at = null, delivered = null
       where id = $1 and ended_at is not null returning account_id`,
      [id],
    );
    if (rows[0] === undefined) return undefined;
    const { account_id: account } = accountRow.parse(rows[0]);
    const details = { event_id: id };
    return { act: { action: 'event.replayed', account, subject: null, details }, outcome: true };
  });
  return replayed ?? false;
}

const eventFacts = `e.id, e.account_id, e.type, e.task_id, e.url, e.created_at, e.started_at, e.ended_at, e.delivered,
  d.attempt, d.at, d.duration_ms, d.status, d.fault
  from events e left join lateral (
    select * from deliveries where event_id = e.id order by attempt desc limit 1) d on true`;

const account_id = z.string().transform((id) => id as AccountId);
const accountRow = z.object({ account_id });
const attemptRow = z
  .object({
    attempt: z.number(),
    at: z.date(),
    duration_ms: z.number(),
    status: z.number().nullable(),
    fault: z.string().nullable(),
  })
  .transform(({ duration_ms, ...row }): NumberedAttempt => ({ ...row, durationMs: duration_ms }));
const factsRow = z
  .object({
    id: z.string(),
    account_id,
    type: z.string(),
    task_id: z
      .string()
      .transform((id) => id as TaskId)
      .nullable(),
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
    taskId: row.task_id,
    host: URL.canParse(row.url) ? new URL(row.url).host : '-',
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    delivered: row.delivered,
    attempts: row.attempt ?? 0,
    last:
      row.at === null ? null : { at: row.at, durationMs: row.duration_ms ?? 0, status: row.status, fault: row.fault },
  }));
