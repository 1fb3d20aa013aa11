/** What a task came to, for its workflow to show. */
import * as z from 'zod';
import type { TaskId } from '../../domain/ids.ts';
import type { Money } from '../../domain/money.ts';
import { admittedFactsRow, admittedFactsSql, type SealedAdmission } from '../../ledger/admission-seal.ts';
import type { Database } from '../../postgres/database.ts';
import { bytes, type Computed, computed, id, money, pick, row, type RowOf } from '../../postgres/row.ts';
import { isLive } from '../provider-calls/intents.ts';
import { taskFailure } from './task-failure.ts';
import { type Task, type TaskError, taskColumns, taskRow } from './task-rows.ts';

export interface TaskOutcome {
  /** Zero for a task that cost nothing, or that has not ended. */
  cost: Money;
  /** The last one that was sent the task and did not refuse it; null if there is none. */
  provider: string | null;
}

const toEndRow = row({
  provider: providerOf('tasks.id'),
  served: computed(
    `(select jsonb_build_object('route', i.route, 'job', i.job_id) from ${lastIntentOf('tasks.id')})`,
    z.object({ route: z.int(), job: z.string().nullable() }).nullable(),
  ),
  failure: taskFailure,
  admitted: computed(admittedFactsSql, admittedFactsRow),
  requestDigest: bytes,
  seal: bytes,
});

export interface TaskToEnd {
  task: Task;
  provider: TaskOutcome['provider'];
  /** By which of its routes, and under which id of the provider's while that is kept; null where none was sent it. */
  served: { route: number; job: string | null } | null;
  failure: TaskError | null;
  sealed: SealedAdmission;
}

/**
 * A task that is to be ended, with what it was admitted with as the row says it, the provider that its outcome will name,
 * and why it fails, if a step noted that; undefined where there is no such task.
 */
export async function findTaskToEnd(database: Database, id: TaskId): Promise<TaskToEnd | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-task-to-end',
    text: `select ${taskRow.columns}, ${toEndRow.columns} from tasks where id = $1`,
    values: [id],
  });
  if (rows[0] === undefined) return undefined;
  const { provider, served, failure, admitted, requestDigest: digest, seal } = toEndRow.parse(rows[0]);
  return { task: taskRow.parse(rows[0]), provider, served, failure, sealed: { admitted, digest, seal } };
}

// Nothing of its terms, request or files, so that any task can be ended.
const toReleaseRow = row({
  id: id<TaskId>(),
  kind: z.string(),
  ...pick(taskColumns, 'accountId', 'keyId', 'requestId', 'model', 'endedMs'),
  provider: providerOf('tasks.id'),
  failure: taskFailure, // words for the caller, which keep no task from ending
});
/** What ending a task without success takes. */
export type TaskToRelease = RowOf<typeof toReleaseRow>;

/** A task that is to be ended without success; undefined where there is no such task. */
export async function findTaskToRelease(database: Database, id: string): Promise<TaskToRelease | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-task-to-release',
    text: `select ${toReleaseRow.columns} from tasks where id = $1`,
    values: [id],
  });
  return rows[0] === undefined ? undefined : toReleaseRow.parse(rows[0]);
}

/** Cost and provider of a task. */
export async function outcomeOf(database: Database, task: TaskId): Promise<TaskOutcome> {
  const { rows } = await database.keyed.query({
    name: 'task-outcome',
    text: `select ${outcomeRow.columns} from tasks t where t.id = $1`,
    values: [task],
  });
  return outcomeRow.parse(rows[0]);
}

function providerOf(task: string): Computed<z.ZodNullable<z.ZodString>> {
  return computed(`(select i.provider from ${lastIntentOf(task)})`, z.string().nullable());
}

/** The last intent that was not refused, as a table `i`. */
function lastIntentOf(task: string): string {
  return `(select i.* from intents i where i.task_id = ${task} and i.outcome <> 'refused' and ${isLive}
    order by i.route desc limit 1) i`;
}

const outcomeRow = row({ cost: computed('coalesce(t.cost, 0)::bigint', money), provider: providerOf('t.id') });
