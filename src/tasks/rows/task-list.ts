/** An account's tasks, newest first, in pages that stay right while tasks arrive; without what only their lives need. */
import * as z from 'zod';
import type { AccountId, TaskId } from '../../domain/ids.ts';
import { micros } from '../../domain/money.ts';
import { storedFileSchema } from '../../domain/tasks/stored-request.ts';
import { type TaskKind, taskKinds, type TaskState } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import { type Task, taskErrorColumns, taskErrorOf, taskState } from './task-rows.ts';

/** What a task's record shows. */
export type ShownTask = Pick<
  Task,
  | 'id'
  | 'kind'
  | 'model'
  | 'state'
  | 'createdAt'
  | 'files'
  | 'durationMs'
  | 'cost'
  | 'balanceAfter'
  | 'error'
  | 'removedAt'
>;

export interface ListedTask extends ShownTask {
  /** Whether a result that can be fetched once was, or was deleted, or is past its time. */
  isGone: boolean;
}

export interface TaskFilter {
  kind?: TaskKind | undefined;
  model?: string | undefined;
  states?: readonly TaskState[] | undefined;
  isGone?: boolean | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** A task's place in the list. */
export interface TaskPlace {
  createdAt: Date;
  id: string;
}

/**
 * Up to `limit` tasks behind that place, or the newest. Each set of filters is a statement of its own, planned once for all
 * values: one for all of them would be planned for none. `fetchWindowMs` is how long avatar-talk results can be
 * fetched.
 */
export async function listTasks(
  database: Database,
  account: AccountId,
  { kind, model, states, isGone, from, to }: TaskFilter,
  { limit, after, fetchWindowMs }: { limit: number; after: TaskPlace | undefined; fetchWindowMs: number },
): Promise<ListedTask[]> {
  const values: unknown[] = [account, limit, fetchWindowMs / 1000];
  const where = ['account_id = $1'];
  const names: string[] = [];
  const filter = (name: string, condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    names.push(name);
    where.push(condition(`$${values.push(value)}`));
  };
  filter('from', (its) => `created_at >= ${its}::timestamptz`, from);
  filter('to', (its) => `created_at < ${its}::timestamptz`, to);
  filter('kind', (its) => `kind = ${its}`, kind);
  filter('model', (its) => `model = ${its}`, model);
  filter('states', (its) => `state = any(${its}::text[])`, states);
  filter('gone', (its) => `${gone} = ${its}::boolean`, isGone);
  filter('after', (its) => `(created_at, id) < (${its}::timestamptz, $${values.push(after?.id)})`, after?.createdAt);
  const { rows } = await database.keyed.query({
    name: ['list-tasks', ...names].join('-'),
    text: `select id, kind, model, state, created_at, files, duration_ms, cost, balance_after, error_code, error_message,
        error_param, removed_at, ${gone} as is_gone
      from tasks where ${where.join(' and ')} order by created_at desc, id desc limit $2`,
    values,
  });
  return rows.map((row) => listedRow.parse(row));
}

// The statement's time for both uses, so that a filter and the record agree.
const gone = `(kind = 'avatar_talk' and state = 'succeeded'
  and (removed_at is not null or finished_at <= now() - make_interval(secs => $3)))`;

const money = z.bigint().transform(micros);
const listedRow = z
  .object({
    id: z.string().transform((id) => id as TaskId),
    kind: z.enum(taskKinds),
    model: z.string(),
    state: taskState,
    created_at: z.date(),
    files: z.array(storedFileSchema).nullable(),
    duration_ms: z.bigint().nullable(),
    cost: money.nullable(),
    balance_after: money.nullable(),
    ...taskErrorColumns,
    removed_at: z.date().nullable(),
    is_gone: z.boolean(),
  })
  .transform((row): ListedTask => ({
    id: row.id,
    kind: row.kind,
    model: row.model,
    state: row.state,
    createdAt: row.created_at,
    files: row.files,
    durationMs: row.duration_ms === null ? null : Number(row.duration_ms),
    cost: row.cost,
    balanceAfter: row.balance_after,
    error: taskErrorOf(row),
    removedAt: row.removed_at,
    isGone: row.is_gone,
  }));
