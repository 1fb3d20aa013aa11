/** The workers of one process: one for workflows and house-keeping, two for each provider. */
import { type NativeConnection, Worker } from '@temporalio/worker';
import {
  type ActivityDependencies,
  collectActivities,
  houseActivities,
  submitActivities,
} from '../activities/index.ts';
import { bundlePath } from './bundle-workflows.ts';
import type { QueueNames } from './names.ts';

const submit_slots = 20;
// A collect costs one light timer while it waits, so there may be many: the default of 100 would stop the 101st task.
const collect_slots = 20_000;
const shutdown_grace_ms = 2_000;

export interface RunningWorkers {
  /** Rejects when a worker fails for good; resolves after `stop`. */
  done: Promise<void>;
  /** Takes no more work, lets local steps finish and hands running activities back. */
  stop(): Promise<void>;
}

/** Starts the workers of these providers on a connection. */
export async function startWorkers(
  connection: NativeConnection,
  namespace: string,
  queues: QueueNames,
  deps: ActivityDependencies,
): Promise<RunningWorkers> {
  const common = { connection, namespace, shutdownGraceTime: shutdown_grace_ms, shutdownForceTime: 30_000 };
  const providers = [...deps.providers.keys()];
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: queues.workflows,
      workflowBundle: { codePath: bundlePath },
      activities: houseActivities(deps),
      maxCachedWorkflows: 2_000,
    }),
    ...providers.map((provider) =>
      Worker.create({
        ...common,
        taskQueue: queues.submit(provider),
        activities: submitActivities(deps),
        maxConcurrentActivityTaskExecutions: submit_slots,
      }),
    ),
    ...providers.map((provider) =>
      Worker.create({
        ...common,
        taskQueue: queues.collect(provider),
        activities: collectActivities(deps),
        maxConcurrentActivityTaskExecutions: collect_slots,
      }),
    ),
  ]);
  const runs = workers.map((worker) => worker.run());
  const done = Promise.all(runs).then(() => undefined);
  return {
    done,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(runs);
    },
  };
}
