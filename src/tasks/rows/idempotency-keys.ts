/** Idempotency keys of calls, as those who wait for the first one see them. */
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';

/** What became of the call that bound a key: its stored answer's blob, still under way, or the key is free again. */
export async function findBoundAnswer(
  database: Database,
  account: AccountId,
  key: string,
): Promise<{ answer: string } | 'running' | 'none'> {
  const { rows } = await database.pool.query({
    name: 'find-bound-answer',
    text: 'select state, answer from idempotency_keys where account_id = $1 and key = $2',
    values: [account, key],
  });
  if (rows[0] === undefined) return 'none';
  const { answer } = z.object({ answer: z.string().nullable() }).parse(rows[0]);
  return answer === null ? 'running' : { answer };
}

/** Whether a task is bound to the key. */
export async function isKeyOfTask(database: Database, account: AccountId, key: string): Promise<boolean> {
  const { rowCount } = await database.pool.query({
    name: 'is-key-of-task',
    text: 'select 1 from idempotency_keys where account_id = $1 and key = $2 and task_id is not null',
    values: [account, key],
  });
  return rowCount === 1;
}
