/**
 * Everything in one process: what `npm start` runs. The embedded servers stand in for production ones where the
 * settings name none; the order of starting and stopping is the one that loses nothing.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { loadOrMakeSecret } from '../settings/secrets.ts';
import type { Settings } from '../settings/load.ts';
import { migrateDatabase } from '../storage/database.ts';
import { type Core, openCore } from '../wiring.ts';
import { startApiRole } from '../wiring/api-role.ts';
import { startWorkerRole } from '../wiring/worker-role.ts';
import { workerConnection } from '../temporal/worker-connection.ts';
import { type FolderLock, takeFolderLock } from './data-folder-lock.ts';
import { startPostgres } from './postgres-server.ts';
import { findTemporal } from './temporal-binary.ts';
import { startTemporal } from './temporal-server.ts';

export interface StartedGateway {
  core: Core;
  url: string;
  temporalUiUrl: string | undefined;
  /** Resolves with the reason when the gateway can't go on by itself. */
  failed: Promise<Error>;
  /** Lets `/readyz` say so, once the first key is made. */
  becomeReady(): void;
  /** Stops API, worker, Temporal and PostgreSQL, in this order. */
  stop(): Promise<void>;
}

export interface StartOptions {
  settings: Settings;
  log: Logger;
  /** Told what takes long. */
  say: (line: string) => void;
  queuePrefix?: string;
  /** Aborted when starting is to be given up; what was started by then is stopped. */
  signal?: AbortSignal;
}

/** Starts everything, or nothing: what was started before a failure or an abort is stopped again. */
export async function startEverything(options: StartOptions): Promise<StartedGateway> {
  const started: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of started.splice(0).reverse()) {
      // What can't be stopped must not keep the rest running.
      await end().catch((error: unknown) => options.log.error({ err: error }, 'a part did not stop in order'));
    }
  };
  try {
    return { ...(await startInOrder(options, started)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startInOrder(
  { settings, log, say, queuePrefix, signal }: StartOptions,
  started: (() => Promise<unknown>)[],
): Promise<Omit<StartedGateway, 'stop'>> {
  const { environment } = settings;
  const dataDir = resolve(environment.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const secretTexts = environment.secrets ?? [await loadOrMakeSecret(dataDir)];
  signal?.throwIfAborted();

  const postgres = environment.databaseUrl === undefined ? await startPostgres({ dataDir, say }) : undefined;
  const databaseUrl = environment.databaseUrl ?? postgres?.url ?? '';
  // Whoever loses the race for the folder has only attached to the database, and leaves it to its owner.
  const lock = postgres ? await lockFolder(databaseUrl, dataDir, () => postgres.leave()) : undefined;
  if (postgres) started.push(() => postgres.stop());
  if (lock) started.push(() => lock.release());
  await migrateDatabase(databaseUrl);
  signal?.throwIfAborted();

  const temporal =
    environment.temporal.address === undefined
      ? await startTemporal({
          cliPath: await unlessAborted(findTemporal({ ...cliPathOf(settings), say }), signal),
          dataDir,
          say,
        })
      : undefined;
  if (temporal) started.push(() => temporal.stop());
  signal?.throwIfAborted();
  const address = environment.temporal.address ?? temporal?.address ?? '';
  const { namespace } = environment.temporal;
  const connection = await workerConnection({ ...environment.temporal, address });
  started.push(() => connection.close());

  const core = await openCore(settings, {
    databaseUrl,
    secretTexts,
    log,
    ...(queuePrefix !== undefined && { queuePrefix }),
  });
  started.push(() => core.close());
  signal?.throwIfAborted();
  const worker = await startWorkerRole(core, connection, namespace);
  started.push(() => worker.stop());
  let prepared = false;
  const api = await startApiRole(core, connection, namespace, {
    eager: true,
    isPrepared: () => prepared,
    temporalUiUrl: temporal?.uiUrl,
  });
  started.push(() => api.stop());
  await lock?.announce(api.url);
  return {
    core,
    url: api.url,
    temporalUiUrl: temporal?.uiUrl,
    failed: failureOf(worker.done, lock, log),
    becomeReady: () => (prepared = true),
  };
}

/** Gives up waiting for work that holds nothing: having Temporal built takes minutes. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('interrupted', { cause: signal.reason })), { once: true });
    work.then(resolve, reject);
  });
}

async function lockFolder(databaseUrl: string, dataDir: string, otherwise: () => Promise<void>): Promise<FolderLock> {
  try {
    return await takeFolderLock(databaseUrl, { dataDir });
  } catch (error) {
    await otherwise();
    throw error;
  }
}

/** A worker that fails for good, or a folder that another gateway has taken: nothing that can be mended from within. */
function failureOf(workerDone: Promise<void>, lock: FolderLock | undefined, log: Logger): Promise<Error> {
  const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
  const worker = workerDone.then(() => new Promise<never>(() => undefined), asError);
  return lock ? Promise.race([worker, keepLock(lock, log).then((error) => asError(error))]) : worker;
}

/** Takes the folder again whenever the connection that holds it breaks; resolves when another gateway has it. */
async function keepLock(lock: FolderLock, log: Logger): Promise<unknown> {
  for (;;) {
    await lock.lost;
    log.warn('the connection that holds the data folder was lost; taking it again');
    try {
      await lock.retake();
    } catch (error) {
      return error;
    }
  }
}

const cliPathOf = ({ environment }: Settings) =>
  environment.temporal.cliPath === undefined ? {} : { cliPath: environment.temporal.cliPath };

/** The log of a gateway that runs everything in one process. */
export const logFileOf = (settings: Settings): string => join(resolve(settings.environment.dataDir), 'gateway.log');
