/** Cancelling tasks of a task runner as their owners do through the API, and the whole audit after it. */
import assert from 'node:assert/strict';
import type { TaskId } from '../../src/domain/ids.ts';
import { cancelTask } from '../../src/tasks/rows/cancel-task.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { findTask, type Task } from '../../src/tasks/rows/task-rows.ts';
import { auditEverything } from '../../src/audit/whole-audit.ts';
import { assertAgrees } from './audited.ts';
import { assertLedgerAddsUp, ledgerKey } from './money.ts';
import type { TaskRunner } from './task-runner.ts';

/** What the workflow of a cancelled task answers, besides who had it. */
export const cancelledAtNoCost = { state: 'cancelled', expiresInMs: null, cost: 0, currency: 'CNY' };

export async function taskOf({ db }: TaskRunner, id: TaskId): Promise<Task> {
  return (await findTask(db.database, id)) ?? assert.fail(`no task ${id}`);
}

/** Ends the task and notifies its workflow; returns whether the task was ended by this. */
export async function cancelAsOwner(runner: TaskRunner, id: TaskId, ledger?: Ledger): Promise<boolean> {
  const isCancelled = await cancelTask(ledger ?? runner.deps.ledger, await taskOf(runner, id));
  if (isCancelled) await runner.starter.cancel(id);
  return isCancelled;
}

/** What is stored below this prefix. */
export async function blobsOf({ deps }: TaskRunner, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of deps.blobs.list(prefix)) keys.push(key);
  return keys;
}

/** Fails if `tollgate audit` would find anything. */
export async function assertAudited({ db: { database }, deps, client, queues }: TaskRunner): Promise<void> {
  await assertLedgerAddsUp(database);
  const { blobs, fetchWindowMs } = deps;
  const ledgerKeys = [ledgerKey];
  assertAgrees(await auditEverything({ database, blobs, ledgerKeys, temporal: { client, queues }, fetchWindowMs }));
}
