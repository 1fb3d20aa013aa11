/**
 * How often a step has failed by what it tried. Temporal's count of attempts also has those that a stopping worker handed
 * back, and those whose worker died; a task may live through many of both. So a step counts for itself, in the details
 * of its heartbeats, which outlive an attempt.
 */
import { activityInfo, heartbeat } from '@temporalio/activity';
import * as z from 'zod';
import { storeFailure } from '../blobs/blob-store.ts';

const details = z.object({ failedTries: z.int().min(0) });

/** The failures before this attempt. */
export function failedTries(): number {
  const { data } = details.safeParse(activityInfo().heartbeatDetails);
  return data?.failedTries ?? 0;
}

/**
 * Counts a failure and returns it, to be thrown at once. An attempt that is broken off doesn't count, nor does a full disk
 * of our own.
 */
export function failedTry(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted && storeFailure(error) === undefined) heartbeat({ failedTries: failedTries() + 1 });
  return error;
}
