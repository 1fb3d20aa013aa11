/** Which request made a task, for steps that read nothing else of its row. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';
import { computed, row, type RowOf } from '../../postgres/row.ts';

const requestRow = row({ taskId: computed('t.id', z.string()), requestId: computed('t.request_id', z.string()) });
export type RequestOfTask = RowOf<typeof requestRow>;

/** The request that made this task; undefined if there is no such task. */
export async function requestOfTask(database: Database, id: string): Promise<RequestOfTask | undefined> {
  const { rows } = await database.keyed.query({
    name: 'request-of-task',
    text: `select ${requestRow.columns} from tasks t where id = $1`,
    values: [id],
  });
  return rows[0] === undefined ? undefined : requestRow.parse(rows[0]);
}

/** The request that made the task whose end this event reports; undefined for an event of no task. */
export async function requestOfEvent(database: Database, eventId: string): Promise<RequestOfTask | undefined> {
  const { rows } = await database.keyed.query({
    name: 'request-of-event',
    text: `select ${requestRow.columns} from events e join tasks t on t.id = e.task_id where e.id = $1`,
    values: [eventId],
  });
  return rows[0] === undefined ? undefined : requestRow.parse(rows[0]);
}
