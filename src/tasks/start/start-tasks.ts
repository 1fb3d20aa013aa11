/** Starting many tasks, some at a time; what else is to be started waits behind all of them. */
import type { Logger } from 'pino';
import type { TaskId } from '../../domain/ids.ts';
import { databaseFailure } from '../../postgres/database.ts';
import { isTemporalUnavailable } from '../../temporal/connection-errors.ts';
import type { StartFacts } from '../rows/task-rows.ts';
import type { TaskStarter } from './task-starter.ts';

const startsAtOnce = 8; // as many as one API (`tasks/create/start-queue.ts`)

/**
 * Starts tasks in their order; gives up where Temporal is away, and goes on past a task that fails by itself. Returns those
 * that Temporal has acknowledged, and those that were not tried. Never rejects.
 */
export async function startTasks(
  { starter, log }: { starter: TaskStarter; log: Logger },
  tasks: readonly StartFacts[],
): Promise<{ started: TaskId[]; untried: TaskId[] }> {
  const started: TaskId[] = [];
  let from = 0;
  for (let isAway = false; from < tasks.length && !isAway; from += startsAtOnce) {
    const some = tasks.slice(from, from + startsAtOnce);
    const answers = await Promise.allSettled(some.map((task) => starter.start(task)));
    for (const [at, { id }] of some.entries()) {
      const answer = answers[at];
      if (answer?.status === 'fulfilled') started.push(id);
      else if (isOfServer(answer?.reason)) isAway = true;
      else log.error({ err: answer?.reason, taskId: id }, 'an accepted task could not be started; others go on');
    }
    if (isAway)
      log.warn({ err: answers.find(isRejected)?.reason, started: started.length }, 'accepted tasks wait for Temporal');
  }
  if (started.length > 0) log.info({ count: started.length }, 'started accepted tasks');
  return { started, untried: tasks.slice(from).map(({ id }) => id) };
}

/** Whether an error says nothing of the one task, since it would meet any other in this moment as well. */
export const isOfServer = (error: unknown): boolean =>
  isTemporalUnavailable(error) || databaseFailure(error) !== undefined;

const isRejected = (answer: PromiseSettledResult<unknown>): answer is PromiseRejectedResult =>
  answer.status === 'rejected';
