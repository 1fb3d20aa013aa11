/** Task rows: reading them, and the marks that the life of a task leaves besides its end (that is the ledger's). */
import * as z from 'zod';
import { deletedMessage, type ErrorCode, errorTable } from '../domain/errors.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../domain/ids.ts';
import { micros, type MicroYuan } from '../domain/money.ts';
import {
  readStoredRequest,
  storedFileSchema,
  type StoredRequest,
  type Uploads,
  uploadsSchema,
} from '../domain/stored-request.ts';
import { type StoredFile, type TaskKind, taskKinds, type TaskState, taskStates } from '../domain/tasks.ts';
import { type TaskTerms, termsSchema } from '../domain/terms.ts';
import type { Database } from './database.ts';
import { gathering } from './gathered.ts';
import { faultOfRow, type OnUnreadable, readableRows, type UnreadableRow } from './readable-rows.ts';

export interface Task {
  id: TaskId;
  kind: TaskKind;
  accountId: AccountId;
  keyId: KeyId;
  requestId: string;
  model: string;
  state: TaskState;
  /** Null once it was deleted together with the result. */
  request: StoredRequest | null;
  uploads: Uploads | null;
  terms: TaskTerms;
  transferId: TransferId;
  holdAmount: MicroYuan;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  /** Since the admission, by the database's clock as the row was read: a process's own may be set. */
  ageMs: number;
  /** Since the end, likewise. */
  endedMs: number | null;
  files: readonly StoredFile[] | null;
  durationMs: number | null;
  cost: MicroYuan | null;
  balanceAfter: MicroYuan | null;
  error: TaskError | null;
  removedAt: Date | null;
}

/** Why a task failed. */
export interface TaskError {
  code: ErrorCode;
  message: string;
  param: string | null;
  /** Whole seconds after which another try makes sense, where they are known. */
  retryAfterSeconds?: number | undefined;
}

/** What `taskRow` reads, of `tasks` alone or where no other table has these names. */
export const taskColumns = `id, kind, account_id, key_id, request_id, model, state, request, uploads, terms, transfer_id, hold_amount, created_at,
  started_at, finished_at, files, duration_ms, cost, balance_after, error_code, error_message, error_param, error_retry_after, removed_at,
  extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as age_ms,
  extract(epoch from clock_timestamp() - finished_at)::float8 * 1000 as ended_ms`;

/** The task, if there is one; of this account, if one is named. */
export async function findTask(database: Database, id: string, account?: AccountId): Promise<Task | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-task',
    text: `select ${taskColumns} from tasks where id = $1 and account_id = coalesce($2, account_id)`,
    values: [id, account ?? null],
  });
  return rows[0] === undefined ? undefined : taskRow.parse(rows[0]);
}

/** Those of the tasks that are final. Asked by their states, which no index has: a plan could read all of one by the times. */
export async function finalAmong(database: Database, ids: readonly string[]): Promise<TaskId[]> {
  const { rows } = await database.keyed.query({
    name: 'final-among',
    text: `select t.id from unnest($1::text[]) as asked(id) join tasks t on t.id = asked.id where t.state not in ('accepted', 'running')`,
    values: [ids],
  });
  return rows.map((row) => idRow.parse(row).id);
}

/**
 * Tasks that no step will end any more: older than a task may wait to be submitted and its longest deadline together. The
 * provider they are on may be gone from the settings.
 */
export async function overdueTasks(database: Database, count: number): Promise<TaskId[]> {
  const { rows } = await database.keyed.query({
    name: 'overdue-tasks',
    text: `select id from tasks where finished_at is null and created_at < clock_timestamp() - interval '25 hours' - make_interval(
        secs => (select coalesce(max((route ->> 'deadlineMs')::float8), 0) / 1000 from jsonb_array_elements(terms -> 'routes') route))
      order by created_at limit $1`,
    values: [count],
  });
  return rows.map((row) => idRow.parse(row).id);
}

export interface UnreadableTask extends UnreadableRow {
  accountId: string;
  createdAt: Date;
}

const read_at_once = 500;

/**
 * Tasks that no step can go on with, as their rows can't be read: up to `limit` of those that have not ended, or whose
 * cancellation is pending, the oldest first.
 */
