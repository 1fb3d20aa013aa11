/** From settings to the concrete parts: the only file that makes them. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { Client, type ConnectionLike } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { ActivityDependencies } from './activities/index.ts';
import { release } from './activities/end.ts';
import { createApp } from './api/app.ts';
import { HealthBook } from './api/health/health-book.ts';
import { Readiness } from './api/health/readiness.ts';
import { KeyCache } from './api/keys/key-cache.ts';
import { serve } from './api/server.ts';
import { fetchFile } from './net/fetch-file.ts';
import { AddressGuard } from './net/public-hosts.ts';
import { createChatProviders, createTaskProviders, routesWithoutAdapter } from './providers/registry.ts';
import type { ChatProvider } from './providers/chat-contract.ts';
import type { TaskProvider } from './providers/contract.ts';
import type { Settings } from './settings/load.ts';
import { deriveKeys, type Secrets } from './settings/secrets.ts';
import { SettingsError } from './settings/mistakes.ts';
import type { BlobStore } from './storage/blobs.ts';
import { type Database, openDatabase, sqlState } from './storage/database.ts';
import { createFileBlobs } from './storage/file-blobs.ts';
import { agreeOn } from './storage/installation.ts';
import { LedgerGroups } from './storage/ledger/group.ts';
import { CallLedger } from './storage/ledger/calls.ts';
import { Ledger } from './storage/ledger/ledger.ts';
import { Owner } from './storage/ledger/sweep.ts';
import { TaskNews } from './storage/task-news.ts';
import { loadTokenizer } from './tokens/count-tokens.ts';
import { queueNames, type QueueNames } from './temporal/names.ts';
import { registerSearchAttributes } from './temporal/search-attributes.ts';
import { StartScan } from './temporal/start-scan.ts';
import { TaskStarter } from './temporal/task-starter.ts';
import { startWorkers } from './temporal/worker.ts';

const fetch_window_ms = 600_000;
const input_bytes_max = 500 * 1024 * 1024;
const input_ms_max = 300_000;
/** PostgreSQL's `undefined_table`. */
const undefined_table = '42P01';

/** What every role stands on. */
export interface Core {
  settings: Settings;
  database: Database;
  ledger: Ledger;
  calls: CallLedger;
  blobs: BlobStore;
  secrets: Secrets;
  guard: AddressGuard;
  providers: ReadonlyMap<string, TaskProvider>;
  chatProviders: ReadonlyMap<string, ChatProvider>;
  queues: QueueNames;
  log: Logger;
  /** The address that callers use; known once the server listens. */
  publicUrl: string;
  fetchWindowMs: number;
  close(): Promise<void>;
}

export interface CoreOptions {
  databaseUrl: string;
  secretTexts: readonly string[];
  log: Logger;
  /** Prefix of the task queues; without it, the one that this database's processes have agreed on. */
  queuePrefix?: string;
  fetchWindowMs?: number;
}

/** Opens database, ledger, blob store and providers. Refuses a database that was signed under another secret. */
export async function openCore(settings: Settings, options: CoreOptions): Promise<Core> {
  const { environment, configuration } = settings;
  const { log } = options;
  if (environment.s3)
    throw new SettingsError(['S3_BUCKET: this version keeps results in files below TOLLGATE_DATA_DIR only']);
  const missing = routesWithoutAdapter(configuration.models.values(), configuration.providers);
  if (missing.length > 0) throw new SettingsError(missing);
  const secrets = deriveKeys(options.secretTexts);
  const database = openDatabase(options.databaseUrl, {
    onIdleError: (err) => log.warn({ err }, 'an idle database connection broke'),
  });
  const groups = new LedgerGroups(database, secrets.first.ledger);
  const guard = new AddressGuard({
    allowPrivate: environment.allowPrivateUrls,
    allowedOrigins: [
      environment.publicUrl,
      ...[...configuration.providers.values()].map(({ baseUrl }) => baseUrl),
    ].filter((url) => url !== undefined),
  });
  const chatProviders = createChatProviders(configuration.providers);
  const providers = createTaskProviders(configuration.providers, {
    fetchFile: (url, param) =>
      fetchFile(url, {
        guard,
        param,
        bytesMax: input_bytes_max,
        timeoutMs: input_ms_max,
        signal: AbortSignal.timeout(input_ms_max),
      }),
    tempDir: join(resolve(environment.dataDir), 'tmp'),
  });
  let queuePrefix: string;
  try {
    await checkSecret(database, secrets);
    queuePrefix = options.queuePrefix ?? (await agreedPrefix(database));
  } catch (error) {
    await database.close();
    if (sqlState(error) === undefined_table)
      throw new Error("The database has no tables yet. Run 'npx tollgate migrate' first.", { cause: error });
    throw error;
  }
  return {
    settings,
    database,
    ledger: new Ledger(groups),
    calls: new CallLedger(groups),
    blobs: createFileBlobs(join(resolve(environment.dataDir), 'blobs')),
    secrets,
    guard,
    providers,
    chatProviders,
    queues: queueNames(queuePrefix),
    log,
    publicUrl: environment.publicUrl ?? '',
    fetchWindowMs: options.fetchWindowMs ?? fetch_window_ms,
    async close() {
      await groups.drained();
      for (const provider of [...providers.values(), ...chatProviders.values()]) await provider.close?.();
      await database.close();
    },
  };
}

