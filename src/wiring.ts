/** From settings to the concrete parts: the only file that makes them. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { Client, type ConnectionLike } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { ActivityDependencies, WorkerDependencies } from './activities/index.ts';
import { release } from './activities/end.ts';
import { result_bytes_max } from './activities/store-result.ts';
import { createApp } from './api/app.ts';
import type { ApiDependencies } from './api/dependencies.ts';
import { type Bounds, boundsDefault, createGates, type Gates } from './api/gates.ts';
import { HealthBook } from './api/health/health-book.ts';
import { Readiness } from './api/health/readiness.ts';
import { KeyCache } from './api/keys/key-cache.ts';
import { WaitingTasks } from './api/tasks/waiting-tasks.ts';
import { serve } from './api/server.ts';
import { type DeliveryPace, standardPace } from './domain/webhooks.ts';
import { fetchWindowMs } from './domain/limits.ts';
import { fetchFile } from './net/fetch-file.ts';
import { webhookPoster } from './net/post-webhook.ts';
import { AddressGuard } from './net/public-hosts.ts';
import { createChatProviders, createTaskProviders } from './providers/registry.ts';
import type { ProviderDefinition, ProviderTools } from './providers/definition.ts';
import type { TaskProvider } from './providers/contract.ts';
import { type ProviderAddresses, providerAddresses } from './storage/provider-addresses.ts';
import type { Configuration } from './settings/configuration.ts';
import type { DrainPace, Environment } from './settings/environment.ts';
import type { Settings } from './settings/load.ts';
import { deriveKeys, type Secrets } from './settings/secrets.ts';
import { SettingsError } from './settings/mistakes.ts';
import { type Database, openDatabase, sqlState } from './storage/database.ts';
import { beginLog } from './storage/acts.ts';
import type { FileBlobs } from './storage/file-blobs.ts';
import { agreeOn, tellFact } from './storage/installation.ts';
import { LedgerGroups } from './storage/ledger/group.ts';
import { CallLedger } from './storage/ledger/calls.ts';
import { Ledger } from './storage/ledger/ledger.ts';
import { Owner } from './storage/ledger/sweep.ts';
import { TaskNews } from './storage/task-news.ts';
import { countTasksToStart } from './storage/tasks.ts';
import { webhookSecrets } from './storage/webhook-secrets.ts';
import { loadTokenizer } from './tokens/count-tokens.ts';
import { ensureAuditSchedule } from './temporal/audit-schedule.ts';
import { EventScan } from './temporal/event-scan.ts';
import { queueNames, type QueueNames } from './temporal/names.ts';
import { ensureRetainSchedule } from './temporal/retain-schedule.ts';
import { registerSearchAttributes } from './temporal/search-attributes.ts';
import { StartScan } from './temporal/start-scan.ts';
import { TaskStarter } from './temporal/task-starter.ts';
import { startWorkers } from './temporal/worker.ts';
import { auditEverything } from './wiring/audit.ts';
import { createMetrics } from './wiring/metrics.ts';
import { blobsOf } from './wiring/blob-store.ts';
import { checkSecret } from './wiring/check-secret.ts';
import { removeLeftovers } from './wiring/leftovers.ts';
import { eventData } from './wiring/event-data.ts';
import { LiveConfiguration } from './wiring/live-configuration.ts';

const input_bytes_max = 500 * 1024 * 1024;
const input_ms_max = 300_000;
const result_ms_max = 3_600_000;
const downloads_at_once = 16;
const day_ms = 86_400_000;
/** What is booked after its answer; a database that answers has done that long before. */
const background_ms_max = 15_000;
/** PostgreSQL's `undefined_table`. */
const undefined_table = '42P01';

/** What every role stands on. */
export interface Core {
  environment: Environment;
  /** What `tollgate.yaml` says, and the adapters of it. */
  live: LiveConfiguration;
  database: Database;
  ledger: Ledger;
  calls: CallLedger;
  blobs: FileBlobs;
  secrets: Secrets;
  guard: AddressGuard;
  /** Those of `live`. */
  providers: ReadonlyMap<string, TaskProvider>;
  limits: ActivityDependencies['limits'];
  addresses: ProviderAddresses;
  downloads: ActivityDependencies['downloads'];
  webhooks: ActivityDependencies['webhooks'];
  queues: QueueNames;
  log: Logger;
  /** The address that callers use; known once the server listens. */
  publicUrl: string;
  fetchWindowMs: number;
  /** How long results are kept, as configured at the moment of asking. */
  retentionMs: () => number;
  gates: Gates;
  close(): Promise<void>;
}

