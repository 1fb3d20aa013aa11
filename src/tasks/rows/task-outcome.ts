/** What a task came to, for its workflow to show. */
import * as z from 'zod';
import type { AccountId, KeyId, TaskId } from '../../domain/ids.ts';
import { micros, type MicroYuan } from '../../domain/money.ts';
import { admittedFactsRow, admittedFactsSql, type SealedAdmission } from '../../ledger/admission-seal.ts';
import type { Database } from '../../postgres/database.ts';
import { isLive } from '../provider-calls/intents.ts';
import { taskFailure } from './task-failure.ts';
import { type Task, type TaskError, taskColumns, taskRow } from './task-rows.ts';

export interface TaskOutcome {
  /** Zero for a task that cost nothing, or that has not ended. */
  cost: MicroYuan;
  /** The last one that was sent the task and did not refuse it; null if there is none. */
  provider: string | null;
}

export interface TaskToEnd {
  task: Task;
  provider: TaskOutcome['provider'];
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
    text: `select ${taskColumns}, failure, ${providerOf('tasks.id')},
      ${admittedFactsSql} as admitted, request_digest, seal from tasks where id = $1`,
    values: [id],
  });
  if (rows[0] === undefined) return undefined;
  const { provider, failure, admitted, request_digest: digest, seal } = toEndRow.parse(rows[0]);
  return { task: taskRow.parse(rows[0]), provider, failure, sealed: { admitted, digest, seal } };
}

/** What ending a task without success takes: nothing of its terms, request or files, so that any task can be ended. */
export interface TaskToRelease {
  id: TaskId;
  kind: string;
  accountId: AccountId;
  keyId: KeyId;
  requestId: string;
  model: string;
  /** Since its end, if it has ended. */
  endedMs: number | null;
  provider: TaskOutcome['provider'];
  failure: TaskError | null;
}

/** A task that is to be ended without success; undefined where there is no such task. */
export async function findTaskToRelease(database: Database, id: string): Promise<TaskToRelease | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-task-to-release',
    text: `select id, kind, account_id, key_id, request_id, model, failure, ${providerOf('tasks.id')},
      extract(epoch from clock_timestamp() - finished_at)::float8 * 1000 as ended_ms from tasks where id = $1`,
    values: [id],
  });
  return rows[0] === undefined ? undefined : toReleaseRow.parse(rows[0]);
}

/** Cost and provider of a task. */
export async function outcomeOf(database: Database, task: TaskId): Promise<TaskOutcome> {
  const { rows } = await database.keyed.query({
    name: 'task-outcome',
    text: `select coalesce(t.cost, 0)::bigint as cost, ${providerOf('t.id')} from tasks t where t.id = $1`,
    values: [task],
  });
  return z.tuple([outcomeRow]).parse(rows)[0];
}

const providerOf = (task: string) => `(select i.provider from intents i
  where i.task_id = ${task} and i.outcome <> 'refused' and ${isLive} order by i.route desc limit 1) as provider`;

const providerRow = z.object({ provider: z.string().nullable() });
const bytes = z.instanceof(Buffer).nullable();
const toEndRow = providerRow.extend({
  failure: taskFailure,
  admitted: admittedFactsRow,
  request_digest: bytes,
  seal: bytes,
});
const toReleaseRow = providerRow
  .extend({
    id: z.string().transform((text) => text as TaskId),
    kind: z.string(),
    account_id: z.string().transform((text) => text as AccountId),
    key_id: z.string().transform((text) => text as KeyId),
    request_id: z.string(),
    model: z.string(),
    ended_ms: z.number().nullable(),
    failure: taskFailure.catch(null), // words for the caller, which keep no task from ending
  })
  .transform((row): TaskToRelease => ({
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    keyId: row.key_id,
    requestId: row.request_id,
    model: row.model,
    endedMs: row.ended_ms,
    provider: row.provider,
    failure: row.failure,
  }));
const outcomeRow = providerRow.extend({ cost: z.bigint().transform(micros) });
