/** Cancelling a task from outside its workflow: by its owner, or by an operator. */
import { GatewayError } from '../../domain/errors.ts';
import type { Actor } from '../../ledger/audit-log.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Task } from './task-rows.ts';

/**
 * Ends a task as cancelled and gives its hold back; returns whether this did it, or it had ended before. Marks its workflow
 * to be notified. `act` is of an operator, and logged.
 */
export async function cancelTask(
  ledger: Ledger,
  task: Pick<Task, 'id' | 'accountId' | 'keyId' | 'model' | 'requestId'>,
  act?: { actor: Actor; reason?: string },
): Promise<boolean> {
  const { ended } = await ledger.releaseTask({
    account: task.accountId,
    key: task.keyId,
    task: task.id,
    model: task.model,
    requestId: task.requestId,
    state: 'cancelled',
    error: cancelled(),
    ...(act && { act }),
  });
  return ended;
}

/** What callers read of a cancelled task, whether they or an operator cancelled it. */
export const cancelled = (): GatewayError => new GatewayError('cancelled', 'The task was cancelled.');
