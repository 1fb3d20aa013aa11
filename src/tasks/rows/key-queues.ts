/**
 * The queue of a key: accepted tasks beyond its `max_running_tasks`, which run in the order in which they came. They are
 * rows without a workflow; a row that leaves the queue is a task to start like any other.
 */
import * as z from 'zod';
import type { KeyId, TaskId } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import { type OnUnreadable, readableRows } from '../../postgres/readable-rows.ts';
import { id } from '../../postgres/row.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { type StartFacts, startRow } from './task-rows.ts';

/** So many of a key may have left its queue and not be started: all others wait for them while Temporal is away. */
export const dequeuedMax = 100;

/**
 * Lets as many tasks of a key leave its queue as there is room for among its running ones, and returns them in their order:
 * they are to be started, by this process or by the scan. Never more than `dequeuedMax` at once; none is returned twice.
 */
export async function dequeueTasks(
  database: Database,
  key: KeyId,
  onUnreadable?: OnUnreadable,
): Promise<{ tasks: StartFacts[]; count: number }> {
  const rows = await inTransaction({ pool: database.keyed }, async (client) => {
    await client.query({ ...lockQueue, values: [key] });
    return (await client.query<Record<string, unknown>>({ ...dequeue, values: [key, dequeuedMax] })).rows;
  });
  return { tasks: readableRows(startRow, rows, onUnreadable), count: rows.length };
}

// Two processes that count at the same time would each fill the same room. A lock of its own: the key's row is the ledger's.
const lockQueue = {
  name: 'lock-key-queue',
  text: `select pg_advisory_xact_lock(hashtextextended('tollgate key queue ' || $1, 0))`,
};

// The key counts its unfinished tasks, so that those that run are the others than the queued ones: in one snapshot both
// are exact. An admission that this doesn't see starts its task only where all unfinished ones together leave room, so it
// can't bring more to run than may. A task that is just being ended is passed over, since waiting for it could be a deadlock.
const dequeue = {
  name: 'dequeue-tasks',
  text: `with dequeued as (
     update tasks set queued = false, dequeued_at = clock_timestamp() where queued and finished_at is null and id in (
       select id from tasks where key_id = $1 and queued and finished_at is null order by created_at, id
       limit (select greatest(0, least($2 - unstarted, coalesce(k.max_running_tasks - (k.running_tasks - waiting), $2)))
         from (select max_running_tasks, running_tasks from api_keys where id = $1) k,
           (select count(*) as waiting from tasks where key_id = $1 and queued and finished_at is null) q,
           (select count(*) as unstarted from tasks
             where key_id = $1 and started_at is null and finished_at is null and not queued) u)
       for no key update skip locked)
     returning ${startRow.columns}, created_at)
   select * from dequeued order by created_at, id`,
};

/** The keys that have queued tasks; goes from each to the next one in the index, however many tasks it has. */
export async function keysWithQueue(database: Database): Promise<KeyId[]> {
  const { rows } = await database.keyed.query({
    name: 'keys-with-queue',
    text: `with recursive k(key_id) as (
        (select key_id from tasks where queued and finished_at is null order by key_id limit 1)
        union all
        select (select t.key_id from tasks t where t.queued and t.finished_at is null and t.key_id > k.key_id
          order by t.key_id limit 1)
        from k where key_id is not null)
      select key_id from k where key_id is not null`,
  });
  return rows.map((row) => keyIdRow.parse(row).key_id);
}

/** A task as its queue needs to know it. */
interface MaybeQueued {
  id: TaskId;
  keyId: string;
  queued: boolean;
  finishedAt: Date | null;
}

/** Whether the task waits for its key's running ones now. */
const isQueued = ({ queued, finishedAt }: Pick<MaybeQueued, 'queued' | 'finishedAt'>): boolean =>
  queued && finishedAt === null;

/** The positions of those of the tasks that are queued, by id: 1 is the next one of its key. Asks nothing if none is. */
export async function queuePositions(
  database: Database,
  tasks: readonly MaybeQueued[],
): Promise<ReadonlyMap<string, number>> {
  const queued = tasks.filter(isQueued);
  if (queued.length === 0) return new Map();
  const { rows } = await database.keyed.query({
    name: 'queue-positions',
    text: `select id, position from (
        select id, row_number() over (partition by key_id order by created_at, id)::integer as position from tasks
        where key_id = any($1::text[]) and queued and finished_at is null) as q
      where id = any($2::text[])`,
    values: [[...new Set(queued.map(({ keyId }) => keyId))], queued.map(({ id }) => id)],
  });
  return new Map(rows.map((row) => positionRow.parse(row)).map(({ id, position }) => [id, position]));
}

const keyIdRow = z.object({ key_id: id<KeyId>() });
const positionRow = z.object({ id: z.string(), position: z.int() });
