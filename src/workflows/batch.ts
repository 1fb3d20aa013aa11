/**
 * The life of a batch: its lines are checked, run slice by slice, and become files. The batch's row is the truth and this
 * only drives it, so that starting or repeating any step is harmless. A slice is one activity for hundreds of lines, and
 * after some hundred slices the workflow goes on as a new one, so that no history grows long. Payloads are ids and counts.
 */
import {
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { BatchActivities, BatchEnded } from '../activities/activity-types.ts';
import { batchQueue } from '../domain/tasks/queues.ts';
import * as details from './batch-details.ts';
import { localSteps } from './local-activities.ts';

export interface BatchInput {
  batchId: string;
  /** It was continued: its lines are known to be good. */
  isValidated?: boolean;
  /** After so many slices it goes on in a new history; tests make it few. */
  slicesARun?: number;
}

/** Some 1,300 events. */
const slicesARunDefault = 200;

const status = defineSearchAttributeKey('TollgateStatus', 'KEYWORD');
const cost = defineSearchAttributeKey('TollgateCost', 'INT');

// Attempts without limit: what was done is in the rows, and a failure of ours ends by itself.
const steps = (summary: string, startToCloseTimeout: '10m' | '6h') =>
  proxyActivities<BatchActivities>({
    taskQueue: batchQueue(workflowInfo().taskQueue),
    startToCloseTimeout,
    heartbeatTimeout: '20s',
    summary,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
  });

export async function batch(input: BatchInput): Promise<BatchEnded> {
  const { batchId, isValidated = false } = input;
  // Cancelling it cancels the batch, which takes steps of its own: none of them is broken off.
  const cancellation = new Cancellation(batchId);
  return CancellationScope.nonCancellable(async () => {
    if (!isValidated) {
      setCurrentDetails(details.validating);
      const { state, mistakes } = await steps('check every line', '6h').validateBatch({ batchId });
      await cancellation.noted();
      if (state === 'failed') return ended({ state, cost: 0 }, details.refused(mistakes));
      upsertSearchAttributes([{ key: status, value: 'in_progress' }]);
    }
    await runLines(input, cancellation);
    setCurrentDetails(details.finalizing);
    const end = await steps('write the output and error files', '6h').finalizeBatch({ batchId });
    return ended(end, details.ended(end));
  });
}

async function runLines(input: BatchInput, cancellation: Cancellation): Promise<void> {
  const { batchId, slicesARun = slicesARunDefault } = input;
  for (let slices = 0; ; slices++) {
    await cancellation.noted();
    if (slices === slicesARun) await continueAsNew<typeof batch>({ ...input, isValidated: true });
    const slice = await steps('run lines', '10m').runBatchSlice({ batchId });
    setCurrentDetails(details.running(slice));
    if (slice.left === 0) return;
    if (slice.againInMs > 0) await condition(() => cancellation.isFresh, slice.againInMs);
  }
}

function ended(end: BatchEnded, shown: string): BatchEnded {
  upsertSearchAttributes([
    { key: status, value: end.state },
    { key: cost, value: end.cost },
  ]);
  setCurrentDetails(shown);
  return end;
}

/** That this workflow was asked to end, and whether the batch's row says so by now. */
class Cancellation {
  /** It was asked for, and the row does not say so yet. */
  isFresh = false;
  readonly #batchId: string;

  constructor(batchId: string) {
    this.#batchId = batchId;
    CancellationScope.current().cancelRequested.catch(() => {
      this.isFresh = true;
    });
  }

  /** Has the row say so; what follows is decided by that. */
  async noted(): Promise<void> {
    if (!this.isFresh) return;
    this.isFresh = false;
    await localSteps.cancelBatch({ batchId: this.#batchId });
  }
}
