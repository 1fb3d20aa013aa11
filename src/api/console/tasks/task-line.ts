/** A task as a line of the console's list: its facts, the beginning of its prompt, and an image if there is one. */
import * as z from 'zod';
import { unixSeconds } from '../../../domain/unix-seconds.ts';
import { errorBody } from '../../../domain/errors.ts';
import { toAmount } from '../../../domain/money.ts';
import { taskKinds } from '../../../domain/tasks/task-states.ts';
import { statusOf, type TaskLine, taskStatuses } from '../../../tasks/rows/task-search.ts';
import { filePath } from '../../presenters/links.ts';
import type { ApiDependencies } from '../../dependencies.ts';

/** What lines and whole tasks have in common. */
export const taskFields = {
  object: z.literal('task'),
  id: z.string(),
  kind: z.enum(taskKinds),
  model: z.string(),
  status: z.enum(taskStatuses),
  /** Of one that is processing: whether a model has begun with it. */
  progress: z.enum(['waiting', 'running']).nullable(),
  /** Of one that waits for the running tasks of its key: 1 is the next. */
  queued: z.strictObject({ position: z.int() }).nullable(),
  key: z.strictObject({ id: z.string(), name: z.string() }),
  created: z.int(),
  /** Seconds from the admission to the end. */
  took: z.number().nullable(),
  /** What is or was held, and what it cost in the end. */
  hold: z.number(),
  cost: z.number().nullable(),
  /** Seconds of the result. */
  duration: z.number().nullable(),
  error: z
    .strictObject({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() })
    .nullable(),
};

export const taskLine = z.strictObject({
  ...taskFields,
  excerpt: z.string().nullable(),
  /** The first file of the result, by a path of this origin. */
  preview: z.strictObject({ url: z.string(), type: z.string() }).nullable(),
  files: z.int(),
});

export const presentLine = (
  { secrets }: ApiDependencies,
  task: TaskLine,
  position: number | undefined,
): z.input<typeof taskLine> => ({
  ...presentTask({ ...task, key: { id: task.keyId, name: task.keyName } }, position),
  excerpt: task.excerpt,
  preview: task.file && !task.removedAt ? { url: filePath(secrets, task.id, 0), type: task.file.mediaType } : null,
  files: task.fileCount,
});

type Facts = Pick<
  TaskLine,
  | 'id'
  | 'kind'
  | 'model'
  | 'state'
  | 'createdAt'
  | 'finishedAt'
  | 'removedAt'
  | 'durationMs'
  | 'hold'
  | 'cost'
  | 'error'
> & { key: { id: string; name: string } };

/** The fields that lines and whole tasks have in common; `position` is of one that is queued. */
export const presentTask = (task: Facts, position: number | undefined) => ({
  object: 'task' as const,
  id: task.id,
  kind: task.kind,
  model: task.model,
  status: statusOf(task),
  progress: task.state === 'accepted' ? ('waiting' as const) : task.state === 'running' ? ('running' as const) : null,
  queued: position === undefined ? null : { position },
  key: task.key,
  created: unixSeconds(task.createdAt),
  took: task.finishedAt && (task.finishedAt.getTime() - task.createdAt.getTime()) / 1000,
  hold: toAmount(task.hold),
  cost: task.cost === null ? null : toAmount(task.cost),
  duration: task.durationMs === null ? null : task.durationMs / 1000,
  error: task.error && errorBody(task.error),
});