export async function unreadableTasks(database: Database, limit: number): Promise<UnreadableTask[]> {
  const found: UnreadableTask[] = [];
  for (let after = ''; found.length < limit;) {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      `select ${taskColumns} from tasks where (finished_at is null or cancel_pending) and id > $1 order by id limit $2`,
      [after, read_at_once],
    );
    for (const row of rows) {
      const fault = faultOfRow(taskRow, row);
      if (fault !== undefined) found.push({ ...unreadableRow.parse(row), fault });
    }
    if (rows.length < read_at_once) break;
    after = idRow.parse(rows.at(-1)).id;
  }
  return found.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).slice(0, limit);
}

const unreadableRow = z
  .object({ id: z.string(), account_id: z.string(), created_at: z.date() })
  .transform((row) => ({ id: row.id, accountId: row.account_id, createdAt: row.created_at }));

/** Notes that Temporal acknowledged the starts; what is to be noted meanwhile goes together. */
export const markStarted = gathering(async (database: Database, ids: readonly TaskId[]): Promise<void> => {
  if (ids.length === 1) {
    // Most are: told as a value, it has only its own partition opened.
    await database.keyed.query({
      name: 'mark-started-one',
      text: 'update tasks set started_at = clock_timestamp() where id = $1 and started_at is null',
      values: [ids[0]],
    });
    return;
  }
  await database.keyed.query({
    name: 'mark-started',
    text: `update tasks t set started_at = clock_timestamp() from unnest($1::text[]) as started(id)
      where t.id = started.id and t.started_at is null`,
    values: [inLockOrder(ids)],
  });
});

/** Tasks are locked by id everywhere; a nested loop updates in the order of the array. */
const inLockOrder = (ids: readonly TaskId[]): TaskId[] => [...ids].sort();

/** How many accepted tasks no start was acknowledged for; counts no further than `most`. */
export async function countTasksToStart(database: Database, most: number): Promise<number> {
  const { rows } = await database.keyed.query({
    name: 'count-tasks-to-start',
    text: `select count(*)::integer as count from (
        select 1 from tasks where started_at is null and finished_at is null limit $1) as waiting`,
    values: [most],
  });
  return z.tuple([z.object({ count: z.int() })]).parse(rows)[0].count;
}

/**
 * Takes up to `count` accepted tasks without an acknowledged start for two seconds, the oldest first. Whoever takes one has it for five
 * seconds, so that several workers share the work; no lock is held meanwhile, since a cancellation would wait for it.
 */
export async function takeTasksToStart(
  database: Database,
  count: number,
  onUnreadable?: OnUnreadable,
): Promise<StartFacts[]> {
  const { rows } = await database.keyed.query({
    name: 'take-tasks-to-start',
    text: `with taken as (
       update tasks set seen_at = clock_timestamp() where id in (
         select id from tasks where started_at is null and finished_at is null
           and created_at < clock_timestamp() - interval '2 seconds'
           and coalesce(seen_at, '-infinity') < clock_timestamp() - interval '5 seconds'
         order by created_at limit $1 for no key update skip locked)
       returning ${startColumns}, created_at)
     select * from taken order by created_at, id`,
    values: [count],
  });
  return readableRows(startRow, rows, onUnreadable);
}

/** Gives back tasks that were taken and could not be started, so that they come before younger ones the next time. */
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
  onUnreadable?: OnUnreadable,
): Promise<StartFacts[]> {
  const { rows } = await database.keyed.query({
    name: 'take-silent-tasks',
    text: `update tasks set seen_at = clock_timestamp() where id in (
       select id from tasks where finished_at is null and started_at < clock_timestamp() - interval '5 minutes'
         and coalesce(seen_at, started_at) < clock_timestamp() - interval '5 minutes'
       order by started_at limit $1 for no key update skip locked)
     returning ${startColumns}`,
    values: [count],
  });
  return readableRows(startRow, rows, onUnreadable);
}

/** A cancelled task whose workflow is to hear of it; what starting one takes, where the row says it. */
export interface PendingCancellation {
  id: TaskId;
  facts: StartFacts | undefined;
}

