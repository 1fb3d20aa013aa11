/** Waiting for a task to become final, for as long as the call may wait. */
import { setTimeout as pause } from 'node:timers/promises';
import type { TaskId } from '../../domain/ids.ts';
import { isFinal } from '../../domain/tasks.ts';
import { databaseTrouble } from '../../storage/database.ts';
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
    const task = await loadAccepted(deps, id, gone.signal);
    if (isFinal(task.state) || seconds === 0) return task;
    return (await waiter.settled) ? await load(deps, id).catch(unlessAway(task)) : task;
  } finally {
    waiter.stop();
    ctx.res.off('close', left);
    deps.draining.removeEventListener('abort', left);
  }
}

/** How long the caller of a task that was just accepted waits for a database that went away in this moment. */
const accepted_ms_max = 10_000;
const again_ms = 250;

async function loadAccepted(deps: ApiDependencies, id: TaskId, gone: AbortSignal): Promise<Task> {
  const until = performance.now() + accepted_ms_max;
  for (;;) {
    try {
      return await load(deps, id);
    } catch (error) {
      if (gone.aborted || performance.now() > until || !databaseTrouble(error)) throw error;
      await pause(again_ms);
    }
  }
}

/** The task was accepted, and its caller must learn its id: with the database away it is still what it was. */
const unlessAway = (before: Task) => (error: unknown) => {
  if (databaseTrouble(error)) return before;
  throw error;
};

async function load({ database }: ApiDependencies, id: TaskId): Promise<Task> {
  const task = await findTask(database, id);
  if (!task) throw new TypeError(`task ${id} is gone`);
  return task;
}
