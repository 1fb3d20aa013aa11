/** An account's tasks, newest first, in pages that stay right while tasks arrive; without what only their lives need. */
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import type { TaskKind, TaskState } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import { computed, pick, row, type RowOf } from '../../postgres/row.ts';
import { errorColumns, taskColumns, withError } from './task-rows.ts';

export interface TaskFilter {
  kind?: TaskKind | undefined;
  model?: string | undefined;
  states?: readonly TaskState[] | undefined;
  isGone?: boolean | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** A task's position in the list. */
export interface TaskPosition {
  createdAt: Date;
  id: string;
}

/**
 * Up to `limit` tasks behind that position, or the newest. Each set of filters is a statement of its own, planned once for all
 * values: one for all of them would be planned for none. `fetchWindowMs` is how long avatar-talk results can be
 * fetched.
 */
export async function listTasks(
  database: Database,
  account: AccountId,
  { kind, model, states, isGone, from, to }: TaskFilter,
  { limit, after, fetchWindowMs }: { limit: number; after: TaskPosition | undefined; fetchWindowMs: number },
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
    text: `select ${listedRow.columns}
      from tasks where ${where.join(' and ')} order by created_at desc, id desc limit $2`,
    values,
  });
  return rows.map((row) => listedRow.parse(row));
}

// The statement's time for both uses, so that a filter and the record agree.
const gone = `(kind = 'avatar_talk' and state = 'succeeded'
  and (removed_at is not null or finished_at <= now() - make_interval(secs => $3)))`;

const listedRow = row({
  ...pick(taskColumns, 'id', 'kind', 'model', 'state', 'createdAt', 'files', 'durationMs', 'cost', 'balanceAfter'),
  ...errorColumns,
  ...pick(taskColumns, 'removedAt'),
  /** Whether a result that can be fetched once was, or was deleted, or is past its time. */
  isGone: computed(gone, z.boolean()),
}).as(withError);
export type ListedTask = RowOf<typeof listedRow>;
/** What a task's record shows. */
export type ShownTask = Omit<ListedTask, 'isGone'>;
