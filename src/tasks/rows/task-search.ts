/** An account's tasks as its people look through them: newest first, by any filters together, a line's facts each. */
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { templateNameDefault } from '../../domain/requests/avatar-talk.ts';
import { storedFileSchema } from '../../domain/tasks/stored-request.ts';
import type { TaskKind } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import type { TaskPosition } from './task-list.ts';
import { computed, money, pick, row, type RowOf } from '../../postgres/row.ts';
import { errorColumns, type Task, taskColumns, withError } from './task-rows.ts';

/** What a person calls the state of a task; of one that succeeded, whether its result is still there. */
export const taskStatuses = ['processing', 'succeeded', 'failed', 'cancelled', 'removed'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const statusOf = ({ state, removedAt }: Pick<Task, 'state' | 'removedAt'>): TaskStatus => {
  if (state === 'accepted' || state === 'running') return 'processing';
  return state === 'succeeded' && removedAt ? 'removed' : state;
};

export interface TaskLineFilter {
  id?: string | undefined;
  kind?: TaskKind | undefined;
  status?: TaskStatus | undefined;
  model?: string | undefined;
  key?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

const excerptCharacters = 160;

// In the words of the partial indexes of tasks (`0003_tasks.sql`), so that each has one.
export const statusConditions: Record<TaskStatus, string> = {
  processing: 't.finished_at is null',
  succeeded: `t.state = 'succeeded' and t.removed_at is null`,
  failed: `t.error_code is not null and t.state = 'failed'`,
  cancelled: `t.error_code is not null and t.state = 'cancelled'`,
  removed: `t.state = 'succeeded' and t.removed_at is not null and t.error_code is null`,
};

/**
 * Up to `limit` tasks behind that position, or the newest. Each set of filters is a statement of its own: one for all of them
 * would be planned for none, and read all of an account's tasks.
 */
export async function listTaskLines(
  database: Database,
  account: AccountId,
  { id, kind, status, model, key, from, to }: TaskLineFilter,
  { limit, after }: { limit: number; after: TaskPosition | undefined },
): Promise<TaskLine[]> {
  const values: unknown[] = [account, limit];
  const where = ['t.account_id = $1'];
  const names: string[] = [];
  const filter = (name: string, condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    names.push(name);
    where.push(condition(`$${values.push(value)}`));
  };
  filter('id', (its) => `t.id = ${its}`, id);
  filter('kind', (its) => `t.kind = ${its}`, kind);
  filter('model', (its) => `t.model = ${its}`, model);
  filter('key', (its) => `t.key_id = ${its}`, key);
  filter('from', (its) => `t.created_at >= ${its}`, from);
  filter('to', (its) => `t.created_at < ${its}`, to);
  if (status !== undefined) {
    names.push(status);
    where.push(statusConditions[status]);
  }
  filter('after', (its) => `(t.created_at, t.id) < (${its}, $${values.push(after?.id)})`, after?.createdAt);
  const { rows } = await database.keyed.query({
    name: ['list-task-lines', ...names].join('-'),
    text: `select ${lineRow.columnsOf('t')} from tasks t join api_keys k on k.id = t.key_id
     where ${where.join(' and ')} order by t.created_at desc, t.id desc limit $2`,
    values,
  });
  return rows.map((row) => lineRow.parse(row));
}

/**
 * The models that an account's tasks were of, in the order of their names. Goes from each to the next one in the index,
 * however many tasks a model has.
 */
export async function modelsOfTasks(database: Database, account: AccountId): Promise<string[]> {
  const { rows } = await database.keyed.query({
    name: 'models-of-tasks',
    text: `with recursive m(model) as (
        (select model from tasks where account_id = $1 order by model limit 1)
        union all
        select (select t.model from tasks t where t.account_id = $1 and t.model > m.model order by t.model limit 1)
        from m where m.model is not null)
      select model from m where model is not null`,
    values: [account],
  });
  return rows.map((row) => modelRow.parse(row).model);
}

/** Of tasks `t` and their keys `k`. */
export const lineColumns = {
  ...pick(taskColumns, 'id', 'kind', 'model', 'state', 'keyId', 'queued'),
  keyName: computed('k.name', z.string()),
  ...pick(taskColumns, 'createdAt', 'finishedAt', 'removedAt', 'durationMs', 'cost'),
  hold: computed('t.hold_amount', money),
  ...errorColumns,
  /** The first file of its result. */
  file: computed('t.files -> 0', storedFileSchema.nullable()),
  fileCount: computed('coalesce(jsonb_array_length(t.files), 0)', z.int()),
  /** The beginning of its prompt; null where it has none, or the request was deleted. */
  excerpt: computed(
    `left(coalesce(t.request ->> 'prompt',
      jsonb_path_query_first(t.request, 'lax $.content[*] ? (@.type == "text").text') #>> '{}',
      nullif(t.request ->> 'templateName', '${templateNameDefault}')), ${excerptCharacters})`,
    z.string().nullable(),
  ),
};
const lineRow = row(lineColumns).as(withError);
export type TaskLine = RowOf<typeof lineRow>;

const modelRow = row(pick(taskColumns, 'model'));
