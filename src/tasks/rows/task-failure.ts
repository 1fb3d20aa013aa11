/**
 * Why a task is about to fail. The step that finds it writes it here, and only its code passes through the workflow: what
 * an upstream says may quote the request, and histories are kept for longer than that.
 */
import * as z from 'zod';
import { type ErrorCode, errorTable } from '../../domain/errors.ts';
import type { TaskId } from '../../domain/ids.ts';
import { keepable } from '../../domain/text.ts';
import type { Database } from '../../postgres/database.ts';
import type { TaskError } from './task-rows.ts';

/** Writes why, in the place of what stood there; nothing of a task that has ended. */
export async function noteFailure(database: Database, task: TaskId, error: TaskError): Promise<void> {
  const { code, message, param, retryAfterSeconds } = error;
  // An upstream's words would otherwise keep a task from ever ending.
  const failure = { code, message: keepable(message), param, retryAfterSeconds };
  await database.keyed.query({
    name: 'note-task-failure',
    text: 'update tasks set failure = $2 where id = $1 and finished_at is null',
    values: [task, JSON.stringify(failure)],
  });
}

/** What stands in the column; null if nothing does, or nothing that a step wrote. */
export const taskFailure = z
  .object({
    code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    param: z.string().nullable(),
    retryAfterSeconds: z.int().optional(),
  })
  .nullable()
  .catch(null);
