/** What a task came to, for its workflow to show. */
import * as z from 'zod';
import type { TaskId } from '../domain/ids.ts';
import { micros, type MicroYuan } from '../domain/money.ts';
import type { Database } from './database.ts';
import { is_live } from './intents.ts';
import { type Task, taskColumns, taskRow } from './tasks.ts';

export interface TaskOutcome {
  /** Zero for a task that cost nothing, or that has not ended. */
  cost: MicroYuan;
  /** The last one that was sent the task and did not refuse it; null if there is none. */
  provider: string | null;
}

/** A task that is to be ended, and the provider that its outcome will name; undefined where there is no such task. */
export async function findTaskToEnd(
  database: Database,
  id: TaskId,
): Promise<{ task: Task; provider: TaskOutcome['provider'] } | undefined> {
  const { rows } = await database.keyed.query({
    name: 'find-task-to-end',
    text: `select ${taskColumns}, ${providerOf('tasks.id')} from tasks where id = $1`,
    values: [id],
  });
  if (rows[0] === undefined) return undefined;
  return { task: taskRow.parse(rows[0]), provider: providerRow.parse(rows[0]).provider };
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
  where i.task_id = ${task} and i.outcome <> 'refused' and ${is_live} order by i.route desc limit 1) as provider`;

const providerRow = z.object({ provider: z.string().nullable() });
const outcomeRow = providerRow.extend({ cost: z.bigint().transform(micros) });
