/** The role that serves the API, from its first request to the last. */
import { Client, type ConnectionLike } from '@temporalio/client';
import type { Logger } from 'pino';
import { within } from '../domain/within.ts';
import { createApp } from '../api/app.ts';
import { addressList, callerAddress } from '../api/server/caller-address.ts';
import type { ApiDependencies, Metrics } from '../api/dependencies.ts';
import { Attempts } from '../api/console/sign-in-attempts.ts';
import { HealthBook } from '../api/health/health-book.ts';
import { Readiness } from '../api/health/readiness.ts';
import { KeyCache } from '../accounts/key-cache.ts';
import { serve } from '../api/server/server.ts';
import { WaitingTasks } from '../tasks/wait/unstarted-tasks.ts';
import type { DrainPace } from '../config/environment.ts';
import { BodyRecorder } from '../bodies/body-recorder.ts';
import { RequestRecorder } from '../request-records/request-recorder.ts';
import { writeRequests } from '../request-records/write-requests.ts';
import { readSwitches } from '../accounts/model-switches.ts';
import { tellFact } from '../postgres/installation.ts';
import { Owner } from '../ledger/sweep.ts';
import { TaskNotifier } from '../tasks/rows/task-notifier.ts';
import { countTasksToStart } from '../tasks/rows/task-rows.ts';
import { AuditRuns } from '../audit/audit-runs.ts';
import { dataConverterOf } from '../temporal/codec.ts';
import { BatchStarter } from '../batches/batch-starter.ts';
import { TaskStarter } from '../tasks/start/task-starter.ts';
import type { Core } from './parts.ts';
import { showApi, showReadiness } from './scraped-gauges.ts';
import { ModelSwitches } from './live-model-switches.ts';
import { BackgroundWork } from './background-work.ts';
import { ChargeSumming } from './charge-summing.ts';
import { PartitionSupply } from './partition-supply.ts';

/** What is booked after its answer; a database that answers has done that long before. */
const backgroundMsMax = 15_000;

export interface ApiRole {
  port: number;
  url: string;
  /** In a hurry without a pace: as suits a gateway that nothing stands in front of. */
  stop(pace?: DrainPace): Promise<void>;
}

export interface ApiRoleOptions {
  /** This process has a worker on the same connection. */
  eager: boolean;
  /** Until then `/readyz` says that it is not. */
  isPrepared?: () => boolean;
  /** Of the embedded server, where the settings name none. */
  temporalUiUrl?: string | undefined;
  /** What `/metrics` shows: this process's figures, unless something else is named. */
  metrics?: Metrics | undefined;
}

/** In a hurry: a second Ctrl-C would be the next thing to come. */
const hurriedPace: DrainPace = { noticeMs: 0, graceMs: 10_000 };

/**
 * Serves the API until it is stopped. Stopping: `/readyz` says so at once, while everything is served for `noticeMs`; then
 * waiting callers get their 202, and running requests may go on to their end for `graceMs`. What is under way then is
 * broken off, streams with their error. When it has stopped, all that was held by this process is settled.
 */
