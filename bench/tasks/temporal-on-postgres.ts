/** The Temporal server as in docker-compose.yml: the files of `ops/temporal`, a PostgreSQL of its own, and no container. */
import { execFile, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePorts, isPortFree } from '../../src/embedded/ports.ts';
import { startPostgres } from '../../src/embedded/postgres-server.ts';
import { findTemporal } from '../../src/embedded/temporal-binary.ts';
import { end } from '../children.ts';
import { awaitAnswer } from '../await-answer.ts';
import { cpuTimes, sumOf } from '../processes.ts';
import { root, say } from '../report.ts';
import type { MeasuredTemporal } from './arrangements.ts';

const run = promisify(execFile);
const namespace = 'tollgate';
const password = 'of-the-benchmark'; // the server's tools take no spaces
const readyMsMax = 60_000;
const buildingMsMax = 15 * 60_000;

/** Starts both servers in a folder; the first time on a machine the server is built, which needs Go and takes some minutes. */
export async function startTemporalOnPostgres(folder: string): Promise<MeasuredTemporal> {
  const programs = await findServer();
  const cli = await findTemporal({ cliPath: process.env['TEMPORAL_CLI_PATH'], say });
  const data = join(folder, 'data');
  await mkdir(data);
  const postgres = await startPostgres({ dataDir: data, say });
  const stops = [() => postgres.stop()];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const { hostname, port: databasePort } = new URL(postgres.url);
    await makeDatabases(postgres.url);
    const script = (name: string, env: Record<string, string>) =>
      run('sh', [join(root, 'ops', 'temporal', name)], {
        env: { ...process.env, PATH: `${programs}:${folder}:${process.env['PATH'] ?? ''}`, ...env },
      });
    await script('schema.sh', { POSTGRES_HOST: hostname, POSTGRES_PORT: databasePort, SQL_PASSWORD: password });
    const port = await portWithNeighbours();
    const address = `127.0.0.1:${port}`;
    const server = spawn(
      join(programs, 'temporal-server'),
      ['--root', join(root, 'ops', 'temporal'), '--config', '.', '--env', 'server', '--allow-no-auth', 'start'],
      {
        env: {
          ...process.env,
          POSTGRES_ADDRESS: `${hostname}:${databasePort}`,
          TEMPORAL_DB_PASSWORD: password,
          TEMPORAL_PORT: String(port),
          TEMPORAL_BIND_ADDRESS: '127.0.0.1',
          TEMPORAL_DYNAMIC_CONFIG: join(root, 'ops', 'temporal-dynamic-config.yaml'),
          TEMPORAL_LOG_LEVEL: 'error',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    stops.push(() => end(server));
    const hasEnded = () => server.exitCode !== null;
    await awaitAnswer(`http://127.0.0.1:${port + 10}/api/v1/cluster-info`, {
      ...{ hasEnded, waitMs: readyMsMax, name: "Temporal's server" },
    });
    // The scripts call the CLI by its name, whatever it is called here.
    await run('ln', ['-sf', cli, join(folder, 'temporal')]);
    await script('namespace.sh', { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, RETENTION: '24h' });
    return {
      ...{ address, namespace, stop, databaseUrl: postgres.url },
      cpuMs: () => sumOf(cpuTimes(server.pid ?? 0)),
      databaseCpuMs: () => sumOf(cpuTimes(postgres.pid)),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The folder of the server's programs, by the script that the tests build them with. */
async function findServer(): Promise<string> {
  const script = join(root, 'scripts', 'go-programs.mjs');
  const find = `import { findTemporalServer } from ${JSON.stringify(script)}; console.log(await findTemporalServer());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', find], { timeout: buildingMsMax });
  return stdout.trim().split('\n').at(-1) ?? '';
}

async function makeDatabases(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create role temporal login password '${password}'`);
    for (const name of ['temporal', 'temporal_visibility'])
      await client.query(`create database ${name} owner temporal`);
  } finally {
    await client.end();
  }
}

/** The server's other ports are numbers beside its own; see `ops/temporal/server.yaml`. */
async function portWithNeighbours(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const [port = 0] = await freePorts([undefined]);
    const others = [
      port + 1,
      port + 2,
      port + 6,
      port + 10,
      port - 300,
      port - 299,
      port - 298,
      port - 294,
      port + 767,
    ];
    if (port < 64_000 && (await Promise.all(others.map(isPortFree))).every(Boolean)) return port;
  }
  throw new Error('No ports are free for a Temporal server.');
}
