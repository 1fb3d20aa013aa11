/** The role that runs tasks: the workers, the scans beside them, and what comes by the clock. */
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { release } from '../activities/end.ts';
import type { WorkerDependencies } from '../activities/index.ts';
import { ensureAuditSchedule } from '../audit/audit-schedule.ts';
import { dataConverterOf } from '../temporal/codec.ts';
import { EventScan } from '../webhooks/event-scan.ts';
import { retryUntilDone } from '../temporal/retry-until-done.ts';
import { ensureRetainSchedule } from '../temporal/retain-schedule.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { KeyQueues } from '../tasks/start/key-queues.ts';
import { StartScan } from '../tasks/start/start-scan.ts';
import { TaskStarter } from '../tasks/start/task-starter.ts';
import { startWorkers } from '../temporal/worker.ts';
import { BatchScan } from '../batches/batch-scan.ts';
import { BatchStarter } from '../batches/batch-starter.ts';
import { batchSteps } from './batch-steps.ts';
import { type Core, tempDirOf } from './parts.ts';
import { auditEverything } from '../audit/whole-audit.ts';
import { openBatchLines } from './batch-lines.ts';
import { removeLeftovers } from './leftovers.ts';
import { showUnserved } from './scraped-gauges.ts';

export interface WorkerRole {
  /** Rejects when a worker fails for good; resolves after `stop`. */
  done: Promise<void>;
  stop(): Promise<void>;
}

/** Runs the workers, and the scans that see to it that every accepted task has a workflow. */
export async function startWorkerRole(
  core: Core,
  connection: NativeConnection,
  namespace: string,
): Promise<WorkerRole> {
  const converter = dataConverterOf(core.environment.temporal.codecKeys);
  const client = new Client({
    connection,
    namespace,
    interceptors: { workflow: core.tracing?.client ?? [] },
    ...converter,
  });
  const starter = new TaskStarter(client, core.queues, { eager: false, tracing: core.tracing });
  const batchLines = await openBatchLines(core, starter);
  const keyQueues = new KeyQueues({
    database: core.database,
    starter,
    onUnreadable: () => core.meters.metrics.counter('tollgate_unreadable_rows_total', 'tasks_to_start').add(),
    log: core.log,
  });
  const deps: WorkerDependencies = {
    ...core,
    batches: batchSteps(core, batchLines.runSlice),
    startNext: (key) => keyQueues.startNext(key),
    steps: core.meters.steps,
    audit: (signal) => {
      const { database, blobs, secrets, queues, fetchWindowMs } = core;
      const { ledgerKeys } = secrets;
      return auditEverything({ database, blobs, ledgerKeys, temporal: { client, queues }, fetchWindowMs }, { signal });
    },
    removeLeftovers: () => removeLeftovers(core.blobs, tempDirOf(core.environment.dataDir)),
  };
  const stopping = new AbortController();
  const setUpSteps = [
    { undone: 'the search attributes are not registered', run: () => registerSearchAttributes(connection, namespace) },
    { undone: 'the nightly audit is not scheduled', run: () => ensureAuditSchedule(client, core.queues) },
    { undone: 'the deletion of old results is not scheduled', run: () => ensureRetainSchedule(client, core.queues) },
  ];
  await retryUntilDone(setUpSteps, core.log, stopping.signal);
  const workers = await startWorkers(connection, { namespace, ...converter }, core.queues, deps, core.live.during);
  showUnserved(
    {
      metrics: core.meters.metrics,
      database: core.database,
      warn: (part, err) => core.log.warn({ err, part }, 'figures are missing in /metrics'),
    },
    () => workers.served(),
  );
  const unfollow = core.live.follow({ begin: (names) => workers.begin(names), end: (name) => workers.end(name) });
  const scan = new StartScan({
    database: core.database,
    blobs: core.blobs,
    starter,
    keyQueues,
    events: new EventScan({ ...core, client }),
    batches: new BatchScan({ ...core, starter: new BatchStarter(client, core.queues) }),
    release: (args) => release(deps, args),
    onUnreadable: (name) => core.meters.metrics.counter('tollgate_unreadable_rows_total', name).add(),
    log: core.log,
  });
  return {
    done: workers.done,
    async stop() {
      stopping.abort();
      unfollow();
      await Promise.all([scan.close(), workers.stop()]);
      await batchLines.close();
      await keyQueues.idle();
    },
  };
}