export async function startApiRole(
  core: Core,
  connection: ConnectionLike,
  namespace: string,
  { eager, isPrepared = () => true, temporalUiUrl, metrics = core.meters.metrics }: ApiRoleOptions,
): Promise<ApiRole> {
  const { database, live, log } = core;
  const { host, port } = core.environment;
  const uiUrl = core.environment.temporal.uiUrl ?? temporalUiUrl;
  const leaving = new AbortController();
  const draining = new AbortController();
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const background = new BackgroundWork(warn('work in the background failed'));
  const news = new TaskNotifier(database, warn('the news of final tasks are cut off'));
  const owner = new Owner({
    database,
    calls: core.calls,
    onError: warn('the lease on holds of calls could not be kept'),
    onSwept: ({ requestId, transferId }) =>
      log.warn({ requestId, transferId }, 'released the hold of a process that died'),
    onClockJump: (ms) =>
      log.warn({ jumpMs: ms }, "the database's clock jumped; for the length of a lease no process is taken for dead"),
  });
  const switches = new ModelSwitches({
    read: () => readSwitches(database),
    onChange: () => background.add(renewed()),
    onError: warn('the switches of models could not be read; they stay as they were'),
  });
  const inForce = () => ({ ...live.now, configuration: switches.over(live.now.configuration) });
  const health = new HealthBook({ database, providers: live.providers, now: inForce, during: live.during, log });
  const client = new Client({
    connection,
    namespace,
    interceptors: { workflow: core.tracing?.client ?? [] },
    ...dataConverterOf(core.environment.temporal.codecKeys),
  });
  const checkTemporal = async () => {
    await connection.workflowService.getSystemInfo({});
  };
  const requests = new RequestRecorder({
    write: (group) => writeRequests(database, group),
    log,
    onLost: (count, reason) => core.meters.requests.countLostRecords(count, reason),
  });
  const bodies = new BodyRecorder({
    ...{ database, blobs: core.blobs, keys: core.secrets, log },
    settings: () => live.now.configuration.requestBodies,
    onLost: (count, reason) => core.meters.requests.countLostBodies(count, reason),
  });
  const fixed = {
    ...core,
    requests,
    bodies,
    during: live.during,
    news,
    starter: new TaskStarter(client, core.queues, { eager, tracing: core.tracing }),
    batchStarter: new BatchStarter(client, core.queues),
    auditRuns: new AuditRuns(client, core.queues),
    waitingTasks: new WaitingTasks({
      max: () => live.now.configuration.limits.waitingTasks,
      count: (most) => countTasksToStart(database, most),
      onError: warn('the tasks that wait to be started were not counted'),
    }),
    keys: new KeyCache(database, core.secrets.ledgerKeys, warn('the use of a key was not noted')),
    attempts: new Attempts(),
    callerAddress: callerAddress(core.environment.trustedProxies),
    corsOrigins: core.environment.corsOrigins,
    guard: core.guards.callers,
    health,
    refreshSwitches: () => switches.refresh(),
    owner,
    readiness: new Readiness({ database, blobs: core.blobs, checkTemporal, leaving: leaving.signal, isPrepared }),
    metrics,
    publicUrl: () => core.publicUrl,
    workflowUrl: (id: string) => uiUrl && `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${id}`,
    draining: draining.signal,
    background: background.add,
  };
  const made = (): ApiDependencies => ({ ...fixed, ...inForce(), written: live.now.configuration });
  let now = made();
  const renewed = () => {
    now = made();
    return health.reloaded();
  };
  const unfollow = live.follow({ replaced: renewed });
  const app = createApp(() => now);
  const partitions = new PartitionSupply(database, log, () => live.now.configuration.requestRetentionDays);
  const charges = new ChargeSumming(database, log);
  const closeParts = async () => {
    unfollow();
    await Promise.all([partitions.close(), charges.close()]);
    await requests.close();
    await within(backgroundMsMax, bodies.written(), () => undefined);
    await switches.close();
    health.close();
    await news.close();
    await owner.close();
  };
  const server = await openParts().catch(async (error: unknown) => {
    await closeParts();
    throw error;
  });
  showReadiness(core.meters.metrics, fixed.readiness);
  showApi(core.meters.metrics, { ...fixed, connections: () => server.connections() });
  if (core.publicUrl === '') core.publicUrl = localUrl(host, server.port);
  core.guards.addPublicUrl(core.publicUrl);
  await tellFact(database, 'public_url', core.publicUrl).catch(warn('the address for workers could not be written'));
  return {
    port: server.port,
    url: localUrl(host, server.port),
    async stop({ noticeMs, graceMs } = hurriedPace) {
      leaving.abort();
      await server.announce(noticeMs);
      draining.abort();
      news.releaseAll();
      const { brokenOff } = await server.close(graceMs, () => owner.endCalls());
      if (brokenOff > 0)
        log.warn({ count: brokenOff, graceMs }, 'answers were broken off, as they took too long to end');
      await settledWithin(backgroundMsMax, background, log);
      await closeParts();
    },
  };

  async function openParts() {
    await owner.open();
    await news.open();
    await switches.open();
    now = made();
    await health.open();
    const { balancers } = core.environment;
    return serve(app, { host, port, isBalancer: balancers.length === 0 ? undefined : addressList(balancers) });
  }
}

/** Waits for work that goes on; what a database that is away keeps longer is left to others: their scans and sweeps. */
async function settledWithin(ms: number, work: BackgroundWork, log: Logger): Promise<void> {
  await within(ms, work.ended(), () => undefined);
  if (work.size > 0) log.error({ left: work.size }, 'some work in the background could not be brought to its end');
}

const localUrl = (host: string, port: number): string =>
  `http://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
