/** `tollgate api`, `worker` and `migrate`: one role each, for production. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { runningPostgres } from '../../embedded/postgres-server.ts';
import { runningTemporal } from '../../embedded/temporal-server.ts';
import { createLog } from '../../log.ts';
import { loadSettings, type Settings } from '../../settings/load.ts';
import { SettingsError } from '../../settings/mistakes.ts';
import { loadOrMakeSecret } from '../../settings/secrets.ts';
import { migrateDatabase } from '../../storage/database.ts';
import { installTemporalRuntime } from '../../temporal/runtime.ts';
import { lazyConnection, openCore, startApiRole, startWorkerRole, workerConnection } from '../../wiring.ts';
import { print } from '../output.ts';
import { stopSignal } from '../stop-signal.ts';

export function addServerCommands(program: Command): void {
  program
    .command('api')
    .description('serve the API; uses DATABASE_URL and TEMPORAL_ADDRESS, or a gateway that runs on the data folder')
    .action(runApi);
  program
    .command('worker')
    .description('run tasks; uses DATABASE_URL and TEMPORAL_ADDRESS, or a gateway that runs on the data folder')
    .action(runWorker);
  program
    .command('migrate')
    .description('bring the database up to date; safe to run from several processes at once')
    .action(async () => {
      const { databaseUrl } = await outsideOf(await loadSettings(process.env, process.cwd()), { temporal: false });
      await migrateDatabase(databaseUrl);
      print('The database is up to date.');
    });
}

async function runApi(): Promise<void> {
  const settings = await loadSettings(process.env, process.cwd());
  const log = createLog(settings.environment.logLevel);
  const outside = await outsideOf(settings, { temporal: true });
  const core = await openCore(settings, { ...outside, log });
  const connection = lazyConnection(outside);
  const api = await startApiRole(core, connection, outside.namespace, { eager: false });
  log.info({ url: api.url }, 'the API listens');
  await stopSignal();
  log.info('stopping');
  await api.stop();
  await connection.close();
  await core.close();
}

async function runWorker(): Promise<void> {
  const settings = await loadSettings(process.env, process.cwd());
  const log = createLog(settings.environment.logLevel);
  installTemporalRuntime(log);
  const outside = await outsideOf(settings, { temporal: true });
  const core = await openCore(settings, { ...outside, log });
  const connection = await workerConnection(outside);
  const worker = await startWorkerRole(core, connection, outside.namespace);
  log.info('the worker runs');
  await Promise.race([stopSignal(), worker.done]);
  log.info('stopping');
  await worker.stop();
  await connection.close();
  await core.close();
}

/** The servers that a role works with: those of the settings, or of a gateway that runs on the data folder. */
async function outsideOf({ environment }: Settings, needs: { temporal: boolean }) {
  const dataDir = resolve(environment.dataDir);
  const databaseUrl = environment.databaseUrl ?? (await runningPostgres({ dataDir }).catch(() => undefined));
  const address = environment.temporal.address ?? (needs.temporal ? (await runningTemporal(dataDir))?.address : '');
  const missing = [
    databaseUrl === undefined ? `DATABASE_URL: is not set, and no gateway runs on ${environment.dataDir}` : undefined,
    address === undefined ? `TEMPORAL_ADDRESS: is not set, and no gateway runs on ${environment.dataDir}` : undefined,
  ].filter((line) => line !== undefined);
  if (databaseUrl === undefined || address === undefined) throw new SettingsError(missing);
  const secretTexts = environment.secrets ?? [await loadOrMakeSecret(dataDir)];
  return { databaseUrl, address, namespace: environment.temporal.namespace, secretTexts };
}
