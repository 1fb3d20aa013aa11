/** PostgreSQL and Temporal of a test's own: killed, frozen and started again on their ports, as the test likes. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../src/embedded/postgres-server.ts';
import { startTemporal } from '../../src/embedded/temporal-server.ts';
import { migrateDatabase } from '../../src/postgres/migrations.ts';
import { fromTestRun } from './database.ts';
import { kill } from './process.ts';

interface Running {
  readonly pid: number;
  stop(): Promise<void>;
  leave(): Promise<void>;
}

/** One server on a data folder: what was started again has the port and the state of the one before. */
export class OwnServer<T extends Running> {
  readonly #start: () => Promise<T>;
  #running: T;
  #isUp = true;

  private constructor(start: () => Promise<T>, running: T) {
    this.#start = start;
    this.#running = running;
  }

  static async start<T extends Running>(start: () => Promise<T>): Promise<OwnServer<T>> {
    return new OwnServer(start, await start());
  }

  get facts(): T {
    return this.#running;
  }

  /** SIGKILL; only `startAgain` starts it again. */
  async kill(): Promise<void> {
    const { pid } = this.#running;
    const all = [pid, ...(await childrenOf(pid))];
    await this.#running.leave();
    for (const each of all) kill(each, 'SIGKILL');
    this.#isUp = false;
  }

  async startAgain(): Promise<void> {
    this.#running = await this.#start();
    this.#isUp = true;
  }

  /** It takes connections and answers nothing, until the answered function is called. */
  async freeze(): Promise<() => void> {
    const { pid } = this.#running;
    kill(pid, 'SIGSTOP'); // first, so that it has no more children
    const all = [pid, ...(await childrenOf(pid))];
    for (const each of all) kill(each, 'SIGSTOP');
    return () => {
      for (const each of all) kill(each, 'SIGCONT');
    };
  }

  async stop(): Promise<void> {
    if (this.#isUp) await this.#running.stop();
  }
}

export interface OwnServers {
  postgres: OwnServer<Awaited<ReturnType<typeof startPostgres>>>;
  temporal: OwnServer<Awaited<ReturnType<typeof startTemporal>>>;
  /** For `startTestGateway`. */
  servers: { databaseUrl: string; temporalAddress: string };
  stop(): Promise<void>;
}

/** Starts both, with a migrated database. */
export async function startOwnServers(): Promise<OwnServers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-own-'));
  const say = () => undefined;
  const cliPath = fromTestRun('TEMPORAL_CLI');
  const postgres = await OwnServer.start(() => startPostgres({ dataDir, say }));
  const temporal = await OwnServer.start(() => startTemporal({ cliPath, dataDir, say }));
  const databaseUrl = postgres.facts.url;
  await migrateDatabase(databaseUrl);
  return {
    postgres,
    temporal,
    servers: { databaseUrl, temporalAddress: temporal.facts.address },
    async stop() {
      await temporal.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    processes.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''); // it has ended meanwhile
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    }),
  );
  return processes.map(Number).filter((_, at) => parents[at] === pid);
}
