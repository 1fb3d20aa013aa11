/** The ways of running a gateway that tasks are measured in, each with the processes whose CPU time counts. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { freePorts } from '../../src/embedded/ports.ts';
import { startPostgres } from '../../src/embedded/postgres-server.ts';
import { findTemporal } from '../../src/embedded/temporal-binary.ts';
import { startTemporal } from '../../src/embedded/temporal-server.ts';
import { awaitAnswer } from '../await-answer.ts';
import { end } from '../children.ts';
import { program, startGateway, startEnvironment } from '../gateway.ts';
import { startOptions } from '../start-options.ts';
import { cpuTimes, sumOf } from '../processes.ts';
import { say } from '../report.ts';
import { startTemporalOnPostgres } from './temporal-on-postgres.ts';

export const arrangementNames = ['start', 'split', 'postgres'] as const;
export type ArrangementName = (typeof arrangementNames)[number];

export const titles: Record<ArrangementName, string> = {
  start: '`npm start`: API and worker in one process, embedded servers',
  split: '`tollgate api` and `tollgate worker`, embedded servers',
  postgres: '`tollgate api` and `tollgate worker`, Temporal on PostgreSQL',
};

/** Milliseconds of CPU time by part, since the parts began. */
export type CpuByPart = Record<string, number>;

export interface Arrangement {
  url: string;
  secret: string;
  temporalAddress: string;
  namespace: string;
  folder: string;
  /** Where each of its databases is reached, by the part's name. */
  databases: Record<string, string>;
  cpu(): CpuByPart;
  stop: () => Promise<void>;
}

const openingBalance = 1_000_000;
const readyMsMax = 300_000;
const keyOptions = ['--level', 'standard'];

/** Starts everything on a folder that is thrown away. */
export function arrange(name: ArrangementName, profiles?: string): Promise<Arrangement> {
  return name === 'start' ? inOneProcess(profiles) : apart(name);
}

async function inOneProcess(profiles: string | undefined): Promise<Arrangement> {
  const nodeOptions = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profiles)}`];
  const gateway = await startGateway({ nodeOptions });
  const { secret } = await gateway.customer(openingBalance, ...keyOptions);
  return {
    ...{ url: gateway.url, secret, temporalAddress: gateway.temporalAddress, namespace: 'default' },
    folder: gateway.dataDir,
    databases: { PostgreSQL: gateway.databaseUrl },
    cpu: () => {
      const { own, postgres, rest } = cpuTimes(gateway.pid);
      return { 'API and worker': own, Temporal: rest, PostgreSQL: postgres };
    },
    stop: gateway.stop,
  };
}

/** API and worker as processes of their own, on servers that the benchmark starts as `npm start` would. */
async function apart(name: 'split' | 'postgres'): Promise<Arrangement> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const postgres = await startPostgres({ dataDir: folder, say });
    stops.push(() => postgres.stop());
    const temporal = name === 'split' ? await embeddedTemporal(folder) : await temporalOnItsOwn(folder);
    stops.push(temporal.stop);
    const [port = 0] = await freePorts([undefined]);
    const url = `http://127.0.0.1:${port}`;
    const env = {
      ...startEnvironment(),
      ...{ PORT: String(port), TOLLGATE_DATA_DIR: folder, NODE_ENV: 'production' },
      ...{
        DATABASE_URL: postgres.url,
        PUBLIC_URL: url,
        TOLLGATE_SECRET: 'the secret of a benchmark and of nothing else',
      },
      ...{ TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: temporal.namespace },
    };
    const tollgate = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env })).stdout;
    const role = (which: 'api' | 'worker'): ChildProcess => {
      const log = openSync(join(folder, `${which}.log`), 'w');
      const child = spawn(process.execPath, [...startOptions, program, which], {
        cwd: folder,
        env,
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      stops.push(() => end(child, 60_000));
      return child;
    };
    await tollgate('migrate');
    const [api, worker] = [role('api'), role('worker')];
    const hasEnded = () => api.exitCode !== null || worker.exitCode !== null;
    await awaitAnswer(`${url}/readyz`, { hasEnded, waitMs: readyMsMax, name: 'The API' });
    const made = await tollgate('accounts', 'create', '--name', 'bench', '--balance', String(openingBalance), '--json');
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(made));
    const key = await tollgate('keys', 'create', '--account', id, ...keyOptions, '--json');
    const { key: secret } = z.object({ key: z.string() }).parse(JSON.parse(key));
    return {
      ...{ url, secret, temporalAddress: temporal.address, namespace: temporal.namespace, folder, stop },
      databases: {
        PostgreSQL: postgres.url,
        ...(temporal.databaseUrl !== undefined && { "Temporal's PostgreSQL": temporal.databaseUrl }),
      },
      cpu: () => ({
        API: sumOf(cpuTimes(api.pid ?? 0)),
        worker: sumOf(cpuTimes(worker.pid ?? 0)),
        Temporal: temporal.cpuMs(),
        PostgreSQL: sumOf(cpuTimes(postgres.pid)),
        ...(temporal.databaseCpuMs && { "Temporal's PostgreSQL": temporal.databaseCpuMs() }),
      }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface MeasuredTemporal {
  address: string;
  namespace: string;
  cpuMs(): number;
  /** Of the database server that it has for itself. */
  databaseCpuMs?(): number;
  databaseUrl?: string;
  stop: () => Promise<void>;
}

async function embeddedTemporal(folder: string): Promise<MeasuredTemporal> {
  const cliPath = await findTemporal({ cliPath: process.env['TEMPORAL_CLI_PATH'], say });
  const server = await startTemporal({ cliPath, dataDir: folder, say });
  return {
    ...{ address: server.address, namespace: 'default', cpuMs: () => sumOf(cpuTimes(server.pid)) },
    stop: () => server.stop(),
  };
}

async function temporalOnItsOwn(folder: string): Promise<MeasuredTemporal> {
  const own = join(folder, 'temporal-of-production');
  await mkdir(own);
  return startTemporalOnPostgres(own);
}
