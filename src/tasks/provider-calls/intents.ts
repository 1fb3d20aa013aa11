/**
 * Intents: the row written before each paid call. Only the attempt that inserted it may send, and only for a short
 * while; what became of the call is written to it right after.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { deletedMessage, type ErrorCode } from '../../domain/errors.ts';
import type { TaskId } from '../../domain/ids.ts';
import { finalTaskStates, isFinal, type TaskState, taskStates } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import { inOneWrite } from '../../postgres/joined-writes.ts';
import { acquireProviderSlot } from './provider-jobs.ts';
import { type Task, taskRow } from '../rows/task-rows.ts';

/** The attempt that got the intent may send only until its own monotonic clock has moved this far. */
export const sendingWindowMs = 15_000;
/** After this, by the database's clock, nothing is sent any more; longer than the window, so that clocks may differ. */
const sentBeforeSeconds = 20;
/**
 * Of a row `i`: a withdrawn one allows no sending, and an attempt that opens the intent anew finds none. It
 * stays, so that a running task always has one and the audit sees that it runs.
 */
export const isLive = `i.sent_before > '-infinity'`;

const elsewhere = `select 1 from intents i
  where i.task_id = $1 and i.route <> $2 and i.outcome <> 'refused' and ${isLive}`;

export interface Intent {
  provider: string;
  outcome: 'open' | 'accepted' | 'finished' | 'refused' | 'unknown';
  jobId: string | null;
  blobKeys: readonly string[] | null;
  /** Of a refusal; of an unknown outcome, if nothing can show any more what became of the call. */
  error: IntentError | null;
  /** Since it was opened, by the database's clock: those of processes may differ by hours. */
  ageMs: number;
  /** Since the task was first sent to this route. Longer than `ageMs` if a busy provider was asked again. */
  sinceFirstMs: number;
  /** Of one that a busy provider refused: how long until it may be sent again, zero or less if it may. */
  againInMs: number | null;
  /** Milliseconds until nothing can be sending any more; zero or less if that has passed. */
  sendingEndsInMs: number;
}

export interface IntentError {
  code: ErrorCode;
  message: string;
  param: string | null;
  fallOver: boolean;
  /** As the provider said it, whole seconds. */
  retryAfterSeconds?: number | undefined;
}

export type Opened =
  /** This attempt wrote the intent, and it alone may send. */
  | ({ opened: 'now' } & OpenedNow)
  | { opened: 'before'; intent: Intent }
  | { opened: 'not'; because: 'task is final' | 'provider is full' | 'sent elsewhere' };

export interface OpenedNow {
  nonce: string;
  /** How often the provider was too busy before. */
  busyCount: number;
  /** As `Intent.sinceFirstMs`. */
  sinceFirstMs: number;
}

/**
 * Writes the intent of sending a task to one of its routes, unless the task is final, an attempt before did, or another
 * route has the task and did not refuse it: a workflow that was reset begins anew with the first one. With
 * `maxConcurrent` it takes one of the provider's places too, and writes nothing when all are taken. One that a busy provider
 * refused is opened anew once its time has come: its one sender has said that nothing was made, so no other attempt is sending.
 */
