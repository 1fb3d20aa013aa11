/** Task rows: reading them, and the marks that the life of a task leaves besides its end (that is the ledger's). */
import * as z from 'zod';
import { deletedMessage, type ErrorCode, errorTable } from '../../domain/errors.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../../domain/ids.ts';
import { readStoredRequest, storedFileSchema, uploadsSchema } from '../../domain/tasks/stored-request.ts';
import { taskKinds, type TaskState, taskStates } from '../../domain/tasks/task-states.ts';
import { termsSchema } from '../../domain/tasks/terms.ts';
import type { Database } from '../../postgres/database.ts';
import { gathering } from '../../postgres/batched-writes.ts';
import { faultOfRow, type UnreadableRow } from '../../postgres/readable-rows.ts';
import { computed, id, milliseconds, money, pick, row, type RowOf } from '../../postgres/row.ts';

/** Why a task failed. */
export interface TaskError {
  code: ErrorCode;
  message: string;
  param: string | null;
  /** Whole seconds after which another try makes sense, where they are known. */
  retryAfterSeconds?: number | undefined;
}

/** When a task could start: at its admission, or when it left its key's queue. For `tasks` alone. */
export const startable = 'coalesce(dequeued_at, created_at)';

const storedError = z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]).nullable();

/** The columns of `tasks` that rows are declared of. */
export const taskColumns = {
  id: id<TaskId>(),
  kind: z.enum(taskKinds),
  accountId: id<AccountId>(),
  keyId: id<KeyId>(),
  requestId: z.string(),
  model: z.string(),
  state: z.enum(taskStates as [TaskState, ...TaskState[]]),
  /** Null once it was deleted together with the result. */
  request: z.unknown(),
  uploads: uploadsSchema.nullable(),
  terms: termsSchema,
  transferId: id<TransferId>(),
  holdAmount: money,
  createdAt: z.date(),
  /** Whether it waits, or waited until it ended, for its key's running tasks. */
  queued: z.boolean(),
  /** When that was over. */
  dequeuedAt: z.date().nullable(),
  startedAt: z.date().nullable(),
  finishedAt: z.date().nullable(),
  files: z.array(storedFileSchema).nullable(),
  durationMs: milliseconds.nullable(),
  cost: money.nullable(),
  balanceAfter: money.nullable(),
  errorCode: storedError,
  errorMessage: z.string().nullable(),
  errorParam: z.string().nullable(),
  errorRetryAfter: z.int().nullable(),
  removedAt: z.date().nullable(),
  /** Since it could start, by the database's clock as the row was read: a process's own may be set. */
  ageMs: computed(`extract(epoch from clock_timestamp() - ${startable})::float8 * 1000`, z.number()),
  /** Since the end, likewise. */
  endedMs: computed('extract(epoch from clock_timestamp() - finished_at)::float8 * 1000', z.number().nullable()),
};

/** A whole task, of `tasks` alone or where no other table has these names. */
export const taskRow = row(taskColumns).as((columns) => ({
  ...withError(columns),
  request: columns.request === null ? null : readStoredRequest(columns.kind, columns.request),
}));
export type Task = RowOf<typeof taskRow>;

/** What starting a workflow takes. */
export const startRow = row({
  ...pick(taskColumns, 'id', 'kind', 'accountId', 'keyId', 'model', 'terms'),
  // Those of a queue don't wait at the provider.
  underWay: computed(
    '(select least(running_tasks, max_running_tasks) from api_keys where api_keys.id = tasks.key_id)',
    z.int(),
  ),
});
/** `underWay`: how many tasks of its key could run; absent where they were not counted. */
export type StartFacts = Omit<RowOf<typeof startRow>, 'underWay'> & { underWay?: number };

/** An error's columns, for rows that `withError` makes one of. */
export const errorColumns = pick(taskColumns, 'errorCode', 'errorMessage', 'errorParam');

interface ErrorColumns {
  errorCode: ErrorCode | null;
  errorMessage: string | null;
  errorParam: string | null;
  errorRetryAfter?: number | null;
}

/** Returns the row with one `error` in the place of its error's columns; null while it has no code. */
export function withError<Columns extends ErrorColumns>({
  errorCode: code,
  errorMessage: message,
  errorParam: param,
  errorRetryAfter: retryAfter,
  ...columns
}: Columns): Omit<Columns, keyof ErrorColumns> & { error: TaskError | null } {
  if (code === null) return { ...columns, error: null };
  const error = { code, message: message ?? deletedMessage, param };
  return { ...columns, error: typeof retryAfter === 'number' ? { ...error, retryAfterSeconds: retryAfter } : error };
}

/** The task, if there is one; of this account, if one is named. */
export async function findTask(database: Database, id: string, account?: AccountId): Promise<Task | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-task',
    text: `select ${taskRow.columns} from tasks where id = $1 and account_id = coalesce($2, account_id)`,
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
      `select ${taskRow.columns} from tasks where (finished_at is null or cancel_pending) and id > $1 order by id limit $2`,
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

const unreadableRow = row({ id: z.string(), accountId: z.string(), createdAt: z.date() });

/** Notes that Temporal acknowledged the starts; what is to be noted meanwhile goes together. */
export const markStarted = gathering(async (database: Database, ids: readonly TaskId[]): Promise<void> => {
  if (ids.length === 1) {
    // Most are: with a single value the database opens only its partition.
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

/** How many accepted tasks that may start no start was acknowledged for; counts no further than `most`. */
export async function countTasksToStart(database: Database, most: number): Promise<number> {
  const { rows } = await database.keyed.query({
    name: 'count-tasks-to-start',
    text: `select count(*)::integer as count from (
        select 1 from tasks where started_at is null and finished_at is null and not queued limit $1) as waiting`,
    values: [most],
  });
  return z.tuple([z.object({ count: z.int() })]).parse(rows)[0].count;
}

const idRow = row(pick(taskColumns, 'id'));
