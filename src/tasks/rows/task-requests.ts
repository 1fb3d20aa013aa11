/** Which request made a task, for steps that read nothing else of its row. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';

export interface RequestOfTask {
  taskId: string;
  requestId: string;
}

/** The request that made this task; undefined if there is no such task. */
export async function requestOfTask(database: Database, id: string): Promise<RequestOfTask | undefined> {
  const { rows } = await database.keyed.query({
    name: 'request-of-task',
    text: 'select id, request_id from tasks where id = $1',
    values: [id],
  });
  return rows[0] === undefined ? undefined : row.parse(rows[0]);
}

/** The request that made the task whose end this event tells of; undefined for an event of no task. */
export async function requestOfEvent(database: Database, eventId: string): Promise<RequestOfTask | undefined> {
  const { rows } = await database.keyed.query({
    name: 'request-of-event',
    text: 'select t.id, t.request_id from events e join tasks t on t.id = e.task_id where e.id = $1',
    values: [eventId],
  });
  return rows[0] === undefined ? undefined : row.parse(rows[0]);
}

const row = z
  .object({ id: z.string(), request_id: z.string() })
  .transform(({ id, request_id }): RequestOfTask => ({ taskId: id, requestId: request_id }));