/** Cancelled tasks whose workflow was not yet told, or not with certainty. */
export async function cancellationsPending(
  database: Database,
  count: number,
  onUnreadable?: OnUnreadable,
): Promise<PendingCancellation[]> {
  const { rows } = await database.keyed.query({
    name: 'cancellations-pending',
    text: `select ${startColumns} from tasks where cancel_pending order by finished_at limit $1`,
    values: [count],
  });
  const readable = new Map(readableRows(startRow, rows, onUnreadable).map((facts) => [facts.id, facts]));
  return rows.map((row) => idRow.parse(row)).map(({ id }) => ({ id, facts: readable.get(id) }));
}

/** Notes that a cancelled task's workflow has heard of it. */
export async function cancellationHeard(database: Database, id: TaskId): Promise<void> {
  await database.keyed.query({
    name: 'cancellation-heard',
    text: 'update tasks set cancel_pending = false where id = $1 and cancel_pending',
    values: [id],
  });
}

/** What starting a workflow takes. */
export interface StartFacts {
  id: TaskId;
  kind: TaskKind;
  accountId: AccountId;
  keyId: KeyId;
  model: string;
  terms: TaskTerms;
  /** How many unfinished tasks its key had; absent where nobody counted. */
  underWay?: number;
}

const startColumns = `id, kind, account_id, key_id, model, terms,
  (select running_tasks from api_keys where api_keys.id = tasks.key_id) as under_way`;
const id = z.string().transform((text) => text as TaskId);
const idRow = z.object({ id });
const money = z.bigint().transform(micros);
const startFields = {
  id,
  kind: z.enum(taskKinds),
  account_id: z.string().transform((text) => text as AccountId),
  key_id: z.string().transform((text) => text as KeyId),
  model: z.string(),
  terms: termsSchema,
};
const startRow = z.object({ ...startFields, under_way: z.int() }).transform((row): StartFacts => ({
  id: row.id,
  kind: row.kind,
  accountId: row.account_id,
  keyId: row.key_id,
  model: row.model,
  terms: row.terms,
  underWay: row.under_way,
}));

export const taskState = z.enum(taskStates as [TaskState, ...TaskState[]]);
/** What `taskErrorOf` reads. */
export const taskErrorColumns = {
  error_code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]).nullable(),
  error_message: z.string().nullable(),
  error_param: z.string().nullable(),
  error_retry_after: z.int().nullish(),
};

export const taskRow = z
  .object({
    ...startFields,
    request_id: z.string(),
    state: taskState,
    request: z.unknown(),
    uploads: uploadsSchema.nullable(),
    transfer_id: z.string().transform((text) => text as TransferId),
    hold_amount: money,
    created_at: z.date(),
    started_at: z.date().nullable(),
    finished_at: z.date().nullable(),
    age_ms: z.number(),
    ended_ms: z.number().nullable(),
    files: z.array(storedFileSchema).nullable(),
    duration_ms: z.bigint().nullable(),
    cost: money.nullable(),
    balance_after: money.nullable(),
    ...taskErrorColumns,
    removed_at: z.date().nullable(),
  })
  .transform((row): Task => ({
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    keyId: row.key_id,
    requestId: row.request_id,
    model: row.model,
    state: row.state,
    request: row.request === null ? null : readStoredRequest(row.kind, row.request),
    uploads: row.uploads,
    terms: row.terms,
    transferId: row.transfer_id,
    holdAmount: row.hold_amount,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    ageMs: row.age_ms,
    endedMs: row.ended_ms,
    files: row.files,
    durationMs: row.duration_ms === null ? null : Number(row.duration_ms),
    cost: row.cost,
    balanceAfter: row.balance_after,
    error: taskErrorOf(row),
    removedAt: row.removed_at,
  }));

/** The error of a row's three columns; none while it has no code. */
export function taskErrorOf(row: {
  error_code: ErrorCode | null;
  error_message: string | null;
  error_param: string | null;
  error_retry_after?: number | null | undefined;
}): TaskError | null {
  const { error_code: code, error_message: message, error_param: param, error_retry_after: retryAfter } = row;
  if (code === null) return null;
  const error = { code, message: message ?? deletedMessage, param };
  return typeof retryAfter === 'number' ? { ...error, retryAfterSeconds: retryAfter } : error;
}
