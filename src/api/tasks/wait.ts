/** Waiting for a task to become final, for as long as the call may wait. */
import type { TaskId } from '../../domain/ids.ts';
import { isFinal } from '../../domain/tasks.ts';
import { findTask, type Task } from '../../storage/tasks.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';

const wait_seconds_max = 300;

/** This call's wait in seconds: `Prefer: wait=N` (RFC 7240) if it can be read, at most 300; else the default. */
export function waitSeconds(ctx: Pick<ApiContext, 'get'>, defaultSeconds: number): number {
  for (const preference of ctx.get('Prefer').split(',')) {
    const wished = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;.*)?$/i.exec(preference)?.[1];
    if (wished !== undefined) return Math.min(Number(wished), wait_seconds_max);
  }
  return defaultSeconds;
}

/**
 * The task as it is once it is final, the wait is over, the caller has left or the process drains. The waiter is
 * registered before the row is read, so that no news falls between.
 */
export async function waitForTask(deps: ApiDependencies, ctx: ApiContext, id: TaskId, seconds: number): Promise<Task> {
  const gone = new AbortController();
  const left = () => gone.abort();
  ctx.res.once('close', left);
  deps.draining.addEventListener('abort', left, { once: true });
  if (deps.draining.aborted) left();
  const waiter = deps.news.final(id, seconds * 1000, gone.signal);
  try {
    const task = await load(deps, id);
    if (isFinal(task.state) || seconds === 0) return task;
    return (await waiter.settled) ? await load(deps, id) : task;
  } finally {
    waiter.stop();
    ctx.res.off('close', left);
    deps.draining.removeEventListener('abort', left);
  }
}

async function load({ database }: ApiDependencies, id: TaskId): Promise<Task> {
  const task = await findTask(database, id);
  if (!task) throw new TypeError(`task ${id} is gone`);
  return task;
}