export async function openIntent(
  database: Database,
  task: TaskId,
  route: number,
  provider: string,
  maxConcurrent?: number,
): Promise<Opened> {
  const nonce = randomUUID();
  let opened: Opened | undefined;
  try {
    opened = await insertedIntent(database, { task, route, provider, nonce, maxConcurrent });
  } catch (error) {
    // It may have been committed all the same: nothing was sent, so the next attempt need not take it for unknown.
    await withdrawIntent(database, task, route, nonce).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  if (opened) return opened;
  const intent = await findIntent(database, task, route);
  if (intent) return { opened: 'before', intent };
  if (await isSentElsewhere(database, task, route)) return { opened: 'not', because: 'sent elsewhere' };
  throw new Error(`the intent of ${task} is gone`);
}

interface NewIntent {
  task: TaskId;
  route: number;
  provider: string;
  nonce: string;
  maxConcurrent: number | undefined;
}

/** The transaction; returns nothing where there is an intent already, of this route or of another. */
async function insertedIntent(
  database: Database,
  { task, route, provider, nonce, maxConcurrent }: NewIntent,
): Promise<Opened | undefined> {
  // Where a slot is to be acquired, it may wait for the provider's row: not on the few connections that the ledger needs.
  const client = await (maxConcurrent === undefined ? database.pipelined : database.keyed).connect();
  let broken: Error | undefined;
  try {
    const { begun, lock, insert, committed } = inOneWrite(client, () => ({
      begun: client.query('begin'),
      lock: client.query({ ...lockTask, values: [task] }),
      // Of its own, after the lock: what is read beside a lock that had to wait is stale.
      insert: client.query({
        ...insertIntent,
        values: [task, route, nonce, provider, sentBeforeSeconds, finalTaskStates],
      }),
      // With them, where nothing is to be decided in between: one round trip.
      committed: maxConcurrent === undefined ? client.query('commit') : undefined,
    }));
    const answers = await Promise.allSettled([begun, lock, insert, committed]);
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
    const [locked, inserted] = [await lock, await insert];
    const { state } = stateRow.parse(locked.rows[0]);
    const isNew = inserted.rowCount === 1;
    if (maxConcurrent !== undefined) {
      const isFull = isNew && !(await acquireProviderSlot(client, provider, task, maxConcurrent));
      await client.query(isFull ? 'rollback' : 'commit');
      if (isFull) return { opened: 'not', because: 'provider is full' };
    }
    if (isNew) return { opened: 'now', nonce, ...openedRow.parse(inserted.rows[0]) };
    return isFinal(state) ? { opened: 'not', because: 'task is final' } : undefined;
  } catch (error) {
    broken = new Error('a transaction broke off', { cause: error }); // closing the connection ends it
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Of a row `i`, in milliseconds. */
const sinceFirst = `(extract(epoch from clock_timestamp() - coalesce(i.first_created_at, i.created_at)) * 1000)::bigint as since_first_ms`;

const lockTask = { name: 'lock-task-for-intent', text: 'select state from tasks where id = $1 for no key update' };
const insertIntent = {
  name: 'open-intent',
  text: `with opened as (
      insert into intents as i (task_id, route, nonce, provider, sent_before)
      select $1::text, $2::integer, $3::uuid, $4::text, clock_timestamp() + make_interval(secs => $5)
      where not exists (${elsewhere}) and exists (select 1 from tasks where id = $1 and state <> all($6::text[]))
      on conflict (task_id, route) do update set nonce = excluded.nonce, provider = excluded.provider,
        first_created_at = case when ${isLive} then coalesce(i.first_created_at, i.created_at) else i.first_created_at end,
        created_at = excluded.created_at, sent_before = excluded.sent_before,
        outcome = 'open', closed_at = null, error = null, busy_until = null, upstream_request_id = null
      where not (${isLive}) or i.outcome = 'refused' and i.busy_until <= clock_timestamp()
      returning i.busy_count, ${sinceFirst}),
    moved as (update tasks set state = 'running' where id = $1 and state = 'accepted')
    select * from opened`,
};

/** Whether another route of the task was sent it and has not refused it. */
export async function isSentElsewhere(database: Database, task: TaskId, route: number): Promise<boolean> {
  const { rowCount } = await database.keyed.query({ name: 'sent-elsewhere', text: elsewhere, values: [task, route] });
  return rowCount !== null && rowCount > 0;
}

/**
 * Takes an intent back with nothing sent, by the attempt that opened it. Returns whether it was still there and open; only
 * then the task may be sent by another.
 */
export async function withdrawIntent(database: Database, task: TaskId, route: number, nonce: string): Promise<boolean> {
  const { rowCount } = await database.keyed.query({
    name: 'withdraw-intent',
    text: `with withdrawn as (
        update intents i set nonce = gen_random_uuid(), sent_before = '-infinity'
        where task_id = $1 and route = $2 and nonce = $3 and outcome = 'open' returning provider),
      freed as (delete from provider_jobs j using withdrawn w where j.provider = w.provider and j.task_id = $1)
      select 1 from withdrawn`,
    values: [task, route, nonce],
  });
  return rowCount === 1;
}

/** Takes an open intent over, to send the same once more; returns the new nonce, or undefined if it is closed by now. */
export async function takeOverIntent(database: Database, task: TaskId, route: number): Promise<string | undefined> {
  const nonce = randomUUID();
  const { rowCount } = await database.keyed.query({
    name: 'take-over-intent',
    text: `update intents i set nonce = $3 where task_id = $1 and route = $2 and outcome = 'open' and ${isLive}`,
    values: [task, route, nonce],
  });
  return rowCount === 1 ? nonce : undefined;
}

// No column of a task has one of these names.
const intentColumns = `i.provider, i.outcome, i.job_id, i.blob_keys, i.error, ${sinceFirst},
  (extract(epoch from i.busy_until - clock_timestamp()) * 1000)::bigint as again_in_ms,
  (extract(epoch from clock_timestamp() - i.created_at) * 1000)::bigint as intent_age_ms,
  (extract(epoch from i.sent_before - clock_timestamp()) * 1000)::bigint as sending_ends_in_ms`;

export async function findIntent(database: Database, task: TaskId, route: number): Promise<Intent | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-intent',
    text: `select ${intentColumns} from intents i where i.task_id = $1 and i.route = $2 and ${isLive}`,
    values: [task, route],
  });
  return rows[0] === undefined ? undefined : intentRow.parse(rows[0]);
}