export interface CoreOptions {
  databaseUrl: string;
  secretTexts: readonly string[];
  log: Logger;
  /** Prefix of the task queues; without it, the one that this database's processes have agreed on. */
  queuePrefix?: string;
  fetchWindowMs?: number;
  /** How long results are kept whatever is configured; tests make it short. */
  retentionMs?: () => number;
  /** How long after a commit its rows are trusted; tests make it long. */
  trustedMs?: number;
  /** How long a provider is kept at least that a reload has removed; tests make it short. */
  leavingMs?: number;
  /** What there may be at once; tests make it small. */
  bounds?: Partial<Bounds>;
  /** How webhooks are tried again; tests make it short. */
  deliveryPace?: DeliveryPace;
  /** The kinds of provider that there are; the registry's without. */
  kinds?: readonly ProviderDefinition[];
}

/** Opens database, ledger, blob store and providers. Refuses a database that was signed under another secret. */
export async function openCore(settings: Settings, options: CoreOptions): Promise<Core> {
  const { environment, configuration } = settings;
  const { log } = options;
  if (environment.s3)
    throw new SettingsError(['S3_BUCKET: this version keeps results in files below TOLLGATE_DATA_DIR only']);
  const secrets = deriveKeys(options.secretTexts);
  const database = openDatabase(options.databaseUrl, {
    onIdleError: (err) => log.warn({ err }, 'an idle database connection broke'),
  });
  const groups = new LedgerGroups(database, secrets.first.ledger, options.trustedMs);
  const guard = new AddressGuard({
    allowPrivate: environment.allowPrivateUrls,
    allowedOrigins: [
      ...(environment.publicUrl === undefined ? [] : [environment.publicUrl]),
      ...baseUrlsOf(configuration),
    ],
  });
  const tools = providerTools(guard, environment);
  const live = new LiveConfiguration(configuration, {
    database,
    makeTasks: (providers) => createTaskProviders(providers, tools, options.kinds),
    makeChat: (providers) => createChatProviders(providers, options.kinds),
    log,
    ...(options.leavingMs !== undefined && { leavingMs: options.leavingMs }),
  });
  live.follow({
    replaced: () => {
      for (const url of baseUrlsOf(live.now.configuration)) guard.allow(url);
      return Promise.resolve();
    },
  });
  let queuePrefix: string;
  try {
    await checkSecret(database, secrets);
    await beginLog(database, secrets.first.ledger);
    queuePrefix = options.queuePrefix ?? (await agreedPrefix(database));
  } catch (error) {
    await database.close();
    if (sqlState(error) === undefined_table)
      throw new Error("The database has no tables yet. Run 'npx tollgate migrate' first.", { cause: error });
    throw error;
  }
  const core: Core = {
    environment,
    live,
    database,
    ledger: new Ledger(groups),
    calls: new CallLedger(groups),
    blobs: blobsOf(environment),
    secrets,
    guard,
    providers: live.providers,
    limits: (provider) => live.settingsOf(provider) ?? {},
    addresses: providerAddresses({ publicUrl: () => core.publicUrl, secrets }),
    downloads: pLimit(downloads_at_once),
    webhooks: {
      post: webhookPoster(guard),
      dataOf: eventData({ database, secrets, publicUrl: () => core.publicUrl }),
      secrets: (account) => webhookSecrets(database, secrets, account),
      pace: options.deliveryPace ?? standardPace,
    },
    queues: queueNames(queuePrefix),
    log,
    publicUrl: environment.publicUrl ?? '',
    fetchWindowMs: options.fetchWindowMs ?? fetchWindowMs,
    retentionMs: options.retentionMs ?? (() => live.now.configuration.retentionDays * day_ms),
    gates: createGates({
      // The largest body that the settings allow always fits.
      bodyBytes: Math.max(boundsDefault.bodyBytes, configuration.limits.jsonBytes),
      ...options.bounds,
    }),
    async close() {
      await groups.drained();
      await live.close();
      await database.close();
    },
  };
  return core;
}

const providerTools = (guard: AddressGuard, { dataDir }: Environment): ProviderTools => ({
  fetchFile: (url, param) =>
    fetchFile(url, {
      guard,
      param,
      bytesMax: input_bytes_max,
      timeoutMs: input_ms_max,
      signal: AbortSignal.timeout(input_ms_max),
    }),
  fetchResult: (url, signal) => fetchFile(url, { guard, bytesMax: result_bytes_max, timeoutMs: result_ms_max, signal }),
  tempDir: tempDirOf(dataDir),
});

/** Where providers keep what they work on. */
const tempDirOf = (dataDir: string): string => join(resolve(dataDir), 'tmp');

const baseUrlsOf = ({ providers }: Configuration): string[] =>
  [...providers.values()].flatMap(({ baseUrl }) => baseUrl ?? []);

