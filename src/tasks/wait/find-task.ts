/** The task that a path names, if it is of this kind and of the key's account. */
import { GatewayError } from '../../domain/errors.ts';
import type { TaskKind } from '../../domain/tasks/task-states.ts';
import { findTask, type Task } from '../rows/task-rows.ts';
import { type ApiContext, keyOf } from '../../api/context.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';

/** Refuses with `task_not_found`, the same for unknown ids and for tasks of other accounts. */
export async function taskOf(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string | undefined,
  kind: TaskKind,
): Promise<Task> {
  const task =
    id === undefined || !idForm.test(id) ? undefined : await findTask(deps.database, id, keyOf(ctx).accountId);
  if (task?.kind !== kind) throw taskNotFound();
  ctx.state.taskId = task.id;
  return task;
}

const idForm = /^\w{1,64}$/;

/** Refuses a task whose result was deleted; one that has none keeps its error to report. */
export function withResult(task: Task, configuration: ApiDependencies['configuration']): Task {
  if (task.state !== 'succeeded' || !task.removedAt) return task;
  throw new GatewayError('task_not_found', `The result of this task was deleted: ${retentionText(configuration)}.`);
}

/** How long the results of images and videos are kept, for callers. */
export const retentionText = ({ retentionDays }: ApiDependencies['configuration']): string =>
  `results are kept for ${retentionDays} ${retentionDays === 1 ? 'day' : 'days'}`;

export const taskNotFound = () => new GatewayError('task_not_found', 'Task not found.');
