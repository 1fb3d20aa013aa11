/**
 * Intents: the row written before each paid call. Whoever inserted it may send, nobody else, and only for a short
 * while; what became of the call is written to it right after.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ErrorCode } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import { isFinal, type TaskState, taskStates } from '../domain/tasks.ts';
import type { Database } from './database.ts';

/** The attempt that got the intent may send only until its own monotonic clock has moved this far. */
export const sending_window_ms = 15_000;
/** After this, by the database's clock, nobody sends any more; longer than the window, so that clocks may differ. */
const sent_before_seconds = 20;

export interface Intent {
  provider: string;
  outcome: 'open' | 'accepted' | 'finished' | 'refused' | 'unknown';
  jobId: string | null;
  blobKeys: readonly string[] | null;
  error: { code: ErrorCode; message: string; param: string | null; fallOver: boolean } | null;
  createdAt: Date;
  /** Milliseconds until nobody can be sending any more; zero or less if that has passed. */
  sendingEndsInMs: number;
}

export type Opened =
  /** This attempt wrote the intent, and it alone may send. */
  { opened: 'now' } | { opened: 'before'; intent: Intent } | { opened: 'not'; because: 'task is final' };

/** Writes the intent of sending a task to one of its routes, unless the task is final or an attempt before did. */
export async function openIntent(database: Database, task: TaskId, route: number, provider: string): Promise<Opened> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    const locked = await client.query({
      name: 'lock-task-for-intent',
      text: 'select state from tasks where id = $1 for no key update',
      values: [task],
    });
    const { state } = stateRow.parse(locked.rows[0]);
    if (isFinal(state)) {
      await client.query('rollback');
      return { opened: 'not', because: 'task is final' };
    }
    const inserted = await client.query({
      name: 'open-intent',
      text: `with opened as (
          insert into intents (task_id, route, nonce, provider, sent_before)
          values ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5)) on conflict do nothing returning 1),
        moved as (update tasks set state = 'running' where id = $1 and state = 'accepted')
        select 1 from opened`,
      values: [task, route, randomUUID(), provider, sent_before_seconds],
    });
    await client.query('commit');
    if (inserted.rowCount === 1) return { opened: 'now' };
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // the first error is the one to tell
    throw error;
  } finally {
    client.release();
  }
  const intent = await findIntent(database, task, route);
  if (!intent) throw new Error(`the intent of ${task} is gone`);
  return { opened: 'before', intent };
}

export async function findIntent(database: Database, task: TaskId, route: number): Promise<Intent | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-intent',
    text: `select provider, outcome, job_id, blob_keys, error, created_at,
        (extract(epoch from sent_before - clock_timestamp()) * 1000)::bigint as sending_ends_in_ms
      from intents where task_id = $1 and route = $2`,
    values: [task, route],
  });
  return rows[0] === undefined ? undefined : intentRow.parse(rows[0]);
}

export type IntentClosing =
  | { outcome: 'accepted'; jobId: string }
  | { outcome: 'finished'; blobKeys: readonly string[] }
  | { outcome: 'refused'; error: NonNullable<Intent['error']> }
  | { outcome: 'unknown' };

/**
 * Writes what became of the call. The first to say so is believed, but for `unknown`, which gives way to any knowledge.
 * Answers whether this was believed, and whether the task is final meanwhile.
 */
export async function closeIntent(
  database: Database,
  task: TaskId,
  route: number,
  closing: IntentClosing,
): Promise<{ believed: boolean; taskIsFinal: boolean }> {
  const { rows } = await database.pool.query({
    name: 'close-intent',
    text: `with closed as (
        update intents set outcome = $3, job_id = $4, blob_keys = $5, error = $6, closed_at = clock_timestamp()
        where task_id = $1 and route = $2 and outcome in ('open', 'unknown') returning 1)
      select state, exists (select 1 from closed) as believed from tasks where id = $1`,
    values: [
      task,
      route,
      closing.outcome,
      closing.outcome === 'accepted' ? closing.jobId : null,
      closing.outcome === 'finished' ? closing.blobKeys : null,
      closing.outcome === 'refused' ? JSON.stringify(closing.error) : null,
    ],
  });
  const { state, believed } = closedRow.parse(rows[0]);
  return { believed, taskIsFinal: isFinal(state) };
}

const stateRow = z.object({ state: z.enum(taskStates as [TaskState, ...TaskState[]]) });
const closedRow = stateRow.extend({ believed: z.boolean() });

const intentRow = z
  .object({
    provider: z.string(),
    outcome: z.enum(['open', 'accepted', 'finished', 'refused', 'unknown']),
    job_id: z.string().nullable(),
    blob_keys: z.array(z.string()).nullable(),
    error: z
      .object({
        code: z.string().transform((code) => code as ErrorCode),
        message: z.string(),
        param: z.string().nullable(),
        fallOver: z.boolean(),
      })
      .nullable(),
    created_at: z.date(),
    sending_ends_in_ms: z.bigint(),
  })
  .transform((row): Intent => ({
    provider: row.provider,
    outcome: row.outcome,
    jobId: row.job_id,
    blobKeys: row.blob_keys,
    error: row.error,
    createdAt: row.created_at,
    sendingEndsInMs: Number(row.sending_ends_in_ms),
  }));
