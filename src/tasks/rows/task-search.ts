/** An account's tasks as its people look through them: newest first, by any filters together, a line's facts each. */
import * as z from 'zod';
import type { AccountId, TaskId } from '../../domain/ids.ts';
import { micros, type MicroYuan } from '../../domain/money.ts';
import { templateNameDefault } from '../../domain/requests/avatar-talk.ts';
import { storedFileSchema } from '../../domain/tasks/stored-request.ts';
import { type StoredFile, type TaskKind, taskKinds } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import type { TaskPlace } from './task-list.ts';
import { type Task, taskErrorColumns, taskErrorOf, taskState } from './task-rows.ts';

export interface TaskLine extends Pick<
  Task,
  | 'id'
  | 'kind'
  | 'model'
  | 'state'
  | 'keyId'
  | 'createdAt'
  | 'finishedAt'
  | 'removedAt'
  | 'durationMs'
  | 'cost'
  | 'error'
> {
  keyName: string;
  hold: MicroYuan;
  /** The beginning of its prompt; null where it has none, or the request was deleted. */
  excerpt: string | null;
  /** The first file of its result. */
  file: StoredFile | null;
  fileCount: number;
}

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

// In the words of the partial indexes of tasks (`schema/tasks.ts`), so that each has one.
const conditions: Record<TaskStatus, string> = {
  processing: 't.finished_at is null',
  succeeded: `t.state = 'succeeded' and t.removed_at is null`,
  failed: `t.error_code is not null and t.state = 'failed'`,
  cancelled: `t.error_code is not null and t.state = 'cancelled'`,
  removed: `t.state = 'succeeded' and t.removed_at is not null and t.error_code is null`,
};

/**
 * Up to `limit` tasks behind that place, or the newest. Each set of filters is a statement of its own: one for all of them
 * would be planned for none, and read all of an account's tasks.
 */
export async function listTaskLines(
  database: Database,
  account: AccountId,
  { id, kind, status, model, key, from, to }: TaskLineFilter,
  { limit, after }: { limit: number; after: TaskPlace | undefined },
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
    where.push(conditions[status]);
  }
  filter('after', (its) => `(t.created_at, t.id) < (${its}, $${values.push(after?.id)})`, after?.createdAt);
  const { rows } = await database.keyed.query({
    name: ['list-task-lines', ...names].join('-'),
    text: `select ${lineColumns} from tasks t join api_keys k on k.id = t.key_id
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

const lineColumns = `t.id, t.kind, t.model, t.state, t.key_id, k.name as key_name, t.created_at, t.finished_at, t.removed_at,
  t.duration_ms, t.cost, t.hold_amount, t.error_code, t.error_message, t.error_param, t.files -> 0 as file,
  coalesce(jsonb_array_length(t.files), 0) as file_count, left(coalesce(t.request ->> 'prompt',
    jsonb_path_query_first(t.request, 'lax $.content[*] ? (@.type == "text").text') #>> '{}',
    nullif(t.request ->> 'templateName', '${templateNameDefault}')), ${excerptCharacters}) as excerpt`;

const modelRow = z.object({ model: z.string() });
const money = z.bigint().transform(micros);
const lineRow = z
  .object({
    id: z.string().transform((id) => id as TaskId),
    kind: z.enum(taskKinds),
    model: z.string(),
    state: taskState,
    key_id: z.string().transform((id) => id as Task['keyId']),
    key_name: z.string(),
    created_at: z.date(),
    finished_at: z.date().nullable(),
    removed_at: z.date().nullable(),
    duration_ms: z.bigint().nullable(),
    cost: money.nullable(),
    hold_amount: money,
    ...taskErrorColumns,
    file: storedFileSchema.nullable(),
    file_count: z.int(),
    excerpt: z.string().nullable(),
  })
  .transform((row): TaskLine => ({
    id: row.id,
    kind: row.kind,
    model: row.model,
    state: row.state,
    keyId: row.key_id,
    keyName: row.key_name,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    removedAt: row.removed_at,
    durationMs: row.duration_ms === null ? null : Number(row.duration_ms),
    cost: row.cost,
    hold: row.hold_amount,
    error: taskErrorOf(row),
    excerpt: row.excerpt,
    file: row.file,
    fileCount: row.file_count,
  }));
