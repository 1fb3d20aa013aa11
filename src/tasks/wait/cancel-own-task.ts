/** Cancelling a task for its owner: the transaction that ends it runs here, and its workflow is notified after the answer. */
import { GatewayError } from '../../domain/errors.ts';
import type { TaskId } from '../../domain/ids.ts';
import { isFinal } from '../../domain/tasks/task-states.ts';
import type { Actor } from '../../ledger/audit-log.ts';
import { cancelTask } from '../rows/cancel-task.ts';
import { notifyFinal } from '../rows/task-notifier.ts';
import { cancellationHeard } from '../rows/task-scans.ts';
import { findTask, type Task } from '../rows/task-rows.ts';
import { type ApiContext, idsOf, type RequestIds } from '../../api/context.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import { taskNotFound } from './find-task.ts';

/**
 * Ends the task and gives its hold back; returns it as it is then. Refuses with `task_not_cancellable` what has ended, and
 * with `task_not_found` what was deleted. Its provider's job is stopped later, where that can be.
 * What a person does in the console is logged as an act of theirs.
 */
export async function cancelOwnTask(deps: ApiDependencies, ctx: ApiContext, task: Task, actor?: Actor): Promise<Task> {
  if (task.state === 'succeeded' && task.removedAt) throw taskNotFound();
  // Ending decides under its locks; this spares them a task that ended long ago.
  if (isFinal(task.state) || !(await cancelTask(deps.ledger, task, actor && { actor }))) {
    throw new GatewayError('task_not_cancellable', "The task has already ended and can't be cancelled.");
  }
  deps.background(notify(deps, idsOf(ctx), task.id));
  return (await findTask(deps.database, task.id)) ?? task;
}

/** Notifies the requests that wait for the task, and its workflow. If that fails, the workers' scan does it. */
async function notify({ database, starter, log }: ApiDependencies, ids: RequestIds, id: TaskId): Promise<void> {
  try {
    await notifyFinal(database, [id]);
    if (await starter.cancel(id)) await cancellationHeard(database, id);
  } catch (error) {
    log.warn(
      { err: error, ...ids, taskId: id },
      'the workflow of a cancelled task could not be notified; the workers will',
    );
  }
}
