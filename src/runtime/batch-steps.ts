/** The steps of batches, made of this process's parts. */
import type { BatchSteps } from '../activities/dependencies.ts';
import { findSealedKey } from '../accounts/api-keys.ts';
import type { BatchTools } from '../batches/batch-steps.ts';
import { finalizeBatch } from '../batches/finalize-batch.ts';
import { endUnrunnable, markCancelling, readBatch, type StoredBatch } from '../batches/stored-batches.ts';
import { validateBatch } from '../batches/validate-batch.ts';
import type { BatchLines } from './batch-lines.ts';
import type { Core } from './parts.ts';

/** `runSlice` runs the lines. */
export function batchSteps(core: Core, runSlice: BatchLines['runSlice']): BatchSteps {
  const { database, blobs, guards, providers, ledgerKeys, log } = core;
  // Each step works with what is configured when it begins.
  const tools = (): BatchTools => ({
    ...{ database, blobs, providers, log, guard: guards.callers },
    configuration: core.live.now.configuration,
    findKey: (id) => findSealedKey(database.pool, ledgerKeys, id),
  });
  const batchOf = async (batchId: string): Promise<StoredBatch> => {
    const batch = await readBatch(database, batchId);
    if (!batch) throw new TypeError(`no batch ${batchId}`);
    return batch;
  };
  return {
    validate: (batchId, signal) => validateBatch(tools(), batchId, signal),
    runSlice: async (batchId, signal) => {
      await endUnrunnable(database, batchId);
      return runSlice({ batchId }, { signal, heartbeat: () => undefined });
    },
    finalize: (batchId, signal) => finalizeBatch(tools(), batchId, signal),
    cancel: async (batchId) => (await markCancelling(database, batchId)) ?? (await batchOf(batchId)).state,
    progress: batchOf,
  };
}
