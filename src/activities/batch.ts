/** The steps of a batch's workflow: what they do is a matter of `deps.batches`, what histories keep of it is said here. */
import type { BatchActivities, LocalActivities } from './activity-types.ts';
import type { WorkerDependencies } from './dependencies.ts';

type Deps = Pick<WorkerDependencies, 'batches' | 'currency'>;
type Args = { batchId: string };
type Answer<Step extends keyof BatchActivities> = ReturnType<BatchActivities[Step]>;

export const validateBatch = ({ batches }: Deps, { batchId }: Args, signal: AbortSignal): Answer<'validateBatch'> =>
  batches.validate(batchId, signal);

export async function runBatchSlice(
  { batches, currency }: Deps,
  { batchId }: Args,
  signal: AbortSignal,
): Answer<'runBatchSlice'> {
  const { left, paused, againInMs } = await batches.runSlice(batchId, signal);
  const { cost, ...counts } = await batches.progress(batchId);
  return { left, paused, againInMs, ...counts, cost: Number(cost), currency };
}

export async function finalizeBatch(
  { batches, currency }: Deps,
  { batchId }: Args,
  signal: AbortSignal,
): Answer<'finalizeBatch'> {
  const state = await batches.finalize(batchId, signal);
  const { cost } = await batches.progress(batchId);
  return { state, cost: Number(cost), currency };
}

export async function cancelBatch({ batches }: Deps, { batchId }: Args): ReturnType<LocalActivities['cancelBatch']> {
  return { state: await batches.cancel(batchId) };
}
