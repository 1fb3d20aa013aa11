/** Task rows: reading them, and the marks that the life of a task leaves besides its end (that is the ledger's). */
import * as z from 'zod';
import { deletedMessage, type ErrorCode, errorTable } from '../../domain/errors.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../../domain/ids.ts';
import { micros, type MicroYuan } from '../../domain/money.ts';
import {
  readStoredRequest,
  storedFileSchema,
  type StoredRequest,
  type Uploads,
  uploadsSchema,
} from '../../domain/tasks/stored-request.ts';
import {
  type StoredFile,
  type TaskKind,
  taskKinds,
  type TaskState,
  taskStates,
} from '../../domain/tasks/task-states.ts';
import { type TaskTerms, termsSchema } from '../../domain/tasks/terms.ts';
import type { Database } from '../../postgres/database.ts';
import { gathering } from '../../postgres/batched-writes.ts';
import { faultOfRow, type UnreadableRow } from '../../postgres/readable-rows.ts';

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

export interface UnreadableTask extends UnreadableRow {
  accountId: string;
  createdAt: Date;
}

const readAtOnce = 500;

/**
 * Tasks that no step can go on with, as their rows can't be read: up to `limit` of those that have not ended, or whose
 * cancellation is pending, the oldest first.
 */
export async function unreadableTasks(database: Database, limit: number): Promise<UnreadableTask[]> {
  const found: UnreadableTask[] = [];
  for (let after = ''; found.length < limit;) {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      `select ${taskColumns} from tasks where (finished_at is null or cancel_pending) and id > $1 order by id limit $2`,
      [after, readAtOnce],
    );
    for (const row of rows) {
      const fault = faultOfRow(taskRow, row);
      if (fault !== undefined) found.push({ ...unreadableRow.parse(row), fault });
    }
    if (rows.length < readAtOnce) break;
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
export const inLockOrder = (ids: readonly TaskId[]): TaskId[] => [...ids].sort();

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

export const startColumns = `id, kind, account_id, key_id, model, terms,
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
export const startRow = z.object({ ...startFields, under_way: z.int() }).transform((row): StartFacts => ({
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
