/** The workers of one process: one for workflows and `collect`, one each for the background queue and for batches, and one for each provider. */
import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import {
  type ActivityDependencies,
  auditActivities,
  backgroundActivities,
  batchActivities,
  collectActivities,
  localActivities,
  retentionActivities,
  submitActivities,
  type WorkerDependencies,
} from '../activities/index.ts';
import { bundlePath, tracedBundlePath } from './bundle-workflows.ts';
import { measuredSteps } from './measured-steps.ts';
import type { QueueNames } from './temporal-names.ts';
import { SubmitSlots } from './submit-slots.ts';

const submitSlots = 20;
// A `collect` costs one light timer while it waits, so there may be many: the default of 100 would stop the 101st task.
const collectSlots = 100_000;
// Deliveries under way: a receiver that hangs takes one for 15 s.
const backgroundSlots = 100;
// Slices of batches, each of which sends many lines at once, and readings of their files.
const batchSlots = 8;
/**
 * Of everything but paid calls: all that runs then is handed back at once, and what can't be is a fault of ours. A submit has
 * no such bound, for a create under way is never abandoned: its outcome would be unknown. It is bounded by the provider's
 * request timeout.
 */
const shutdownMsMax = 30_000;

export interface RunningWorkers {
  /** The providers whose tasks this process takes now. */
  served(): readonly string[];
  /** Rejects when a worker fails for good; resolves after `stop`. */
  done: Promise<void>;
  /** Starts the workers of more providers, of all or of none; those that run already stay. */
  begin(providers: readonly string[]): Promise<void>;
  /** Stops the worker of one provider, if it has one. */
  end(provider: string): Promise<void>;
  /**
   * Takes no more work, lets local steps finish and hands running activities back, at once. Creates that can't be sent again
   * are waited for, so it may take as long as the longest request timeout of a provider and half a minute.
   */
  stop(): Promise<void>;
}

