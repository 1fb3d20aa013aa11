/** `tollgate migrate`: the database's tables, and what Temporal has to know of tasks. */
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runningPostgres } from '../../embedded/postgres-server.ts';
import { providerKinds } from '../../providers/registry.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { SettingsError } from '../../config/setting-errors.ts';
import { migrateDatabase } from '../../postgres/migrations.ts';
import { lazyConnection, type TemporalTarget } from '../../temporal/connection.ts';
import { registerSearchAttributes, searchAttributeTypes } from '../../temporal/search-attributes.ts';
import { checkTemporal, TemporalConnectionError, connectionErrorOf } from '../../temporal/connection-errors.ts';
import { print, Refusal, printError } from '../output.ts';

/** A Temporal that is started together with this may take its time. */
const patienceMs = 60_000;
const pauseMs = 2_000;

/**
 * Brings the database up to date, and then registers the search attributes with the Temporal of TEMPORAL_ADDRESS, if that
 * is set: waits for it for a minute. Raises a SettingsError when there is no database to be found, and a Refusal when
 * Temporal is not to be had; the database is up to date then all the same.
 */
export async function runMigration(): Promise<void> {
  const { environment } = await loadSettings(process.env, process.cwd(), providerKinds);
  const dataDir = resolve(environment.dataDir);
  const databaseUrl = environment.databaseUrl ?? (await runningPostgres({ dataDir }).catch(() => undefined));
  if (databaseUrl === undefined)
    throw new SettingsError([`DATABASE_URL: is not set, and no gateway is running on ${environment.dataDir}`]);
  await migrateDatabase(databaseUrl);
  print('The database is up to date.');
  const { address } = environment.temporal;
  if (address === undefined) return; // a gateway that runs on the folder has registered with its own
  await register({ ...environment.temporal, address });
}

async function register(target: TemporalTarget): Promise<void> {
  const connection = await lazyConnection(target);
  try {
    await answering(connection, target);
    await registerSearchAttributes(connection, target.namespace).catch((error: unknown) => {
      const wanted = [...searchAttributeTypes].map(([name, type]) => `${name}=${type}`).join(', ');
      throw new Refusal(
        `The database is up to date, but this client is not allowed to register search attributes in the namespace ` +
          `${target.namespace}: ${connectionErrorOf(error, target).message} Create them manually: ${wanted}.`,
      );
    });
    print(`The search attributes are registered in the namespace ${target.namespace}.`);
  } finally {
    await connection.close();
  }
}

/** Resolves once Temporal answers for the namespace. */
async function answering(connection: Parameters<typeof checkTemporal>[0], target: TemporalTarget): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await checkTemporal(connection, target);
      return;
    } catch (error) {
      if (!(error instanceof TemporalConnectionError)) throw error;
      if (!error.isAway || performance.now() > until) {
        const again = `Then run this command again; it is safe to repeat. Workers also register the search attributes when they start.`;
        throw new Refusal(`The database is up to date. ${error.message} ${again}`);
      }
      if (isFirst) printError(`Waiting for Temporal at ${target.address} ...`);
      await pause(pauseMs);
    }
  }
}