/** A task together with the intent of one of its routes; undefined where there is no such task. */
export async function findTaskWithIntent(
  database: Database,
  id: TaskId,
  route: number,
): Promise<{ task: Task; intent: Intent | undefined } | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-task-with-intent',
    text: `select ${taskRow.columns}, intent.* from tasks left join lateral (
        select ${intentColumns} from intents i where i.task_id = tasks.id and i.route = $2 and ${isLive}) intent on true
      where id = $1`,
    values: [id, route],
  });
  if (rows[0] === undefined) return undefined;
  const { outcome } = noIntentRow.parse(rows[0]);
  return { task: taskRow.parse(rows[0]), intent: outcome === null ? undefined : intentRow.parse(rows[0]) };
}

export type IntentClosing = (
  | { outcome: 'accepted'; jobId: string }
  | { outcome: 'finished'; blobKeys: readonly string[] }
  /** With a nonce: believed of the attempt that sent last only, since one before it may have been accepted. */
  /** `againInMs`: the provider was only too busy, and after this time it may be sent again. */
  | { outcome: 'refused'; error: IntentError; nonce?: string; againInMs?: number | undefined }
  /** With an error: nothing can show any more what became of it. */
  | { outcome: 'unknown'; reason: string; error?: IntentError | undefined }
) & {
  /** The provider's own id of the call. */
  requestId?: string;
};

/**
 * Writes what became of the call. The first to say so is believed, but for `unknown`, which gives way to any knowledge.
 * A refusal gives the provider's slot back, any other outcome keeps it until the task is final. Returns whether this was believed, and whether the task is final meanwhile.
 */
export async function closeIntent(
  database: Database,
  task: TaskId,
  route: number,
  closing: IntentClosing,
): Promise<{ believed: boolean; taskIsFinal: boolean }> {
  const { rows } = await database.keyed.query({
    name: 'close-intent',
    text: `with closed as (
        update intents i set outcome = $3, job_id = $4, blob_keys = $5, error = $6, closed_at = clock_timestamp(),
          upstream_request_id = coalesce($7, upstream_request_id), reason = coalesce($8, reason),
          busy_until = clock_timestamp() + make_interval(secs => $10),
          busy_count = busy_count + ($10::float8 is not null)::integer
        where task_id = $1 and route = $2 and outcome in ('open', 'unknown') and ${isLive}
          and ($9::uuid is null or nonce = $9) returning provider),
      freed as (delete from provider_jobs j using closed c
        where $3 = 'refused' and j.provider = c.provider and j.task_id = $1)
      select state, exists (select 1 from closed) as believed from tasks where id = $1`,
    values: [
      task,
      route,
      closing.outcome,
      closing.outcome === 'accepted' ? closing.jobId : null,
      closing.outcome === 'finished' ? closing.blobKeys : null,
      'error' in closing && closing.error ? JSON.stringify(closing.error) : null,
      closing.requestId ?? null,
      closing.outcome === 'unknown' ? closing.reason : null,
      closing.outcome === 'refused' ? (closing.nonce ?? null) : null,
      closing.outcome === 'refused' && closing.againInMs !== undefined ? closing.againInMs / 1000 : null,
    ],
  });
  const { state, believed } = closedRow.parse(rows[0]);
  return { believed, taskIsFinal: isFinal(state) };
}

const openedRow = z
  .object({ busy_count: z.int(), since_first_ms: z.bigint() })
  .transform((row) => ({ busyCount: row.busy_count, sinceFirstMs: Number(row.since_first_ms) }));
const stateRow = z.object({ state: z.enum(taskStates as [TaskState, ...TaskState[]]) });
const closedRow = stateRow.extend({ believed: z.boolean() });

const noIntentRow = z.object({ outcome: z.string().nullable() });
const intentRow = z
  .object({
    provider: z.string(),
    outcome: z.enum(['open', 'accepted', 'finished', 'refused', 'unknown']),
    job_id: z.string().nullable(),
    blob_keys: z.array(z.string()).nullable(),
    error: z
      .object({
        code: z.string().transform((code) => code as ErrorCode),
        // Deleted with the request.
        message: z.string().default(deletedMessage),
        param: z.string().nullable(),
        fallOver: z.boolean(),
        retryAfterSeconds: z.int().optional(),
      })
      .nullable(),
    intent_age_ms: z.bigint(),
    since_first_ms: z.bigint(),
    again_in_ms: z.bigint().nullable(),
    sending_ends_in_ms: z.bigint(),
  })
  .transform((row): Intent => ({
    provider: row.provider,
    outcome: row.outcome,
    jobId: row.job_id,
    blobKeys: row.blob_keys,
    error: row.error,
    ageMs: Number(row.intent_age_ms),
    sinceFirstMs: Number(row.since_first_ms),
    againInMs: row.again_in_ms === null ? null : Number(row.again_in_ms),
    sendingEndsInMs: Number(row.sending_ends_in_ms),
  }));
