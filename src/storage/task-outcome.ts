/** What a task came to, for its workflow to show. */
import * as z from 'zod';
import type { TaskId } from '../domain/ids.ts';
import { micros, type MicroYuan } from '../domain/money.ts';
import type { Database } from './database.ts';
import { is_live } from './intents.ts';

export interface TaskOutcome {
  /** Zero for a task that cost nothing, or that has not ended. */
  cost: MicroYuan;
  /** The last one that was sent the task and did not refuse it; null if there is none. */
  provider: string | null;
}

/** Cost and provider of a task. */
export async function outcomeOf(database: Database, task: TaskId): Promise<TaskOutcome> {
  const { rows } = await database.keyed.query({
    name: 'task-outcome',
    text: `select coalesce(t.cost, 0)::bigint as cost, (select i.provider from intents i
        where i.task_id = t.id and i.outcome <> 'refused' and ${is_live} order by i.route desc limit 1) as provider
      from tasks t where t.id = $1`,
    values: [task],
  });
  return z.tuple([outcomeRow]).parse(rows)[0];
}

const outcomeRow = z.object({ cost: z.bigint().transform(micros), provider: z.string().nullable() });
