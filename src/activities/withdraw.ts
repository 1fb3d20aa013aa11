/** After a task that ended without success: its jobs are stopped where their provider can, and what was stored for it goes. */
import type { ErrorCode } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import { isFinal } from '../domain/tasks/task-states.ts';
import { removeMedia } from '../tasks/rows/fetch-claims.ts';
import { closeIntent } from '../tasks/provider-calls/intents.ts';
import { intentsOf, isJobLost, jobUnknown, noteJobLeft } from '../tasks/provider-calls/intent-reports.ts';
import { findTask, type Task } from '../tasks/rows/task-rows.ts';
import type { Withdrawn } from './activity-types.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { failedTries, failedTry } from './failed-tries.ts';
import { loadTaskOnRoute } from './job.ts';

/** Some minutes of trying; a provider that is away for longer is left alone. */
const attemptsMax = 8;
const callTimeoutMs = 10_000;

/** Ends of ours, under which a provider may be working on. All others are what a provider said itself. */
const endedByUs: readonly ErrorCode[] = ['cancelled', 'upstream_timeout', 'internal_error'];

/**
 * Stops what providers may still be doing for a task, and deletes what was stored for it. Harmless to repeat. Throws while a
 * provider can't be reached; after eight attempts its job is left to end by itself, and noted for the operator. A create in
 * flight is not waited for: the attempt that sends it stops its job itself (`submit.ts`).
 */
export async function withdraw(
  deps: ActivityDependencies,
  { taskId }: { taskId: TaskId },
  signal: AbortSignal,
): Promise<Withdrawn> {
  const task = await findTask(deps.database, taskId);
  if (!task || !isFinal(task.state) || task.state === 'succeeded') throw new TypeError(`${taskId} did not fail`);
  deps.step?.isOf(task);
  const withdrawn = await stopJobs(deps, task, signal);
  for await (const { key } of deps.blobs.list(`results/${taskId}/`)) await deps.blobs.remove(key);
  if (task.kind === 'avatar_talk') await removeMedia(deps.database, deps.blobs, taskId);
  return withdrawn;
}

async function stopJobs(deps: ActivityDependencies, task: Task, signal: AbortSignal): Promise<Withdrawn> {
  const withdrawn: Withdrawn = { stopped: 0, left: 0 };
  // Its media go last, so that an attempt that finds them gone has nothing to stop.
  if (task.removedAt || !task.error) return withdrawn;
  const isOurs = endedByUs.includes(task.error.code);
  for (const intent of await intentsOf(deps.database, task.id)) {
    const { route, jobId, outcome } = intent;
    const isLost = isJobLost(intent);
    if ((!isOurs && !isLost) || (jobId === null && outcome !== 'unknown')) continue;
    const became = await stopJob(deps, task.id, { route, jobId, isLost }, signal);
    if (became !== 'no job') withdrawn[became]++;
  }
  return withdrawn;
}

async function stopJob(
  deps: ActivityDependencies,
  taskId: TaskId,
  { route, jobId: known, isLost }: { route: number; jobId: string | null; isLost: boolean },
  signal: AbortSignal,
): Promise<'stopped' | 'left' | 'no job'> {
  const left = async (why: string) => {
    await noteJobLeft(deps.database, taskId, route, why);
    return 'left' as const;
  };
  let jobId = known;
  try {
    const { provider, job } = await loadTaskOnRoute(deps, taskId, route);
    const bounded = () => AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]);
    if (jobId === null && provider.abilities.lookup) jobId = (await provider.find?.(job, bounded())) ?? null;
    if (jobId === null) return 'no job';
    // Learnt only now; as every job that was accepted after the end, it is listed for the operator.
    if (known === null) await closeIntent(deps.database, taskId, route, { outcome: 'accepted', jobId });
    if (isLost) {
      if (provider.abilities.cancel) await provider.cancel?.(jobId, job, bounded());
      return await left(jobUnknown); // a provider that lost the job may be wrong about its end, too
    }
    if (!provider.abilities.cancel || !provider.cancel) return await left('its provider offers no cancelling');
    if (!(await provider.cancel(jobId, job, bounded()))) return await left('it had gone too far to be stopped');
    return 'stopped';
  } catch (error) {
    if (signal.aborted || failedTries() + 1 < attemptsMax) throw failedTry(error, signal);
    deps.log.error({ err: error, jobId }, 'a job that is no longer needed could not be cancelled');
    return await left(isLost ? jobUnknown : 'cancelling it failed');
  }
}
