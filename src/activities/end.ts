/** The last step: what a task costs, and the one transaction that moves its money and its state together. */
import { chargeOfTask } from '../domain/billing/charges.ts';
import type { Output } from '../domain/billing/pricing.ts';
import { costOfTask } from '../domain/billing/route-cost.ts';
import { vendorText } from '../domain/billing/vendor-text.ts';
import type { TaskId } from '../domain/ids.ts';
import { GatewayError } from '../domain/errors.ts';
import type { StoredFile } from '../domain/tasks/task-states.ts';
import type { EntryOrigin } from '../ledger/commit/entry-sale.ts';
import type { TaskEnded, Units } from '../ledger/ledger.ts';
import { isAdmissionSealed } from '../ledger/admission-seal.ts';
import { cancelled } from '../tasks/rows/cancel-task.ts';
import { eventOfTask } from '../webhooks/events.ts';
import { findTaskToEnd, findTaskToRelease, outcomeOf, type TaskToEnd } from '../tasks/rows/task-outcome.ts';
import { notifyFinal } from '../tasks/rows/task-notifier.ts';
import type { Task, TaskError } from '../tasks/rows/task-rows.ts';
import type { Ended, FailureFacts } from './activity-types.ts';
import type { ActivityDependencies } from './dependencies.ts';

/** What ends a task. */
export type EndDependencies = Omit<ActivityDependencies, 'batches'>;

/**
 * Ends a task in success and charges what was produced; returns how it ended before, if it had. Terms that were changed
 * since the admission price nothing: the task fails.
 */
export async function settle(
  deps: EndDependencies,
  { taskId, files }: { taskId: TaskId; files: readonly StoredFile[] },
): Promise<Ended> {
  const { task, provider, served, sealed } = await load(deps, taskId);
  if (task.finishedAt === null && !isAdmissionSealed(deps.ledgerKeys, sealed)) {
    deps.log.error(
      'the terms of the task do not fit their seal, so it is not charged: it fails, and its hold goes back',
    );
    return release(deps, { taskId, error: 'broken' });
  }
  const { output, quote, most, durationMs, thousandths } = chargeOfTask(task.kind, task.terms, task.holdAmount, files);
  const units: Units = {
    thousandths,
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
    most,
    units,
    model,
    requestId,
    durationMs,
    files,
    ...(provider !== null && { origin: originOf(task, served, provider, output) }),
  });
  return answer(deps, task, provider, ended);
}

/** Ends a task without success and gives its hold back, whatever its terms say; returns how it ended before, if it had. */
export async function release(
  deps: EndDependencies,
  { taskId, error }: { taskId: TaskId; error: FailureFacts },
): Promise<Ended> {
  const task = await findTaskToRelease(deps.database, taskId);
  if (!task) throw new TypeError(`no task ${taskId}`);
  deps.step?.isOf(task);
  const { accountId: account, keyId: key, model, requestId, provider, failure } = task;
  const ended = await deps.ledger.releaseTask({
    account,
    key,
    task: taskId,
    model,
    requestId,
    state: error === 'cancelled' ? 'cancelled' : 'failed',
    error: factsOf(error, failure),
  });
  return answer(deps, task, provider, ended);
}

function originOf({ terms }: Task, served: TaskToEnd['served'], provider: string, output: Output): EntryOrigin {
  const route = served ? terms.routes[served.route] : undefined;
  const cost = costOfTask(route?.cost, output);
  const vendor = vendorText({ id: served?.job ?? undefined, model: route?.model, cost: cost?.vendor });
  return { provider, vendor, ...(cost && { cost: cost.cost }) };
}

type ToEnd = NonNullable<Awaited<ReturnType<typeof findTaskToEnd>>>;

async function load(deps: EndDependencies, id: TaskId): Promise<ToEnd> {
  const found = await findTaskToEnd(deps.database, id);
  if (!found) throw new TypeError(`no task ${id}`);
  deps.step?.isOf(found.task);
  return found;
}

async function answer(
  deps: EndDependencies,
  task: Pick<Task, 'id' | 'keyId' | 'endedMs'> & { kind: string },
  sentTo: string | null,
  { ended, state, mayDequeue, ...news }: TaskEnded,
): Promise<Ended> {
  const { database } = deps;
  if (mayDequeue) deps.startNext?.(task.keyId);
  const [{ cost, provider }, eventId] = await Promise.all([
    // Ended by another attempt, it may have gone elsewhere since it was read.
    news.cost === undefined ? outcomeOf(database, task.id) : { cost: news.cost, provider: sentTo },
    ended ? news.eventId : eventOfTask(database, task.id),
    ended ? notifyFinal(database, [task.id]) : undefined,
  ]);
  const keptForMinutes = task.kind === 'avatar_talk' && state === 'succeeded';
  const expiresInMs = keptForMinutes ? Math.max(0, deps.fetchWindowMs - (task.endedMs ?? 0)) : null;
  return {
    state,
    expiresInMs,
    ...(expiresInMs !== null && { expiresAt: new Date(Date.now() + expiresInMs).toISOString() }),
    ...(eventId !== undefined && { eventId }),
    // Histories hold numbers; what is above 9 billion is reported as that much.
    cost: Math.min(Number(cost), Number.MAX_SAFE_INTEGER),
    currency: deps.currency,
    ...(provider !== null && { provider }),
  };
}

/** With what the step that found it wrote into the task's row. */
function factsOf(error: FailureFacts, noted: TaskError | null): TaskError {
  if (error === 'cancelled') return cancelled();
  if (error === 'broken')
    return new GatewayError('internal_error', 'The task failed because of an internal error of the gateway.');
  const { code, message, param = null } = error;
  if (message !== undefined) return { code, message, param };
  return noted?.code === code ? noted : { code, message: 'The task failed.', param };
}
