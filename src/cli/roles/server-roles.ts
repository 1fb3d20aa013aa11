/** One role each, for production: from the start to SIGTERM. */
import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { runningPostgres } from '../../embedded/postgres-server.ts';
import { runningTemporal } from '../../embedded/temporal-server.ts';
import { hashPassword } from '../../api/console/passwords.ts';
import { createLog } from '../../observability/logging/log.ts';
import { Mask } from '../../observability/logging/mask.ts';
import { providerKinds } from '../../providers/registry.ts';
import { knownSecrets } from '../../config/known-secrets.ts';
import { loadSettings, type Settings } from '../../config/load-settings.ts';
import { SettingsError } from '../../config/setting-errors.ts';
import { loadOrMakeSecret } from '../../config/secrets.ts';
import { bootstrap } from '../../accounts/bootstrap.ts';
import { type CoreMetrics, installMeasuredRuntime } from '../../temporal/core-metrics.ts';
import { installTemporalRuntime } from '../../temporal/runtime.ts';
import { servingConnection } from '../../temporal/connection.ts';
import { checkTemporal } from '../../temporal/connection-errors.ts';
import { workerConnection } from '../../temporal/worker-connection.ts';
import { unnamedRatesOf } from '../../domain/billing/unnamed-rates.ts';
import { type Core, openCore } from '../../runtime/parts.ts';
import { startApiRole } from '../../runtime/api-role.ts';
import { joinSupervisor } from '../../runtime/api-processes/supervised.ts';
import { showTemporal } from '../../runtime/scraped-gauges.ts';
import { openWorkerEndpoint } from '../../runtime/worker-endpoint.ts';
import { startWorkerRole } from '../../runtime/worker-role.ts';
import { rereadAtHangup } from './reread-settings.ts';
import { stopSignal } from '../stop-signal.ts';

/** Serves the API until it is asked to stop. Raises a SettingsError when it can't find the servers that it needs. */
export const runApi = (): Promise<void> =>
  withCore(async ({ settings, core, outside, asked, isUp }) => {
    await bootstrapIfWished(settings, core);
    const connection = await servingConnection(outside);
    // Not waited for: it serves chat without.
    void checkTemporal(connection, outside).catch((error: unknown) =>
      core.log.error({ err: error }, 'Temporal is not there'),
    );
    const supervised = joinSupervisor(core.meters.metrics);
    const { metrics } = supervised ?? {};
    const api = await startApiRole(core, connection, outside.namespace, { eager: false, metrics });
    isUp();
    if (supervised) supervised.becomeUp(api.url);
    else core.log.info({ address: api.url }, 'the API listens');
    warnOfUnnamedRates(core);
    const orphaned = supervised?.orphaned.then(() => core.log.error('the supervising process has died'));
    await Promise.race([asked, ...(orphaned ? [orphaned] : [])]);
    core.log.info('stopping');
    await api.stop(settings.environment.drain);
    await connection.close();
  });

function warnOfUnnamedRates({ live, log }: Core): void {
  const { models, providers } = live.now.configuration;
  const unnamed = unnamedRatesOf(models.values(), providers, providerKinds);
  if (unnamed.length > 0)
    log.warn({ unnamed }, 'prices leave out tokens that their providers count apart: they cost what plain ones do');
}

/** Runs tasks until it is asked to stop. Raises a SettingsError when it can't find the servers that it needs. */
export const runWorker = (): Promise<void> =>
  withCore(
    async ({ settings, core, outside, asked, isUp }) => {
      const connection = await workerConnection(outside);
      const { workerPort } = settings.environment;
      const endpoint = workerPort === undefined ? undefined : await openWorkerEndpoint(core, connection, workerPort);
      const worker = await startWorkerRole(core, connection, outside.namespace);
      core.log.info({ port: endpoint?.port }, 'the worker runs');
      endpoint?.becomeReady();
      isUp();
      await Promise.race([asked, worker.done]);
      core.log.info('stopping');
      endpoint?.leave();
      await worker.stop();
      await endpoint?.close();
      await connection.close();
    },
    { hasWorkers: true },
  );

type Outside = Awaited<ReturnType<typeof outsideOf>>;

/** The servers that a role works with: those of the settings, or of a gateway that runs on the data folder. */
async function outsideOf({ environment }: Settings) {
  const dataDir = resolve(environment.dataDir);
  const databaseUrl = environment.databaseUrl ?? (await runningPostgres({ dataDir }).catch(() => undefined));
  const address = environment.temporal.address ?? (await runningTemporal(dataDir))?.address;
  const missing = [
    databaseUrl === undefined
      ? `DATABASE_URL: is not set, and no gateway is running on ${environment.dataDir}`
      : undefined,
    address === undefined
      ? `TEMPORAL_ADDRESS: is not set, and no gateway is running on ${environment.dataDir}`
      : undefined,
  ].filter((line) => line !== undefined);
  if (databaseUrl === undefined || address === undefined) throw new SettingsError(missing);
  const secretTexts = environment.secrets ?? [await loadOrMakeSecret(dataDir)];
  return { ...environment.temporal, databaseUrl, address, secretTexts };
}

/**
 * Lends what every role stands on, and closes it afterwards. `asked` resolves when the process is asked to stop; once
 * `isUp` was called, SIGHUP has the configuration read again.
 */
async function withCore(
  use: (tools: {
    settings: Settings;
    core: Core;
    outside: Outside;
    asked: Promise<unknown>;
    isUp: () => void;
  }) => Promise<void>,
  { hasWorkers = false } = {},
) {
  const settings = await loadSettings(process.env, process.cwd(), providerKinds);
  const mask = new Mask(knownSecrets(settings));
  const log = createLog(settings.environment.logLevel, { mask, hasPid: cluster.isWorker });
  let coreMetrics: CoreMetrics | undefined;
  if (hasWorkers) coreMetrics = await installMeasuredRuntime(log);
  else installTemporalRuntime(log);
  const asked = stopSignal();
  const reread = rereadAtHangup(log, mask);
  const outside = await outsideOf(settings);
  const core = await openCore(settings, { ...outside, log });
  if (coreMetrics) showTemporal(core.meters.metrics, coreMetrics, log);
  try {
    await use({ settings, core, outside, asked, isUp: () => reread(core, settings) });
  } finally {
    await core.close();
  }
}

/** A server's output, printed once, may never be read: it makes a demo account only for a key or password that the operator chose. */
async function bootstrapIfWished({ environment }: Settings, core: Core): Promise<void> {
  if (environment.bootstrap.key === undefined && environment.bootstrap.password === undefined) return;
  const made = await bootstrap(
    { ...core, ledgerKey: core.secrets.first.ledger, hashPassword, makesUp: false },
    environment.bootstrap,
  );
  if (made?.secret !== undefined) core.log.info({ account: made.account }, 'made the demo account');
  if (made?.login) core.log.info({ account: made.account }, 'made its owner, who is the operator');
}
