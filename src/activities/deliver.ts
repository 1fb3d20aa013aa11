/** Delivering an event: one attempt a run of the activity, noted in the row's log. What ends the delivery is noted with it. */
import { webhookBody, nextAttemptInMs } from '../domain/webhook-rules.ts';
import { eventToDeliver, giveEventUp, noteAttempt } from '../webhooks/events.ts';
import { requestOfEvent } from '../tasks/rows/task-requests.ts';
import type { Delivery } from './activity-types.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { ComeBackLater } from './activity-failures.ts';

/**
 * Sends an event once, unless it has ended. Returns when it is delivered or given up; throws ComeBackLater while there are
 * attempts left. The receiver may get it more than once: a worker may die between the answer and the note of it.
 */
export async function deliver(
  deps: ActivityDependencies,
  { eventId }: { eventId: string },
  signal: AbortSignal,
): Promise<Delivery> {
  const { database, webhooks, log } = deps;
  const event = await eventToDeliver(database, eventId);
  if (!event) return giveUp(deps, { eventId });
  await nameTask(deps, eventId);
  const secrets = await webhooks.secrets(event.accountId);
  const startedAt = performance.now();
  const request = {
    url: event.url,
    id: event.id,
    body: webhookBody({ ...event, data: await webhooks.dataOf(event) }),
    secrets,
  };
  const { verdict, status, fault, answer } = await webhooks.post(request, signal);
  const durationMs = performance.now() - startedAt;
  const isDelivered = verdict === 'delivered';
  const noted = await noteAttempt(database, eventId, { durationMs, status, fault, answer }, isDelivered);
  const facts = { type: event.type, deliveryAttempt: noted.attempt, status, durationMs: Math.round(durationMs) };
  if (isDelivered) {
    log.info(facts, 'an event was delivered');
    return { delivered: true };
  }
  const againInMs = verdict === 'never' ? undefined : nextAttemptInMs(noted.elapsedMs, webhooks.pace, Math.random());
  if (againInMs === undefined) {
    log.warn({ ...facts, fault }, 'an event could not be delivered and is given up');
    return giveUp(deps, { eventId });
  }
  log.info({ ...facts, fault, againInMs }, 'an event was not delivered yet');
  throw new ComeBackLater(againInMs, fault ?? 'not delivered');
}

/** Notes that no more attempts come; harmless when the event has ended. Returns whether it was delivered. */
export async function giveUp(deps: ActivityDependencies, { eventId }: { eventId: string }): Promise<Delivery> {
  await nameTask(deps, eventId);
  return { delivered: await giveEventUp(deps.database, eventId) };
}

/** For the log: the task whose end the event reports, if it is about a task. */
async function nameTask({ database, step }: ActivityDependencies, eventId: string): Promise<void> {
  const task = step && (await requestOfEvent(database, eventId));
  if (task) step.isOf(task);
}