/** Two gateways on one Temporal namespace must not work on each other's queues, so each database has names of its own. */
const agreedPrefix = (database: Database): Promise<string> =>
  agreeOn(database, 'queue_prefix', `tollgate-${randomBytes(6).toString('hex')}`);

/** The ledger's chain and all links are signed: a process with another secret would only do harm. */
async function checkSecret(database: Database, { all, fingerprint }: Secrets): Promise<void> {
  const known = await agreeOn(database, 'secret_fingerprint', fingerprint);
  if (all.some(({ id }) => id === known)) return;
  throw new SettingsError(['TOLLGATE_SECRET: this database was signed under another secret; add that one to the list']);
}

export interface Role {
  stop(): Promise<void>;
}

/** Runs the workers, and the scans that see to it that every accepted task has a workflow. */
export async function startWorkerRole(
  core: Core,
  connection: NativeConnection,
  namespace: string,
): Promise<Role & { done: Promise<void> }> {
  const deps: ActivityDependencies = core;
  await registerSearchAttributes(connection, namespace).catch((error: unknown) => {
    core.log.warn({ err: error }, 'the search attributes could not be registered; an operator may have to');
  });
  const workers = await startWorkers(connection, namespace, core.queues, deps);
  const starter = new TaskStarter(new Client({ connection, namespace }), core.queues, { eager: false });
  const scan = new StartScan({
    database: core.database,
    starter,
    release: (args) => release(deps, args),
    log: core.log,
  });
  return {
    done: workers.done,
    async stop() {
      await scan.close();
      await workers.stop();
    },
  };
}

export interface ApiRole extends Role {
  port: number;
  url: string;
}

/** Serves the API until it is stopped; stopping lets running requests end, waiting ones with their 202. */
export async function startApiRole(
  core: Core,
  connection: ConnectionLike,
  namespace: string,
  { eager, isPrepared = () => true }: { eager: boolean; isPrepared?: () => boolean },
): Promise<ApiRole> {
  const { settings, database, log } = core;
  const { host, port } = settings.environment;
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
  const health = new HealthBook({
    database,
    providers: new Map<string, Pick<TaskProvider, 'probe'>>([...core.chatProviders, ...core.providers]),
    configuration: settings.configuration,
    log,
  });
  const client = new Client({ connection, namespace });
  const checkTemporal = async () => {
    await connection.workflowService.getSystemInfo({});
  };
  const app = createApp({
    ...core,
    configuration: settings.configuration,
    news,
    starter: new TaskStarter(client, core.queues, { eager }),
    keys: new KeyCache(database, warn('the use of a key was not noted')),
    health,
    owner,
    readiness: new Readiness({ database, blobs: core.blobs, checkTemporal, draining: draining.signal, isPrepared }),
    publicUrl: () => core.publicUrl,
    draining: draining.signal,
    background: (work) => {
      const tracked = work.catch(warn('work in the background failed')).finally(() => background.delete(tracked));
      background.add(tracked);
    },
  });
  const closeParts = async () => {
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
  return {
    port: server.port,
    url: localUrl(host, server.port),
    async stop() {
      draining.abort();
      await server.stop(10_000);
      await Promise.all(background);
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

const localUrl = (host: string, port: number): string =>
  `http://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
