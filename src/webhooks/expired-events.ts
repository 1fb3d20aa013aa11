/** Events and the log of their attempts are kept for 30 days after they ended; the tasks that they are about stay. */
import type { Database } from '../postgres/database.ts';

/** As long as the ends of deliveries can be seen in Temporal. */
export const eventDaysKept = 30;
const batchEvents = 500;

export interface OldEventsTools {
  database: Database;
  /** The age of an end, by the database's clock, from which an event goes. */
  keptDays?: number;
  /** Ends it between two batches. */
  signal?: AbortSignal;
}

/**
 * Deletes events that ended long ago, with their attempts. What is still owed stays, however old. Several processes may do so
 * at once. Returns how many it deleted.
 */
export async function deleteOldEvents({ database, ...limits }: OldEventsTools): Promise<number> {
  for (let deleted = 0; ;) {
    // No event ends before it is there, and ids are ordered by time: old ones are found without an index of ends. It is `now`
    // because a clock that moves within a statement can't be searched by.
    const { rowCount } = await database.pool.query(
      `with old as (
         select id from events
         where id < 'evt_' || lpad(to_hex(
             floor(extract(epoch from now() - make_interval(days => $1)) * 1000)::bigint), 12, '0')
           and ended_at < now() - make_interval(days => $1)
         order by id limit $2 for update skip locked),
       attempts as (delete from deliveries where event_id in (select id from old))
       delete from events where id in (select id from old)`,
      [limits.keptDays ?? eventDaysKept, batchEvents],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < batchEvents || limits.signal?.aborted) return deleted;
  }
}
