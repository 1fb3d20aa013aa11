/**
 * How many unfinished jobs a provider has, over all processes: one row each, inserted with the job's intent. A row whose
 * task is final no longer counts; the next one that wants a slot deletes it, or the hourly retention.
 */
import type pg from 'pg';
import * as z from 'zod';
import type { TaskId } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';

/** Whether the provider has room for a task now; decides nothing, but spares those who would find it full a slot. */
export async function hasRoom(database: Database, provider: string, task: TaskId, max: number): Promise<boolean> {
  const { rows } = await database.keyed.query({
    name: 'provider-has-room',
    text: `select count(*) < $3 as room from provider_jobs j join tasks t on t.id = j.task_id
      where j.provider = $1 and j.task_id <> $2 and t.finished_at is null`,
    values: [provider, task, max],
  });
  return roomRow.parse(rows[0]).room;
}

/**
 * Acquires a concurrency slot for a task, in the transaction that opens its intent and has locked its row: first the task, then the
 * provider, everywhere. Returns false, and has inserted nothing, when there is none.
 */
export async function acquireProviderSlot(
  client: pg.PoolClient,
  provider: string,
  task: TaskId,
  max: number,
): Promise<boolean> {
  const lock = { name: 'lock-provider', text: lockText, values: [provider] };
  if ((await client.query(lock)).rowCount === 0) {
    const values = [provider];
    await client.query(
      `insert into provider_rates (provider, next_slot_at) values ($1, clock_timestamp()) on conflict do nothing`,
      values,
    );
    await client.query(lock);
  }
  // Counted by a statement of its own: what is read beside a lock that had to wait is stale.
  await client.query({
    name: 'forget-finished-jobs',
    text: `delete from provider_jobs j using tasks t
      where j.provider = $1 and t.id = j.task_id and t.finished_at is not null`,
    values: [provider],
  });
  const { rowCount } = await client.query({
    name: 'acquire-provider-slot',
    text: `insert into provider_jobs (provider, task_id) select $1, $2
      where (select count(*) from provider_jobs where provider = $1 and task_id <> $2) < $3
      on conflict (provider, task_id) do update set task_id = excluded.task_id`,
    values: [provider, task, max],
  });
  return rowCount === 1;
}

/**
 * Deletes the rows of tasks that are final, at any provider: where `max_concurrent` was taken away, no next task does. Several
 * processes may do so at once.
 */
export async function forgetFinishedJobs({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('delete from provider_jobs j using tasks t where t.id = j.task_id and t.finished_at is not null');
}

const lockText = 'select 1 from provider_rates where provider = $1 for no key update';
const roomRow = z.object({ room: z.boolean() });
