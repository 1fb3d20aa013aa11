/** From settings to the concrete parts that every role stands on; the roles themselves are in `*-role.ts`. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { ActivityDependencies } from '../activities/index.ts';
import { resultBytesMax } from '../activities/store-result.ts';
import { type DownloadPace, downloadPaceDefault } from '../api/download-pace.ts';
import { memoryOfBody } from '../api/body/json-body.ts';
import { type Bounds, createConcurrencyLimits, type ConcurrencyLimits } from '../api/concurrency-limits.ts';
import { type DeliveryPace, standardPace } from '../domain/webhook-rules.ts';
import { fetchWindowMs, lostAfterMs } from '../domain/limits.ts';
import { fetchFile } from '../net/fetch-file.ts';
import { webhookPoster } from '../webhooks/post-webhook.ts';
import { type AddressGuards, addressGuards } from './address-guards.ts';
import { createChatProviders, createTaskProviders } from '../providers/registry.ts';
import type { ProviderDefinition, ProviderTools } from '../providers/definition.ts';
import type { TaskProvider } from '../providers/contract.ts';
import { type ProviderAddresses, providerAddresses } from '../tasks/provider-calls/provider-addresses.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Environment } from '../config/environment.ts';
import type { Settings } from '../config/load-settings.ts';
import { deriveKeys, type Secrets } from '../config/secrets.ts';
import { type Database, openDatabase, sqlState } from '../postgres/database.ts';
import { beginLog } from '../ledger/audit-log.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { agreeOn } from '../postgres/installation.ts';
import { createMeters, type Meters } from '../observability/metrics/meters.ts';
import { GroupCommitter } from '../ledger/commit/group-commit.ts';
import { CallLedger } from '../ledger/call-ledger.ts';
import { Ledger } from '../ledger/ledger.ts';
import { webhookSecrets } from '../webhooks/webhook-secrets.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import { queueNames, type QueueNames } from '../temporal/temporal-names.ts';
import { blobsOf } from './open-blob-store.ts';
import { checkCurrency } from './check-currency.ts';
import { checkSecret } from './check-secret.ts';
import { logsClock } from './clock-log.ts';
import { eventData } from './event-data.ts';
import { LiveConfiguration } from './live-configuration.ts';
import { meterTaskCalls } from './provider-calls/meter-calls.ts';
import { traceChatProviders, traceTaskCalls } from './provider-calls/trace-calls.ts';
import { tracedPost, tracingOf } from './start-tracing.ts';
import { measuredBlobs } from './measured-blob-store.ts';
import { countRefusals, showFigures } from './scraped-gauges.ts';
import { version } from '../version.ts';

const inputBytesMax = 500 * 1024 * 1024;
const inputMsMax = 300_000;
const resultMsMax = 3_600_000;
const downloadsAtOnce = 16;
const dayMs = 86_400_000;
/** PostgreSQL's `undefinedTable`. */
const undefinedTable = '42P01';

/** What every role stands on. */
export interface Core {
  environment: Environment;
  /** What `tollgate.yaml` says, and the adapters of it. */
  live: LiveConfiguration;
  database: Database;
  ledger: Ledger;
  ledgerKeys: readonly Buffer[];
  /** ISO 4217; of all amounts, for good. */
  currency: string;
  calls: CallLedger;
  blobs: BlobStore;
  secrets: Secrets;
  guards: AddressGuards;
  /** Those of `live`. */
  providers: ReadonlyMap<string, TaskProvider>;
  limits: ActivityDependencies['limits'];
  variables: ActivityDependencies['variables'];
  addresses: ProviderAddresses;
  downloads: ActivityDependencies['downloads'];
  webhooks: ActivityDependencies['webhooks'];
  queues: QueueNames;
  log: Logger;
  /** Undefined: there are no traces. */
  tracing: Tracing | undefined;
  /** The address that callers use; known once the server listens. */
  publicUrl: string;
  fetchWindowMs: number;
  lostAfterMs: number;
  /** How long results are kept, as configured at the moment of asking. */
  retentionMs: () => number;
  concurrencyLimits: ConcurrencyLimits;
  downloadPace: DownloadPace;
  /** What this process counts, and shows under `/metrics`. */
  meters: Meters;
  close(): Promise<void>;
}

export interface CoreOptions {
  databaseUrl: string;
  secretTexts: readonly string[];
  log: Logger;
  /** Prefix of the task queues; without it, the one that this database's processes have agreed on. */
  queuePrefix?: string;
  fetchWindowMs?: number;
  lostAfterMs?: number;
  /** How long results are kept whatever is configured; tests make it short. */
  retentionMs?: () => number;
  /** How long after a commit its rows are trusted; tests make it long. */
  trustedMs?: number;
  /** How long a provider is kept at least that a reload has removed; tests make it short. */
  leavingMs?: number;
  /** What there may be at once; tests make it small. */
  bounds?: Partial<Bounds>;
  /** How fast callers must read stored files. */
  downloadPace?: Partial<DownloadPace>;
  /** How webhooks are tried again; tests make it short. */
  deliveryPace?: DeliveryPace;
  /** The kinds of provider that there are; the registry's without. */
  kinds?: readonly ProviderDefinition[];
}

