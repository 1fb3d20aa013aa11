/** After a task that ended without success: its jobs are stopped where their provider can, and what was stored for it goes. */
import { activityInfo } from '@temporalio/activity';
import type { ErrorCode } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import { isFinal } from '../domain/tasks.ts';
import { removeMedia } from '../storage/fetches.ts';
import { intentsOf } from '../storage/task-intents.ts';
import { findTask, type Task } from '../storage/tasks.ts';
import type { Withdrawn } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { loadTaskOnRoute } from './job.ts';

/** Some minutes of trying; a provider that is away for longer is left alone. */
const attempts_max = 8;
const cancel_timeout_ms = 10_000;

/** Ends of ours, under which a provider may be working on. All others are what a provider said itself. */
const endedByUs: readonly ErrorCode[] = ['cancelled', 'upstream_timeout', 'internal_error'];

/**
 * Stops what providers may still be doing for a task, and deletes what was stored for it. Harmless to repeat. Throws while a
 * provider can't be reached; after eight attempts its job is left to end by itself. A create in flight is not waited for: who
 * sends it stops its job itself (`submit.ts`).
 */
export async function withdraw(
  deps: ActivityDependencies,
  { taskId }: { taskId: TaskId },
  signal: AbortSignal,
): Promise<Withdrawn> {
  const task = await findTask(deps.database, taskId);
  if (!task || !isFinal(task.state) || task.state === 'succeeded') throw new TypeError(`${taskId} did not fail`);
  const withdrawn = await stopJobs(deps, task, signal);
  for await (const { key } of deps.blobs.list(`results/${taskId}/`)) await deps.blobs.remove(key);
  if (task.kind === 'avatar_talk') await removeMedia(deps.database, deps.blobs, taskId);
  return withdrawn;
}

async function stopJobs(deps: ActivityDependencies, task: Task, signal: AbortSignal): Promise<Withdrawn> {
  const withdrawn: Withdrawn = { stopped: 0, left: 0 };
  // Its media go last, so that who finds them gone has nothing to stop.
  if (task.removedAt || !task.error || !endedByUs.includes(task.error.code)) return withdrawn;
  for (const { route, jobId } of await intentsOf(deps.database, task.id)) {
    if (jobId === null) continue;
    if (await stopped(deps, task.id, route, jobId, signal)) withdrawn.stopped++;
    else withdrawn.left++;
  }
  return withdrawn;
}

async function stopped(
  deps: ActivityDependencies,
  taskId: TaskId,
  route: number,
  jobId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { provider, job } = await loadTaskOnRoute(deps, taskId, route);
    if (!provider.abilities.cancel || !provider.cancel) return false;
    await provider.cancel(jobId, job, AbortSignal.any([signal, AbortSignal.timeout(cancel_timeout_ms)]));
    return true;
  } catch (error) {
    if (signal.aborted || activityInfo().attempt < attempts_max) throw error;
    deps.log.error({ err: error, taskId, jobId }, 'a job that nobody waits for could not be cancelled');
    return false;
  }
}
