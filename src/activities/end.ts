/** The last step: what a task costs, and the one transaction that moves its money and its state together. */
import type { TaskId } from '../domain/ids.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Pixels } from '../domain/pixels.ts';
import { type Output, quoteOf } from '../domain/pricing.ts';
import { keepable } from '../domain/text.ts';
import type { StoredFile } from '../domain/tasks.ts';
import type { TaskEnded, Units } from '../storage/ledger/ledger.ts';
import { cancelled } from '../storage/cancel-task.ts';
import { eventOfTask } from '../storage/events.ts';
import { findTaskToEnd, outcomeOf } from '../storage/task-outcome.ts';
import { tellFinal } from '../storage/task-news.ts';
import type { Task } from '../storage/tasks.ts';
import type { Ended, FailureFacts } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** Ends a task in success and charges what was produced; answers how it ended before, if it had. */
export async function settle(
  deps: ActivityDependencies,
  { taskId, files }: { taskId: TaskId; files: readonly StoredFile[] },
): Promise<Ended> {
  const { task, provider } = await load(deps, taskId);
  const durationMs = task.kind === 'image' ? null : durationOf(files);
  const output: Output = durationMs === null ? { images: files.length } : { durationMs, ...pixelsOf(files) };
  const quote = quoteOf(task.terms.price, output);
  const units: Units = {
    thousandths: BigInt(durationMs ?? files.length * 1000),
    unit: quote.unit,
    unitPrice: quote.unitPrice,
    priceVersion: task.terms.priceVersion,
    ...(quote.reason && { reason: quote.reason }),
  };
  const { accountId: account, keyId: key, model, requestId } = task;
  const ended = await deps.ledger.settleTask({
    account,
    key,
    task: taskId,
    price: quote.amount,
    units,
    model,
    requestId,
    durationMs,
    files,
  });
  return answer(deps, task, provider, ended);
}

/** Ends a task without success and gives its hold back; answers how it ended before, if it had. */
export async function release(
  deps: ActivityDependencies,
  { taskId, error }: { taskId: TaskId; error: FailureFacts },
): Promise<Ended> {
  const { task, provider } = await load(deps, taskId);
  const { accountId: account, keyId: key, model, requestId } = task;
  const ended = await deps.ledger.releaseTask({
    account,
    key,
    task: taskId,
    model,
    requestId,
    state: error === 'cancelled' ? 'cancelled' : 'failed',
    error: factsOf(error),
  });
  return answer(deps, task, provider, ended);
}

async function load(deps: ActivityDependencies, id: TaskId): Promise<{ task: Task; provider: string | null }> {
  const found = await findTaskToEnd(deps.database, id);
  if (!found) throw new TypeError(`no task ${id}`);
  deps.step?.isOf(found.task);
  return found;
}

async function answer(
  deps: ActivityDependencies,
  task: Task,
  sentTo: string | null,
  { ended, state, ...told }: TaskEnded,
): Promise<Ended> {
  const { database } = deps;
  const [{ cost, provider }, eventId] = await Promise.all([
    // Ended by another attempt, it may have gone elsewhere since it was read.
    told.cost === undefined ? outcomeOf(database, task.id) : { cost: told.cost, provider: sentTo },
    ended ? told.eventId : eventOfTask(database, task.id),
    ended ? tellFinal(database, [task.id]) : undefined,
  ]);
  const keptForMinutes = task.kind === 'avatar_talk' && state === 'succeeded';
  const expiresInMs = keptForMinutes ? Math.max(0, deps.fetchWindowMs - (task.endedMs ?? 0)) : null;
  return {
    state,
    expiresInMs,
    ...(expiresInMs !== null && { expiresAt: new Date(Date.now() + expiresInMs).toISOString() }),
    ...(eventId !== undefined && { eventId }),
    // Histories hold numbers; what is above 9 billion yuan is told as that much.
    cost: Math.min(Number(cost), Number.MAX_SAFE_INTEGER),
    ...(provider !== null && { provider }),
  };
}

function factsOf(error: FailureFacts) {
  if (error === 'cancelled') return cancelled();
  if (error === 'broken') return new GatewayError('internal_error', 'The task failed through a fault of the gateway.');
  // An upstream's words would otherwise keep a task from ever ending.
  return { ...error, message: keepable(error.message) };
}

function durationOf(files: readonly StoredFile[]): number {
  return files.reduce((sum, { durationMs }) => {
    if (durationMs === undefined) throw new TypeError('a video without a duration was stored');
    return sum + durationMs;
  }, 0);
}

/** A film is one file. */
function pixelsOf([file]: readonly StoredFile[]): { pixels?: Pixels } {
  const { width, height } = file ?? {};
  return width === undefined || height === undefined ? {} : { pixels: { width, height } };
}
