/**
 * What the scans for tasks read, page by page and the oldest first. A page counts the rows that were read, not those that
 * could be used, so that rows which can't be read or done keep none of the others from its turn.
 */
import * as z from 'zod';
import type { TaskId } from '../../domain/ids.ts';
import { queuedMsMax } from '../../domain/limits.ts';
import type { Database } from '../../postgres/database.ts';
import { type OnUnreadable, readableRows } from '../../postgres/readable-rows.ts';
import { inLockOrder, type StartFacts, startable, startRow } from './task-rows.ts';

/** The last row of a full page. The time is the database's own text, since a Date has no microseconds. */
export interface Position {
  at: string;
  id: string;
}

export interface Page<Row> {
  rows: Row[];
  /** Where the next page begins; undefined after the last one. */
  next: Position | undefined;
}

export interface PageOptions {
  after?: Position | undefined;
  onUnreadable?: OnUnreadable | undefined;
}

/**
 * Takes up to `count` accepted tasks that may start, without an acknowledged start for two seconds. The process that takes one has it for
 * five seconds, so that several workers share the work; no lock is held meanwhile, since a cancellation would wait for it.
 */
export async function takeTasksToStart(
  database: Database,
  count: number,
  { after, onUnreadable }: PageOptions = {},
): Promise<Page<StartFacts>> {
  const { rows } = await database.keyed.query({
    name: 'take-tasks-to-start',
    text: `with taken as (
       update tasks set seen_at = clock_timestamp() where id in (
         select id from tasks where started_at is null and finished_at is null and not queued
           and ${startable} < clock_timestamp() - interval '2 seconds'
           and coalesce(seen_at, '-infinity') < clock_timestamp() - interval '5 seconds'
           and (created_at, id) > ($2::timestamptz, $3)
         order by created_at, id limit $1 for no key update skip locked)
       returning ${startRow.columns}, created_at)
     select *, created_at::text as at from taken order by created_at, id`,
    values: [count, ...boundsOf(after)],
  });
  return { rows: readableRows(startRow, rows, onUnreadable), next: nextOf(rows, count) };
}

/** Gives back tasks that were taken and not tried, so that they come before younger ones the next time. */
export async function giveTasksBack(database: Database, ids: readonly TaskId[]): Promise<void> {
  await database.keyed.query({
    name: 'give-tasks-back',
    text: `update tasks t set seen_at = null from unnest($1::text[]) as given(id)
      where t.id = given.id and t.started_at is null and t.finished_at is null`,
    values: [inLockOrder(ids)],
  });
}

/** Up to `count` tasks under way that showed no sign of life for five minutes; their clocks are set anew by this. */
export async function takeSilentTasks(
  database: Database,
  count: number,
  { after, onUnreadable }: PageOptions = {},
): Promise<Page<StartFacts>> {
  const { rows } = await database.keyed.query({
    name: 'take-silent-tasks',
    text: `with taken as (
       update tasks set seen_at = clock_timestamp() where id in (
         select id from tasks where finished_at is null and started_at < clock_timestamp() - interval '5 minutes'
           and coalesce(seen_at, started_at) < clock_timestamp() - interval '5 minutes'
           and (started_at, id) > ($2::timestamptz, $3)
         order by started_at, id limit $1 for no key update skip locked)
       returning ${startRow.columns}, started_at)
     select *, started_at::text as at from taken order by started_at, id`,
    values: [count, ...boundsOf(after)],
  });
  return { rows: readableRows(startRow, rows, onUnreadable), next: nextOf(rows, count) };
}

/**
 * Up to `count` tasks that no step will end any more: older than a task may wait to be submitted and its longest deadline
 * together. The provider they are on may be gone from the settings.
 */
export async function overdueTasks(
  database: Database,
  count: number,
  { after }: Pick<PageOptions, 'after'> = {},
): Promise<Page<{ id: TaskId }>> {
  const { rows } = await database.keyed.query({
    name: 'overdue-tasks',
    text: `select id, created_at::text as at from tasks
      where finished_at is null and not queued
        and ${startable} < clock_timestamp() - interval '25 hours' - make_interval(secs => ${longestDeadline})
        and (created_at, id) > ($2::timestamptz, $3)
      order by created_at, id limit $1`,
    values: [count, ...boundsOf(after)],
  });
  return { rows: rows.map((row) => idRow.parse(row)), next: nextOf(rows, count) };
}

/** Up to `count` tasks that have waited for their key's running ones for as long as a task may. */
export async function tasksQueuedTooLong(
  database: Database,
  count: number,
  { after }: Pick<PageOptions, 'after'> = {},
): Promise<Page<{ id: TaskId }>> {
  const { rows } = await database.keyed.query({
    name: 'tasks-queued-too-long',
    text: `select id, created_at::text as at from tasks
      where queued and finished_at is null and created_at < clock_timestamp() - make_interval(secs => $4)
        and (created_at, id) > ($2::timestamptz, $3)
      order by created_at, id limit $1`,
    values: [count, ...boundsOf(after), queuedMsMax / 1000],
  });
  return { rows: rows.map((row) => idRow.parse(row)), next: nextOf(rows, count) };
}

/** In seconds. Terms that can't be read may hold anything there, and an error would keep all other tasks from their end. */
const longestDeadline = `(select coalesce(max(case jsonb_typeof(route -> 'deadlineMs')
    when 'number' then least((route ->> 'deadlineMs')::numeric, 1e12)::float8 / 1000 end), 0)
  from jsonb_array_elements(case jsonb_typeof(terms -> 'routes') when 'array' then terms -> 'routes' else '[]' end) route)`;

/** A cancelled task whose workflow is to hear of it; what starting one takes, where the row says it. */
export interface PendingCancellation {
  id: TaskId;
  facts: StartFacts | undefined;
}

/** Up to `count` cancelled tasks whose workflow was not yet notified, or not with certainty. */
export async function cancellationsPending(
  database: Database,
  count: number,
  { after, onUnreadable }: PageOptions = {},
): Promise<Page<PendingCancellation>> {
  const { rows } = await database.keyed.query({
    name: 'cancellations-pending',
    text: `select ${startRow.columns}, finished_at::text as at from tasks
      where cancel_pending and (finished_at, id) > ($2::timestamptz, $3) order by finished_at, id limit $1`,
    values: [count, ...boundsOf(after)],
  });
  const readable = new Map(readableRows(startRow, rows, onUnreadable).map((facts) => [facts.id, facts]));
  const pending = rows.map((row) => idRow.parse(row)).map(({ id }) => ({ id, facts: readable.get(id) }));
  return { rows: pending, next: nextOf(rows, count) };
}

/** Notes that a cancelled task's workflow has heard of it. */
export async function cancellationHeard(database: Database, id: TaskId): Promise<void> {
  await database.keyed.query({
    name: 'cancellation-heard',
    text: 'update tasks set cancel_pending = false where id = $1 and cancel_pending',
    values: [id],
  });
}

const boundsOf = (after: Position | undefined): [at: string, id: string] => [after?.at ?? '-infinity', after?.id ?? ''];

const nextOf = (rows: readonly unknown[], count: number): Position | undefined =>
  rows.length < count ? undefined : positionRow.parse(rows.at(-1));

const positionRow = z.object({ at: z.string(), id: z.string() });
const idRow = z.object({ id: z.string().transform((text) => text as TaskId) });
