/** What happened to a task, moment by moment: put together from its row, its paid calls and the attempts of its webhook. */
import * as z from 'zod';
import type { NumberedAttempt } from '../../../webhooks/event-log.ts';
import type { IntentFacts } from '../../../tasks/provider-calls/intent-reports.ts';
import type { Task } from '../../../tasks/rows/task-rows.ts';

const steps = [
  'admitted',
  /** It waited for its key's running tasks until now. */
  'dequeued',
  /** The paid call was sent. */
  'submitted',
  /** The provider has taken it and works on it. */
  'running',
  /** The provider's answer was the result. */
  'answered',
  'refused',
  /** The outcome of the call is unknown. */
  'unknown',
  /** The result is stored and charged, which is one transaction. */
  'succeeded',
  'failed',
  'cancelled',
  'webhook',
  'fetched',
  'removed',
] as const;

/** `provider` and `reason` are for operators. */
export const courseStep = z.strictObject({
  step: z.enum(steps),
  at: z.iso.datetime(),
  /** Of calls: which of the task's routes, from 1; of a webhook, which attempt. */
  number: z.int().nullable(),
  provider: z.string().nullable(),
  reason: z.string().nullable(),
  /** Of a webhook: the answer's HTTP status, and why it did not arrive. */
  status: z.int().nullable(),
  fault: z.string().nullable(),
});
type Step = z.input<typeof courseStep>;

const outcomes = { accepted: 'running', finished: 'answered', refused: 'refused', unknown: 'unknown' } as const;

/** The steps in their order. By `fetchWindowMs` a result that was fetched differs from one that expired. */
export function courseOf(
  task: Pick<Task, 'kind' | 'state' | 'createdAt' | 'dequeuedAt' | 'finishedAt' | 'removedAt'>,
  intents: readonly IntentFacts[],
  attempts: readonly NumberedAttempt[],
  { isOperator, fetchWindowMs }: { isOperator: boolean; fetchWindowMs: number },
): Step[] {
  const course = [stepAt('admitted', task.createdAt)];
  if (task.dequeuedAt) course.push(stepAt('dequeued', task.dequeuedAt));
  for (const { route, provider, outcome, reason, error, createdAt, closedAt } of intents) {
    const of = { number: route + 1, provider: isOperator ? provider : null };
    course.push(stepAt('submitted', createdAt, of));
    const why = isOperator ? (reason ?? error?.message ?? null) : null;
    if (outcome !== 'open' && closedAt) course.push(stepAt(outcomes[outcome], closedAt, { ...of, reason: why }));
  }
  if (task.finishedAt && task.state !== 'accepted' && task.state !== 'running')
    course.push(stepAt(task.state, task.finishedAt));
  for (const { attempt, at, status, fault } of attempts)
    course.push(stepAt('webhook', at, { number: attempt, status, fault }));
  if (task.removedAt) course.push(stepAt(wasFetched(task, fetchWindowMs) ? 'fetched' : 'removed', task.removedAt));
  return course.sort((one, other) => one.at.localeCompare(other.at)); // stable: steps of one moment stay as they are here
}

/** A result that can be fetched once goes when it was, or when its time is over. */
export const wasFetched = (
  { kind, state, finishedAt, removedAt }: Pick<Task, 'kind' | 'state' | 'finishedAt' | 'removedAt'>,
  windowMs: number,
): boolean =>
  kind === 'avatar_talk' &&
  state === 'succeeded' &&
  removedAt !== null &&
  finishedAt !== null &&
  removedAt.getTime() < finishedAt.getTime() + windowMs;

const stepAt = (step: Step['step'], at: Date, of: Partial<Step> = {}): Step => ({
  number: null,
  provider: null,
  reason: null,
  status: null,
  fault: null,
  ...of,
  step,
  at: at.toISOString(),
});
