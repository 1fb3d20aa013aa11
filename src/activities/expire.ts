/** Deleting a result whose time is up; one that is being fetched just then is let finish. */
import type { TaskId } from '../domain/ids.ts';
import { claimsUntil, removeMedia } from '../tasks/rows/fetch-claims.ts';
import { requestOfTask } from '../tasks/rows/task-requests.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Deletes the media of a task unless a download is running; answers when to come again in that case. */
export async function expire(
  deps: ActivityDependencies,
  { taskId }: { taskId: TaskId },
): Promise<{ againInMs: number | null }> {
  const task = await requestOfTask(deps.database, taskId);
  if (task) deps.step?.isOf(task);
  const againInMs = await claimsUntil(deps.database, taskId);
  if (againInMs > 0) return { againInMs };
  await removeMedia(deps.database, deps.blobs, taskId);
  return { againInMs: null };
}
