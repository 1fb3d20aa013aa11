/**
 * Everything in one process: what `npm start` runs. The embedded servers stand in for production ones where the
 * settings name none; the order of starting and stopping is the one that loses nothing.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { loadOrMakeSecret } from '../config/secrets.ts';
import type { Settings } from '../config/load-settings.ts';
import type { Core } from '../runtime/parts.ts';
import type { FolderLock } from './data-folder-lock.ts';
import { startServers } from './start-servers.ts';
import { StartSteps } from './start-steps.ts';

export interface StartedGateway {
  core: Core;
  url: string;
  temporalUiUrl: string | undefined;
  /** Of the servers that it brings, when they started. */
  pids: { postgres?: number; temporal?: number };
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
  /** Called with a line about each step that takes long. */
  say: (line: string) => void;
  queuePrefix?: string;
  /** Aborted when starting is to be given up; what was started by then is stopped. */
  signal?: AbortSignal;
  /** Called once servers are starting, before anything connects to Temporal; it may take its time. */
  beforeRoles?: () => Promise<void>;
  /** Records how long each step takes. */
  steps?: StartSteps;
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
  { settings, log, say, queuePrefix, signal, beforeRoles, steps = new StartSteps() }: StartOptions,
  started: (() => Promise<unknown>)[],
): Promise<Omit<StartedGateway, 'stop'>> {
  const { environment } = settings;
  const dataDir = resolve(environment.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const secretTexts = environment.secrets ?? [await loadOrMakeSecret(dataDir)];
  signal?.throwIfAborted();

  const meanwhile = async () => {
    const roles = await steps.during('load roles', () => import('./roles.ts'));
    await beforeRoles?.();
    return roles;
  };
  const servers = await startServers({ settings, dataDir, say, signal, steps, meanwhile }, started);
  signal?.throwIfAborted();
  const { databaseUrl, lock, temporalUiUrl } = servers;
  const { openCore, workerConnection, startWorkerRole, startApiRole } = servers.meanwhile;
  const { namespace } = environment.temporal;
  const connection = await steps.during('connect', () =>
    workerConnection({ ...environment.temporal, address: servers.temporalAddress }),
  );
  started.push(() => connection.close());

  const core = await steps.during('core', () =>
    openCore(settings, { databaseUrl, secretTexts, log, ...(queuePrefix !== undefined && { queuePrefix }) }),
  );
  started.push(() => core.close());
  signal?.throwIfAborted();
  const worker = await steps.during('worker', () => startWorkerRole(core, connection, namespace));
  started.push(() => worker.stop());
  let prepared = false;
  const api = await steps.during('API', () =>
    startApiRole(core, connection, namespace, { eager: true, isPrepared: () => prepared, temporalUiUrl }),
  );
  started.push(() => api.stop());
  await lock?.announce(api.url);
  return {
    core,
    url: api.url,
    temporalUiUrl,
    pids: servers.pids,
    failed: failureOf(worker.done, lock, log),
    becomeReady: () => (prepared = true),
  };
}

/** A worker that fails for good, or a folder that another gateway has taken: both can only be fixed from outside. */
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

/** The log of a gateway that runs everything in one process. */
export const logFileOf = (settings: Settings): string => join(resolve(settings.environment.dataDir), 'gateway.log');
