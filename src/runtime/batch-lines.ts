/** What a worker runs the lines of batches with, and how it ends: lines under way are waited for, then taken back. */
import { withSwitches } from '../domain/accounts/model-switch-rules.ts';
import { readSwitches } from '../accounts/model-switches.ts';
import { LinesUnderWay } from '../batches/lines-under-way.ts';
import { BatchPaces } from '../batches/pace.ts';
import { type BatchSlice, runSlice, type SliceRun } from '../batches/run-slice.ts';
import type { SliceDependencies } from '../batches/slice-dependencies.ts';
import { Owner } from '../ledger/sweep.ts';
import { countTasksToStart } from '../tasks/rows/task-rows.ts';
import type { TaskStarter } from '../tasks/start/task-starter.ts';
import { WaitingTasks } from '../tasks/wait/unstarted-tasks.ts';
import { BackgroundWork } from './background-work.ts';
import type { Core } from './parts.ts';

export interface BatchLines {
  /** See `runSlice`. */
  runSlice: (batch: { batchId: string }, run: SliceRun) => Promise<BatchSlice>;
  /** Waits for lines under way, and ends what takes longer: it is sent again by another process. To be called when no slice runs. */
  close(): Promise<void>;
}

export interface BatchLinesOptions {
  sliceMs?: number;
  /** How long lines under way are waited for when the process stops. */
  graceMs?: number;
}

/** A slice, and what a Temporal worker gives an activity to end in, lie within half a minute. */
const sliceMsDefault = 25_000;
const graceMsDefault = 10_000;
/** Lines that were ended write that they are to be sent again. */
const endMsMax = 10_000;

/**
 * Opens this process as an owner of lines' holds, apart from the API that may run in it: that one's calls end before its
 * workers do.
 */
export async function openBatchLines(
  core: Core,
  starter: Pick<TaskStarter, 'start'>,
  { sliceMs = sliceMsDefault, graceMs = graceMsDefault }: BatchLinesOptions = {},
): Promise<BatchLines> {
  const { database, live, log } = core;
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const owner = new Owner({
    database,
    calls: core.calls,
    onError: warn('the lease on holds of lines could not be kept'),
    onSwept: ({ requestId, transferId }) =>
      log.warn({ requestId, transferId }, 'released the hold of a process that died'),
  });
  const background = new BackgroundWork(warn('work in the background failed'));
  const underWay = new LinesUnderWay();
  const fixed = {
    ...core,
    during: live.during,
    owner,
    underWay,
    starter,
    waitingTasks: new WaitingTasks({
      max: () => live.now.configuration.limits.waitingTasks,
      count: (most) => countTasksToStart(database, most),
      onError: warn('the tasks that wait to be started were not counted'),
    }),
    paces: new BatchPaces({
      limitsOf: (provider) => live.now.configuration.providers.get(provider)?.batchPace,
      isInteractiveBusy: () => core.concurrencyLimits.calls.taken > 0,
    }),
    guard: core.guards.callers,
    // What the API reports of a model is by the calls of its own process.
    health: { record: () => undefined },
    lineMeter: core.meters.batches,
    publicUrl: () => core.publicUrl,
    background: background.add,
    sliceMs,
  };
  const now = async (): Promise<SliceDependencies> => {
    const { configuration, chatProviders } = live.now;
    const models = withSwitches(configuration.models, await readSwitches(database));
    return { ...fixed, chatProviders, configuration: { ...configuration, models } };
  };
  await owner.open();
  return {
    runSlice: async (batch, run) => runSlice(await now(), batch, run),
    async close() {
      if (!(await underWay.ended(graceMs))) {
        owner.endCalls();
        if (!(await underWay.ended(endMsMax))) log.error('lines of batches could not be brought to their end');
      }
      await background.ended();
      await owner.close();
    },
  };
}
