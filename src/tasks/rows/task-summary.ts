/** Of an account's tasks, those that its overview names: the ones that run, and ones that failed. */
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { taskKinds } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';

export type GlimpsedTask = z.output<typeof taskRow>;

const columns = 'id, kind, model, state, created_at, finished_at, error_code, error_message';

/** How many tasks have not ended, and the newest of them. Read by the index of such tasks: how many have ended doesn't matter. */
export async function tasksUnderWay(
  database: Database,
  account: AccountId,
  limit: number,
): Promise<{ count: number; newest: GlimpsedTask[] }> {
  const { rows } = await database.keyed.query({
    name: 'glimpse-tasks-under-way',
    text: `with under_way as materialized (select ${columns} from tasks where finished_at is null and account_id = $1)
      select ${columns}, (select count(*) from under_way) as all from under_way order by created_at desc, id desc limit $2`,
    values: [account, limit],
  });
  const newest = rows.map((row) => countedRow.parse(row));
  return { count: newest[0]?.all ?? 0, newest };
}

/** These tasks of the account, in the order of the ids. */
export async function tasksNamed(
  database: Database,
  account: AccountId,
  ids: readonly string[],
): Promise<GlimpsedTask[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.keyed.query({
    name: 'glimpse-tasks-named',
    text: `select ${columns} from unnest($2::text[]) with ordinality as asked(asked_id, place)
      join tasks on id = asked_id where account_id = $1 order by place`,
    values: [account, ids],
  });
  return rows.map((row) => taskRow.parse(row));
}

const taskRow = z.object({
  id: z.string(),
  kind: z.enum(taskKinds),
  model: z.string(),
  state: z.string(),
  created_at: z.date(),
  finished_at: z.date().nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
});
const countedRow = taskRow.extend({ all: z.bigint().transform(Number) });
