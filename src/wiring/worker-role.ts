/** The role that runs tasks: the workers, the scans beside them, and what comes by the clock. */
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { release } from '../activities/end.ts';
import type { WorkerDependencies } from '../activities/index.ts';
import { ensureAuditSchedule } from '../temporal/audit-schedule.ts';
import { EventScan } from '../temporal/event-scan.ts';
import { ensureRetainSchedule } from '../temporal/retain-schedule.ts';
import { registerSearchAttributes } from '../temporal/search-attributes.ts';
import { StartScan } from '../temporal/start-scan.ts';
import { TaskStarter } from '../temporal/task-starter.ts';
import { startWorkers } from '../temporal/worker.ts';
import { type Core, tempDirOf } from '../wiring.ts';
import { auditEverything } from './audit.ts';
import { removeLeftovers } from './leftovers.ts';

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
  const client = new Client({ connection, namespace, interceptors: { workflow: core.tracing?.client ?? [] } });
  const deps: WorkerDependencies = {
    ...core,
    steps: core.meters.steps,
    audit: (signal) => {
      const { database, blobs, secrets, queues, fetchWindowMs } = core;
      const ledgerKeys = secrets.all.map(({ ledger }) => ledger);
      return auditEverything({ database, blobs, ledgerKeys, temporal: { client, queues }, fetchWindowMs }, { signal });
    },
    removeLeftovers: () => removeLeftovers(core.blobs, tempDirOf(core.environment.dataDir)),
  };
  await registerSearchAttributes(connection, namespace).catch((error: unknown) => {
    core.log.warn({ err: error }, 'the search attributes could not be registered; an operator may have to');
  });
  await ensureAuditSchedule(client, core.queues).catch((error: unknown) => {
    core.log.warn({ err: error }, 'the nightly audit could not be scheduled; the next start of a worker tries again');
  });
  await ensureRetainSchedule(client, core.queues).catch((error: unknown) => {
    core.log.warn({ err: error }, 'the deletion of old results could not be scheduled; the next start tries again');
  });
  const workers = await startWorkers(connection, namespace, core.queues, deps, core.live.during);
  const unfollow = core.live.follow({ begin: (names) => workers.begin(names), end: (name) => workers.end(name) });
  const starter = new TaskStarter(client, core.queues, { eager: false, tracing: core.tracing });
  const scan = new StartScan({
    database: core.database,
    blobs: core.blobs,
    starter,
    events: new EventScan({ ...core, client }),
    release: (args) => release(deps, args),
    log: core.log,
  });
  return {
    done: workers.done,
    async stop() {
      unfollow();
      await Promise.all([scan.close(), workers.stop()]);
    },
  };
}