/** Opens database, ledger, blob store and providers. Refuses a database that was signed under another secret, and one whose books are in another currency. */
export async function openCore(settings: Settings, options: CoreOptions): Promise<Core> {
  const { environment, configuration } = settings;
  const { log } = options;
  const tracing = await tracingOf(settings, log);
  const secrets = deriveKeys(options.secretTexts);
  const blobs = await blobsOf(environment);
  const database = openDatabase(options.databaseUrl, {
    onIdleError: (err) => log.warn({ err }, 'an idle database connection broke'),
  });
  const meters = createMeters();
  const groups = new GroupCommitter(database, secrets.first.ledger, options.trustedMs, logsClock(meters.ledger, log));
  const guards = addressGuards(environment, baseUrlsOf(configuration));
  const tools = providerTools(guards, environment);
  const live = new LiveConfiguration(configuration, {
    database,
    makeTasks: (providers) => createTaskProviders(providers, tools, options.kinds),
    makeChat: (providers) => traceChatProviders(tracing, createChatProviders(providers, options.kinds)),
    layersOf: (name) => [meterTaskCalls(meters.providers, name), ...(tracing ? [traceTaskCalls(tracing, name)] : [])],
    log,
    ...(options.leavingMs !== undefined && { leavingMs: options.leavingMs }),
  });
  // One that the settings name no more may be named by a task under way.
  const variables = { ...configuration.variables };
  live.follow({
    replaced: () => {
      Object.assign(variables, live.now.configuration.variables);
      guards.addProviders(baseUrlsOf(live.now.configuration));
      return Promise.resolve();
    },
  });
  let queuePrefix: string;
  try {
    await checkSecret(database, secrets);
    await checkCurrency(database, configuration.currency);
    await beginLog(database, secrets.first.ledger);
    queuePrefix = options.queuePrefix ?? (await agreedPrefix(database));
  } catch (error) {
    await database.close();
    if (sqlState(error) === undefinedTable)
      throw new Error("The database has no tables yet. Run 'npx tollgate migrate' first.", { cause: error });
    throw error;
  }
  const downloads = pLimit(downloadsAtOnce);
  const core: Core = {
    environment,
    live,
    database,
    ledger: new Ledger(groups),
    ledgerKeys: secrets.ledgerKeys,
    currency: configuration.currency,
    calls: new CallLedger(groups),
    blobs: measuredBlobs(blobs, meters.blobs),
    secrets,
    guards,
    providers: live.providers,
    limits: (provider) => live.settingsOf(provider) ?? {},
    variables: () => variables,
    addresses: providerAddresses({ publicUrl: () => core.publicUrl, secrets }),
    downloads,
    webhooks: {
      post: tracing ? tracedPost(tracing, webhookPoster(guards.callers)) : webhookPoster(guards.callers),
      dataOf: eventData({ database, secrets, publicUrl: () => core.publicUrl, currency: configuration.currency }),
      secrets: (account) => webhookSecrets(database, secrets, account),
      pace: options.deliveryPace ?? standardPace,
    },
    queues: queueNames(queuePrefix),
    log,
    tracing,
    publicUrl: environment.publicUrl ?? '',
    fetchWindowMs: options.fetchWindowMs ?? fetchWindowMs,
    lostAfterMs: options.lostAfterMs ?? lostAfterMs,
    downloadPace: { ...downloadPaceDefault, ...options.downloadPace },
    retentionMs: options.retentionMs ?? (() => live.now.configuration.retentionDays * dayMs),
    concurrencyLimits: createConcurrencyLimits(options.bounds, memoryOfBody(configuration.limits.jsonBytes)),
    meters,
    async close() {
      try {
        await groups.drained();
        await live.close();
        blobs.close();
        await database.close();
      } finally {
        await tracing?.close(); // with what happened until then
      }
    },
  };
  countRefusals(meters.metrics, core.concurrencyLimits);
  showFigures({
    metrics: meters.metrics,
    database,
    ledgerKeys: secrets.ledgerKeys,
    currency: configuration.currency,
    groups,
    dataDir: environment.dataDir,
    downloads,
    version,
    waitingTasksMax: () => live.now.configuration.limits.waitingTasks,
    warn: (part, err) => log.warn({ err, part }, 'figures are missing in /metrics'),
  });
  return core;
}

const providerTools = (guards: AddressGuards, { dataDir }: Environment): ProviderTools => ({
  fetchFile: (url, param) =>
    fetchFile(url, {
      guard: guards.callers,
      param,
      bytesMax: inputBytesMax,
      timeoutMs: inputMsMax,
      signal: AbortSignal.timeout(inputMsMax),
    }),
  fetchResult: (url, signal) =>
    fetchFile(url, { guard: guards.results, bytesMax: resultBytesMax, timeoutMs: resultMsMax, signal }),
  tempDir: tempDirOf(dataDir),
});

/** Where providers keep what they work on. */
export const tempDirOf = (dataDir: string): string => join(resolve(dataDir), 'tmp');

const baseUrlsOf = ({ providers }: Configuration): string[] =>
  [...providers.values()].flatMap(({ baseUrl }) => baseUrl ?? []);

/** Two gateways on one Temporal namespace must not work on each other's queues, so each database has names of its own. */
const agreedPrefix = (database: Database): Promise<string> =>
  agreeOn(database, 'queue_prefix', `tollgate-${randomBytes(6).toString('hex')}`);