/** Starts the workers of these providers on a connection. Each step of a provider runs within `during`. */
export async function startWorkers(
  connection: NativeConnection,
  shared: Pick<WorkerOptions, 'namespace' | 'dataConverter'>,
  queues: QueueNames,
  deps: WorkerDependencies,
  during: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): Promise<RunningWorkers> {
  const traced = deps.tracing?.worker;
  const activity = [...(traced?.activity ?? []), ...(deps.steps ? [measuredSteps(deps.steps)] : [])];
  const unbounded = {
    connection,
    ...shared,
    shutdownGraceTime: 0,
    ...(activity.length > 0 && { interceptors: { activity } }),
  };
  const common = { ...unbounded, shutdownForceTime: shutdownMsMax };
  const { collect } = collectActivities(deps);
  const collecting = { collect: (args: Parameters<typeof collect>[0]) => during(() => collect(args)) };
  const ofProvider = (provider: string): WorkerOptions => ({
    ...unbounded,
    taskQueue: queues.submit(provider),
    ...submitsOf(deps, provider, (work) => counted(provider, work)),
  });
  const workflows: WorkerOptions = {
    ...common,
    taskQueue: queues.workflows,
    workflowBundle: { codePath: traced ? tracedBundlePath : bundlePath },
    ...(traced && { sinks: traced.sinks }),
    activities: {
      ...localActivities(deps),
      ...collecting,
      ...auditActivities(deps),
      ...retentionActivities(deps),
    },
    maxConcurrentActivityTaskExecutions: collectSlots,
    maxCachedWorkflows: 2_000,
  };
  const background: WorkerOptions = {
    ...common,
    taskQueue: queues.background,
    activities: backgroundActivities(deps),
    maxConcurrentActivityTaskExecutions: backgroundSlots,
  };
  const batchSteps = batchActivities(deps);
  const batches: WorkerOptions = {
    ...common,
    taskQueue: queues.batches,
    // What a slice has sent is a paid call, whose provider is not closed before it has ended.
    activities: {
      ...batchSteps,
      runBatchSlice: (args: { batchId: string }) => during(() => batchSteps.runBatchSlice(args)),
    },
    maxConcurrentActivityTaskExecutions: batchSlots,
  };

  const submitting = new Map<string, number>();
  const counted = async <T>(provider: string, work: () => Promise<T>): Promise<T> => {
    submitting.set(provider, (submitting.get(provider) ?? 0) + 1);
    try {
      return await during(work);
    } finally {
      submitting.set(provider, (submitting.get(provider) ?? 0) - 1);
    }
  };
  const byProvider = new Map<string, RunningWorker>();
  const { promise: done, resolve: ended, reject: failed } = settledFromOutside();
  const sharedWorkers = await startAll([workflows, background, batches], failed);
  let isStopped = false;

  const begin = async (providers: readonly string[]) => {
    const fresh = providers.filter((provider) => !byProvider.has(provider));
    const workers = await startAll(fresh.map(ofProvider), failed);
    for (const [at, provider] of fresh.entries()) {
      const worker = workers[at];
      if (worker) byProvider.set(provider, worker);
    }
    if (isStopped) await stop();
  };
  const end = async (provider: string) => {
    // A create is never aborted, and a worker that is stopped for good under one breaks.
    if ((submitting.get(provider) ?? 0) > 0) throw new Error(`a create at ${provider} is still running`);
    const worker = byProvider.get(provider);
    byProvider.delete(provider);
    if (worker) await stopAll([worker]);
  };
  const stop = async () => {
    isStopped = true;
    const count = [...submitting.values()].reduce((sum, calls) => sum + calls, 0);
    if (count > 0) deps.log.info({ count }, 'stopping waits for calls under way that can not be made again');
    await stopAll([...sharedWorkers, ...byProvider.values()]);
    ended();
  };
  try {
    await begin([...deps.providers.keys()]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { served: () => [...byProvider.keys()], done, begin, end, stop };
}

interface RunningWorker {
  worker: Worker;
  run: Promise<void>;
  isEnding: boolean;
}

/** Starts all, or none: a worker that is there and doesn't run would keep the connection from closing. */
async function startAll(options: readonly WorkerOptions[], failed: (error: unknown) => void): Promise<RunningWorker[]> {
  const created = await Promise.allSettled(options.map((option) => Worker.create(option)));
  const started = created.flatMap((creation) => {
    if (creation.status === 'rejected') return [];
    const run = creation.value.run();
    const running: RunningWorker = { worker: creation.value, run, isEnding: false };
    // An error while it stops is no failure of the process; one that ends by itself is.
    run.catch((error: unknown) => running.isEnding || failed(error));
    return [running];
  });
  const refusal = created.find((creation) => creation.status === 'rejected');
  if (!refusal) return started;
  await stopAll(started);
  throw refusal.reason;
}

async function stopAll(workers: readonly RunningWorker[]): Promise<void> {
  for (const running of workers) {
    running.isEnding = true;
    if (running.worker.getState() === 'RUNNING') running.worker.shutdown();
  }
  await Promise.allSettled(workers.map(({ run }) => run));
}

function settledFromOutside() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}

/** A provider that has limits when its worker starts gets a gate; the limits themselves are kept with and without. */
function submitsOf(
  deps: ActivityDependencies,
  provider: string,
  during: <T>(work: () => Promise<T>) => Promise<T>,
): Partial<WorkerOptions> {
  const { maxPerSecond, maxConcurrent } = deps.limits(provider);
  const isLimited = maxPerSecond !== undefined || maxConcurrent !== undefined;
  const gate = isLimited ? new SubmitSlots(submitSlots, () => deps.limits(provider)) : undefined;
  const { submit } = submitActivities(gate ? { ...deps, submitLimiter: gate } : deps);
  const activities = { submit: (args: Parameters<typeof submit>[0]) => during(() => submit(args)) };
  if (!gate) return { activities, maxConcurrentActivityTaskExecutions: submitSlots };
  const unused = { type: 'fixed-size', numSlots: 2 } as const;
  return {
    activities,
    tuner: {
      activityTaskSlotSupplier: gate,
      workflowTaskSlotSupplier: unused,
      localActivityTaskSlotSupplier: unused,
      nexusTaskSlotSupplier: unused,
    },
  };
}
