/** What task rows say of their tasks' courses, for comparing them with Temporal. Ages are by the database's clock. */
import * as z from 'zod';
import { type TaskState, taskStates } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';

export interface TaskCourse {
  id: string;
  kind: string;
  accountId: string;
  keyId: string;
  model: string;
  state: TaskState;
  /** Whether Temporal acknowledged a start. */
  isStarted: boolean;
  /** It waits for the running tasks of its key, without a workflow. */
  isQueued: boolean;
  /** Since it could start: since the admission, or since it left its key's queue. */
  ageMs: number;
  /** Since its end. */
  endedMs: number | null;
  isRemoved: boolean;
  /** The longest that a create may wait for its provider, which no cancellation stops. */
  requestTimeoutMs: number;
}

/** Which tasks are looked at. */
export interface CourseWindow {
  /** Admitted since then; undefined: ever. */
  since: Date | undefined;
  /** Admitted until then. */
  until: Date;
  /** Final ones count only if they ended after that. */
  endedAfter: Date;
}

export async function databaseNow(database: Database): Promise<Date> {
  const { rows } = await database.pool.query('select clock_timestamp() as now');
  return z.tuple([z.object({ now: z.date() })]).parse(rows)[0].now;
}

/** The next tasks of the window, in the order of their ids. */
export async function nextCourses(
  database: Database,
  { since, until, endedAfter }: CourseWindow,
  afterId: string,
  count: number,
): Promise<TaskCourse[]> {
  const rows = await patiently(
    database,
    `select ${columns} from tasks where id > $1 and created_at >= coalesce($2::timestamptz, '-infinity') and created_at <= $3
       and (finished_at is null or finished_at > $4) order by id limit $5`,
    [afterId, since, until, endedAfter, count],
  );
  return rows.map((row) => courseRow.parse(row));
}

/** The courses of these tasks by id; tasks that there are none of are missing. */
export async function coursesOf(database: Database, ids: readonly string[]): Promise<Map<string, TaskCourse>> {
  const { rows } = await database.pool.query(`select ${columns} from tasks where id = any($1::text[])`, [ids]);
  return new Map(rows.map((row) => courseRow.parse(row)).map((course) => [course.id, course]));
}

/** How many tasks were admitted in the window, but ended too early for it. */
export async function countEarlier(database: Database, { since, until, endedAfter }: CourseWindow): Promise<number> {
  const rows = await patiently(
    database,
    `select count(*) as count from tasks
      where created_at >= coalesce($1::timestamptz, '-infinity') and created_at <= $2 and finished_at <= $3`,
    [since, until, endedAfter],
  );
  return Number(z.tuple([z.object({ count: z.bigint() })]).parse(rows)[0].count);
}

/** Passing over millions of old rows may take longer than a statement of a request may. */
async function patiently(database: Database, text: string, values: readonly unknown[]): Promise<unknown[]> {
  const client = await database.longRunning.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin read only');
    await client.query('set local statement_timeout = 0');
    const { rows } = await client.query<object>(text, [...values]);
    await client.query('commit');
    return rows;
  } catch (error) {
    broken = error instanceof Error ? error : new Error('a query broke off', { cause: error });
    throw error;
  } finally {
    client.release(broken);
  }
}

const msSince = (column: string) => `(extract(epoch from clock_timestamp() - ${column}) * 1000)::float8`;
// Terms may have been changed by hand, so nothing is taken for granted of them.
const columns = `id, kind, account_id, key_id, model, state, started_at is not null as is_started,
  queued and finished_at is null as is_queued, ${msSince('coalesce(dequeued_at, created_at)')} as age_ms, ${msSince('finished_at')} as ended_ms, removed_at is not null as is_removed,
  coalesce((select max(timeout::float8) from jsonb_path_query(terms, 'lax $.routes[*].timeoutMs ? (@.type() == "number")') timeout), 0)
    as request_timeout_ms`;

const courseRow = z
  .object({
    id: z.string(),
    kind: z.string(),
    account_id: z.string(),
    key_id: z.string(),
    model: z.string(),
    state: z.enum(taskStates as [TaskState, ...TaskState[]]),
    is_started: z.boolean(),
    is_queued: z.boolean(),
    age_ms: z.number(),
    ended_ms: z.number().nullable(),
    is_removed: z.boolean(),
    request_timeout_ms: z.number(),
  })
  .transform((row): TaskCourse => ({
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    state: row.state,
    isStarted: row.is_started,
    isQueued: row.is_queued,
    ageMs: row.age_ms,
    endedMs: row.ended_ms,
    isRemoved: row.is_removed,
    requestTimeoutMs: row.request_timeout_ms,
  }));
