/** Waiting for a task to become final, for as long as the call may wait. */
import { setTimeout as pause } from 'node:timers/promises';
import type { TaskId } from '../../domain/ids.ts';
import { isFinal } from '../../domain/tasks/task-states.ts';
import { databaseFailure } from '../../postgres/database.ts';
import type { ShownTask } from '../rows/task-list.ts';
import type { TaskWait } from '../rows/task-notifier.ts';
import { findTask, type Task } from '../rows/task-rows.ts';
import { type ApiContext, idsOf } from '../../api/context.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';
import type { CreatedTask } from '../create/create-task.ts';

const waitSecondsMax = 300;

/** This call's wait in seconds: `Prefer: wait=N` (RFC 7240) if it can be read, at most 300; else the default. */
export function waitSeconds(ctx: Pick<ApiContext, 'get'>, defaultSeconds: number): number {
  for (const preference of ctx.get('Prefer').split(',')) {
    const wished = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;.*)?$/i.exec(preference)?.[1];
    if (wished !== undefined) return Math.min(Number(wished), waitSecondsMax);
  }
  return defaultSeconds;
}

/**
 * The task as it is once it is final, the wait is over, the caller has left or the process drains. The waiter is
 * registered before the row is read, so that no news falls between. Thousands may wait, so what is kept meanwhile is little.
 */
export async function waitForTask(
  deps: ApiDependencies,
  ctx: ApiContext,
  created: CreatedTask,
  seconds: number,
): Promise<ShownTask> {
  const { taskId, isNew } = created;
  const waiter = deps.news.final(taskId, seconds * 1000);
  if (ctx.res.closed) waiter.stop();
  else ctx.res.on('close', waiter.stop);
  try {
    if (created.certain && !(await isThere(created.certain, waiter))) {
      tellDoubt(deps, ctx);
      return asAccepted(created);
    }
    // One that this call made just now can't have ended before: its workflow is only being started.
    const before =
      isNew && !created.certain && seconds > 0
        ? asAccepted(created)
        : shownOf(await loadAccepted(deps, taskId, waiter));
    if (isFinal(before.state) || seconds === 0) return before;
    const isFinalNow = await waiter.settled;
    if (ctx.res.closed || !(isFinalNow || isNew)) return before;
    return await load(deps, taskId).catch(unlessAway(before));
  } finally {
    waiter.stop();
    ctx.res.off('close', waiter.stop);
  }
}

/**
 * The creation of a task that may not be there, once that is certain; as it was if it is still in doubt when the time is
 * up, the caller has left or the process drains. Rejects where nothing was made.
 */
export async function whenCertain(
  deps: ApiDependencies,
  ctx: ApiContext,
  created: CreatedTask,
  seconds: number,
): Promise<CreatedTask> {
  if (!created.certain) return created;
  const waiter = deps.news.final(created.taskId, seconds * 1000);
  if (ctx.res.closed) waiter.stop();
  else ctx.res.on('close', waiter.stop);
  try {
    const known = await Promise.race([created.certain, waiter.settled.then(() => undefined)]);
    if (!known) tellDoubt(deps, ctx);
    return known ?? created;
  } finally {
    waiter.stop();
    ctx.res.off('close', waiter.stop);
  }
}

/** Whether the task is there for certain. One that has ended was. */
const isThere = (certain: NonNullable<CreatedTask['certain']>, waiter: TaskWait): Promise<boolean> =>
  Promise.race([certain.then((known) => known !== undefined), waiter.settled]);

const tellDoubt = (deps: ApiDependencies, ctx: ApiContext) =>
  deps.log.warn(
    idsOf(ctx),
    ctx.res.closed
      ? 'a caller left while it is in doubt whether its task is there'
      : 'a creation was answered with its id while it is in doubt whether the task is there',
  );

/** What is known of a task that was admitted just now; its row has the exact time. */
export const asAccepted = ({ taskId, kind, model }: CreatedTask): ShownTask => ({
  ...{ id: taskId, kind, model, state: 'accepted', createdAt: new Date() },
  ...{ files: null, durationMs: null, cost: null, balanceAfter: null, error: null, removedAt: null },
});

/** The rest of the row, above all the request with its prompt and the terms, is not needed for an answer. */
const shownOf = (task: Task): ShownTask => ({
  ...{ id: task.id, kind: task.kind, model: task.model, state: task.state, createdAt: task.createdAt },
  ...{ files: task.files, durationMs: task.durationMs, cost: task.cost, balanceAfter: task.balanceAfter },
  ...{ error: task.error, removedAt: task.removedAt },
});

/** How long the caller of a task that was just accepted waits for a database that went away in this moment. */
const acceptedMsMax = 10_000;
const againMs = 250;

async function loadAccepted(deps: ApiDependencies, id: TaskId, waiter: TaskWait): Promise<Task> {
  const until = performance.now() + acceptedMsMax;
  for (;;) {
    try {
      return await load(deps, id);
    } catch (error) {
      if (waiter.isStopped || performance.now() > until || !databaseFailure(error)) throw error;
      await pause(againMs);
    }
  }
}

/** The task was accepted, and its caller must learn its id: with the database away it is still what it was. */
const unlessAway = (before: ShownTask) => (error: unknown) => {
  if (databaseFailure(error)) return before;
  throw error;
};

async function load({ database }: ApiDependencies, id: TaskId): Promise<Task> {
  const task = await findTask(database, id);
  if (!task) throw new TypeError(`task ${id} is gone`);
  return task;
}
