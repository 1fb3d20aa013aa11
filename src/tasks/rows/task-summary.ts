/** Of an account's tasks, those that its overview names: the ones that run, and ones that failed. */
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import { computed, pick, row, type RowOf } from '../../postgres/row.ts';
import { taskColumns } from './task-rows.ts';

// Of the state and the code as they are, so that a task whose row is odd is listed too.
const summary = {
  id: z.string(),
  ...pick(taskColumns, 'kind', 'model'),
  state: z.string(),
  ...pick(taskColumns, 'createdAt', 'finishedAt'),
  errorCode: z.string().nullable(),
  ...pick(taskColumns, 'errorMessage'),
};
const taskRow = row(summary);
const countedRow = row({
  ...summary,
  count: computed('(select count(*) from under_way)', z.bigint().transform(Number)),
});
export type TaskSummary = RowOf<typeof taskRow>;

/** How many tasks have not ended, and the newest of them. Read by the index of such tasks: how many have ended doesn't matter. */
export async function tasksUnderWay(
  database: Database,
  account: AccountId,
  limit: number,
): Promise<{ count: number; newest: TaskSummary[] }> {
  const { rows } = await database.keyed.query({
    name: 'summarize-tasks-under-way',
    text: `with under_way as materialized (
        select id, kind, model, state, created_at, finished_at, error_code, error_message from tasks
        where finished_at is null and account_id = $1)
      select ${countedRow.columns} from under_way order by created_at desc, id desc limit $2`,
    values: [account, limit],
  });
  const newest = rows.map((row) => countedRow.parse(row));
  return { count: newest[0]?.count ?? 0, newest };
}

/** These tasks of the account, in the order of the ids. */
export async function tasksNamed(
  database: Database,
  account: AccountId,
  ids: readonly string[],
): Promise<TaskSummary[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.keyed.query({
    name: 'summarize-tasks-named',
    text: `select ${taskRow.columns} from unnest($2::text[]) with ordinality as asked(asked_id, place)
      join tasks on id = asked_id where account_id = $1 order by place`,
    values: [account, ids],
  });
  return rows.map((row) => taskRow.parse(row));
}
