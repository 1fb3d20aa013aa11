/**
 * One attempt of an activity as the log sees it: a line at its end, and on every line within it whose task it is, which
 * request made that, and which attempt it was. The attempt is handed its log; nothing is looked up by ambient context.
 */
import { activityInfo, CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { Task } from '../tasks/rows/task-rows.ts';
import { attributeNames as names } from '../observability/tracing/span-names.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import { comeBackLater, runGuarded, handedBack } from './activity-failures.ts';

/** What a step is about, as its arguments name it. */
export interface StepFacts {
  taskId?: string;
  eventId?: string;
  batchId?: string;
}

export interface StepDependencies {
  log: Logger;
  /** Of the attempt that runs with these; none outside of one. */
  step?: Step;
  tracing?: Tracing | undefined;
}

/** What a step knows of its task. */
export type StepTask = Pick<Task, 'requestId'> & Partial<Pick<Task, 'accountId' | 'model'>> & { taskId?: string };

/** Handed to each attempt with the rest of what it works with. */
export class Step {
  readonly log: Logger;
  readonly #facts: StepFacts;
  readonly #tracing: Tracing | undefined;
  #isNamed = false;

  constructor({ log, tracing }: StepDependencies, name: string, attempt: number, facts: StepFacts) {
    const traceId = tracing?.traceId();
    this.log = log.child({ step: name, attempt, ...facts, ...(traceId !== undefined && { traceId }) });
    this.#facts = facts;
    this.#tracing = tracing;
    tracing?.annotate({ [names.task]: facts.taskId, [names.event]: facts.eventId, [names.attempt]: attempt });
  }

  /** To be called when the task's row was read: from then on each line names the request that made the task. */
  isOf({ requestId, taskId = this.#facts.taskId, accountId, model }: StepTask): void {
    if (this.#isNamed) return;
    this.#isNamed = true;
    this.log.setBindings({ requestId, ...(taskId !== this.#facts.taskId && { taskId }) });
    this.#tracing?.annotate({
      [names.request]: requestId,
      [names.task]: taskId,
      [names.account]: accountId,
      [names.model]: model,
    });
  }
}

/** Runs an attempt with a log of its own, and writes its line; throws what a history may show of its failure. */
export async function inStep<D extends StepDependencies, T>(
  deps: D,
  { taskId, eventId, batchId }: StepFacts,
  run: (deps: D) => Promise<T>,
): Promise<T> {
  const { activityType, attempt } = activityInfo();
  const facts = {
    ...(taskId !== undefined && { taskId }),
    ...(eventId !== undefined && { eventId }),
    ...(batchId !== undefined && { batchId }),
  };
  const step = new Step(deps, activityType, attempt, facts);
  const startedAt = performance.now();
  let outcome = 'failed';
  try {
    const result = await runGuarded(step.log, () => run({ ...deps, log: step.log, step }));
    outcome = outcomeOf(result);
    return result;
  } catch (error) {
    outcome = outcomeOfFailure(error);
    throw error;
  } finally {
    step.log.info({ ms: Math.round(performance.now() - startedAt), outcome }, 'step');
  }
}

/** In the words of the result, where it has one. */
function outcomeOf(result: unknown): string {
  if (typeof result !== 'object' || result === null) return 'done';
  if ('outcome' in result && typeof result.outcome === 'string') return result.outcome;
  if ('state' in result && typeof result.state === 'string') return result.state;
  if ('delivered' in result) return result.delivered === true ? 'delivered' : 'given_up';
  return 'done';
}

/** Another attempt follows all of them but a cancellation and a fault in our code. */
function outcomeOfFailure(error: unknown): string {
  if (error instanceof CancelledFailure) return 'cancelled';
  const type = error instanceof ApplicationFailure ? error.type : undefined;
  return type === comeBackLater || type === handedBack ? type : 'failed';
}