/** Two gateways on one Temporal namespace must not work on each other's queues, so each database has names of its own. */
const agreedPrefix = (database: Database): Promise<string> =>
  agreeOn(database, 'queue_prefix', `tollgate-${randomBytes(6).toString('hex')}`);

export interface Role {
  stop(): Promise<void>;
}

/** Runs the workers, and the scans that see to it that every accepted task has a workflow. */
export async function startWorkerRole(
  core: Core,
  connection: NativeConnection,
  namespace: string,
): Promise<Role & { done: Promise<void> }> {
  const client = new Client({ connection, namespace });
  const deps: WorkerDependencies = {
    ...core,
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
  const starter = new TaskStarter(client, core.queues, { eager: false });
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

export interface ApiRole {
  port: number;
  url: string;
  /** In a hurry without a pace: as suits a gateway that nothing stands in front of. */
  stop(pace?: DrainPace): Promise<void>;
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
  { eager, isPrepared = () => true }: { eager: boolean; isPrepared?: () => boolean },
): Promise<ApiRole> {
  const { database, live, log } = core;
  const { host, port } = core.environment;
  const leaving = new AbortController();
  const draining = new AbortController();
  const background = new Set<Promise<unknown>>();
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const news = new TaskNews(database, warn('the news of final tasks are cut off'));
  const owner = new Owner({
    database,
    calls: core.calls,
    onError: warn('the lease on holds of calls could not be kept'),
    onSwept: ({ requestId, transferId }) =>
      log.warn({ requestId, transferId }, 'released the hold of a process that died'),
  });
  const health = new HealthBook({ database, providers: live.providers, now: () => live.now, during: live.during, log });
  const client = new Client({ connection, namespace });
  const checkTemporal = async () => {
    await connection.workflowService.getSystemInfo({});
  };
  const fixed = {
    ...core,
    during: live.during,
    news,
    starter: new TaskStarter(client, core.queues, { eager }),
    waitingTasks: new WaitingTasks({
      max: () => live.now.configuration.limits.waitingTasks,
      count: (most) => countTasksToStart(database, most),
      onError: warn('the tasks that wait to be started were not counted'),
    }),
    keys: new KeyCache(database, warn('the use of a key was not noted')),
    health,
    owner,
    readiness: new Readiness({ database, blobs: core.blobs, checkTemporal, leaving: leaving.signal, isPrepared }),
    metrics: createMetrics(database, warn('the last audit could not be read for /metrics')),
    publicUrl: () => core.publicUrl,
    draining: draining.signal,
    background: (work: Promise<unknown>) => {
      const tracked = work.catch(warn('work in the background failed')).finally(() => background.delete(tracked));
      background.add(tracked);
    },
  };
  let now: ApiDependencies = { ...fixed, ...live.now };
  const unfollow = live.follow({
    replaced: () => {
      now = { ...fixed, ...live.now };
      return health.reloaded();
    },
  });
  const app = createApp(() => now);
  const closeParts = async () => {
    unfollow();
    health.close();
    await news.close();
    await owner.close();
  };
  const server = await openParts().catch(async (error: unknown) => {
    await closeParts();
    throw error;
  });
  if (core.publicUrl === '') core.publicUrl = localUrl(host, server.port);
  core.guard.allow(core.publicUrl);
  await tellFact(database, 'public_url', core.publicUrl).catch(warn('workers could not be told the address'));
  return {
    port: server.port,
    url: localUrl(host, server.port),
    async stop({ noticeMs, graceMs } = hurriedPace) {
      leaving.abort();
      await server.announce(noticeMs);
      draining.abort();
      const { brokenOff } = await server.close(graceMs, () => owner.endCalls());
      if (brokenOff > 0)
        log.warn({ count: brokenOff, graceMs }, 'answers were broken off, as they took too long to end');
      await settledWithin(background_ms_max, background, log);
      await closeParts();
    },
  };

  async function openParts() {
    await Promise.all([owner.open(), loadTokenizer()]); // later it would hold up streams for a quarter of a second
    await news.open();
    await health.open();
    return serve(app, { host, port });
  }
}

/** Waits for work that goes on; what a database that is away keeps longer is left to others: their scans and sweeps. */
async function settledWithin(ms: number, work: ReadonlySet<Promise<unknown>>, log: Logger): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  const whole = async () => {
    while (work.size > 0) await Promise.all(work);
  };
  await Promise.race([whole(), late]);
  clearTimeout(timer);
  if (work.size > 0) log.error({ left: work.size }, 'some work in the background could not be brought to its end');
}

const localUrl = (host: string, port: number): string =>
  `http://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
