/**
 * The servers of a gateway that runs everything in one process, those that the settings name none of: PostgreSQL, the lock
 * on the data folder, the schema, and Temporal, which is never started without the lock.
 */
import type { Settings } from '../config/load-settings.ts';
import { migrateDatabase } from '../postgres/migrations.ts';
import { type FolderLock, takeFolderLock } from './data-folder-lock.ts';
import { startPostgres } from './postgres-server.ts';
import type { StartSteps } from './start-steps.ts';
import { findTemporal } from './temporal-binary.ts';

export interface StartedServers<T> {
  databaseUrl: string;
  lock: FolderLock | undefined;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  /** The processes of now, of those that were started or taken over. */
  pids: { postgres?: number; temporal?: number };
  /** What was done while Temporal started. */
  meanwhile: T;
}

export interface ServersOptions<T> {
  settings: Settings;
  dataDir: string;
  say: (line: string) => void;
  signal: AbortSignal | undefined;
  steps: StartSteps;
  /** Done with the migrated database, while Temporal starts on processors of its own. Must hold nothing. */
  meanwhile: () => Promise<T>;
}

/** Starts them; what has to be stopped again is added to `started`, also if it fails. */
export async function startServers<T>(
  { settings, dataDir, say, signal, steps, meanwhile }: ServersOptions<T>,
  started: (() => Promise<unknown>)[],
): Promise<StartedServers<T>> {
  const { environment } = settings;
  // Loading Temporal's client takes a quarter of a second of this process, in which PostgreSQL starts.
  const temporalCode = steps.during('load Temporal client', () => import('./temporal-server.ts'));
  temporalCode.catch(() => undefined); // its failure is reported where it is awaited, which may be nowhere
  const postgres =
    environment.databaseUrl === undefined
      ? await steps.during('PostgreSQL', () => startPostgres({ dataDir, say }))
      : undefined;
  const databaseUrl = environment.databaseUrl ?? postgres?.url ?? '';
  // A process that loses the race for the folder has only attached to the database, and leaves it to its owner.
  const lock = postgres ? await lockFolder(databaseUrl, dataDir, () => postgres.leave()) : undefined;
  if (postgres) started.push(() => postgres.stop());
  if (lock) started.push(() => lock.release());
  signal?.throwIfAborted();

  // Before Temporal: a program that is too old for the database must not touch Temporal's either.
  await steps.during('migrate', () => migrateDatabase(databaseUrl));
  signal?.throwIfAborted();

  const temporalStarts = async () => {
    if (environment.temporal.address !== undefined) return undefined;
    const { startTemporal } = await temporalCode;
    signal?.throwIfAborted();
    const cliPath = await unlessAborted(findTemporal({ ...cliPathOf(settings), say }), signal);
    const temporal = await startTemporal({ cliPath, dataDir, say });
    started.push(() => temporal.stop());
    return temporal;
  };
  const both = [steps.during('Temporal', temporalStarts), meanwhile()] as const;
  await Promise.allSettled(both); // a Temporal that comes after a failure has to be stopped, too
  const [temporal, done] = await Promise.all(both);
  return {
    databaseUrl,
    lock,
    temporalAddress: environment.temporal.address ?? temporal?.address ?? '',
    temporalUiUrl: temporal?.uiUrl,
    pids: { ...(postgres && { postgres: postgres.pid }), ...(temporal && { temporal: temporal.pid }) },
    meanwhile: done,
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

const cliPathOf = ({ environment }: Settings) =>
  environment.temporal.cliPath === undefined ? {} : { cliPath: environment.temporal.cliPath };
