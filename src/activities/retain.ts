/** Deleting what has served its time: old results and recorded bodies, files that no row names, and what processes that died left on the disk. */
import { forgetFinishedJobs } from '../tasks/provider-calls/provider-jobs.ts';
import { deleteExpiredBodies } from '../bodies/stored-bodies.ts';
import { removeOldResults } from '../tasks/retention/retention.ts';
import { sweepBlobs } from '../tasks/retention/orphaned-blobs.ts';
import type { Retained } from './activity-types.ts';
import type { WorkerDependencies } from './dependencies.ts';

type RetentionDependencies = Pick<
  WorkerDependencies,
  'database' | 'blobs' | 'fetchWindowMs' | 'retentionMs' | 'removeLeftovers' | 'log'
>;

/**
 * Removes results past the retention that is configured now, then sweeps the store. Everything that was deleted stays
 * deleted, so that another attempt, or another worker at the same time, does the rest. Counts what this attempt deleted.
 */
export async function retain(deps: RetentionDependencies, signal: AbortSignal): Promise<Retained> {
  const { database, blobs, fetchWindowMs, retentionMs, removeLeftovers, log } = deps;
  const tasks = await removeOldResults({ database, blobs, fetchWindowMs, retentionMs: retentionMs(), signal });
  const unnamedBlobs = await sweepBlobs({ database, blobs, signal });
  const bodies = await deleteExpiredBodies({ database, blobs, signal });
  await forgetFinishedJobs(database);
  const leftovers = await removeLeftovers();
  const retained: Retained = { tasks, unnamedBlobs, leftovers };
  log.info({ ...retained, bodies }, 'deleted what had served its time');
  return retained;
}
