/** What the database knows of the tasks that callers wait for. */
import type pg from 'pg';
import { z } from 'zod';

const countsSchema = z.object({ accepted: z.coerce.number(), sent: z.coerce.number() });

/** Tasks that have not ended. */
export async function waitingNow(database: pg.Client) {
  const { rows } = await database.query(`
    select count(*) as accepted, count(*) filter (where exists (
      select 1 from intents where task_id = tasks.id and outcome = 'accepted')) as sent
    from tasks where finished_at is null`);
  return countsSchema.parse(rows[0]);
}

const endedSchema = z.object({ id: z.string(), finished_ms: z.coerce.number() });

/**
 * When each task ended, in Unix ms: the transaction that ends it notes the time while it holds its locks, before it
 * writes and commits. So the delays hold that transaction's own time, too.
 */
export async function finishedAt(database: pg.Client, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query(
    `select id, extract(epoch from finished_at) * 1000 as finished_ms from tasks
     where id = any($1) and state = 'succeeded'`,
    [ids],
  );
  return new Map(rows.map((row) => endedSchema.parse(row)).map(({ id, finished_ms }) => [id, finished_ms]));
}
