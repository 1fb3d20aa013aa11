/** The gateway as its users run it: the built program with its embedded PostgreSQL, on a data folder that is thrown away. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { freePorts } from '../../src/embedded/ports.ts';
import { runningPostgres } from '../../src/embedded/postgres-server.ts';
import { price, type Purse } from './ledger-check.ts';
import { end } from './parts.ts';
import { awaitAnswer, pathOfChat, plain, type Target } from './targets.ts';

export interface Gateway extends Target {
  purse: Purse;
}

const balance_yuan = 1_000_000;

const program = join(import.meta.dirname, '..', '..', 'bin', 'tollgate.mjs');
const ready_ms_max = 300_000;
/** Embedded PostgreSQL ends with a checkpoint. */
const ending_ms_max = 60_000;

/** A `tollgate.yaml` with one model, which leads to the upstream. */
export const configurationFor = (upstream: string): string => `
providers:
  mock: { kind: openai, base_url: "${upstream}/v1", api_key: sk-mock }
models:
  - id: bench
    kind: chat
    owned_by: bench
    routes: [{ provider: mock, model: mock }]
    price: { input_per_million: ${price.input}, output_per_million: ${price.output} }
`;

/** Limits of every kind, none of them in reach: they are counted all the same. */
const limits = [
  ...['minute', 'hour', 'day'].flatMap((window) => ['--call-limit', `999999999/${window}`]),
  ...['--spend-limit', `${balance_yuan}/day`, '--max-running-tasks', '10', '--models', 'bench'],
];

/** Builds what is stale, starts the gateway in front of an upstream, and makes an account with a limited key. */
export async function startGateway(upstream: string): Promise<Gateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const file = join(dataDir, 'tollgate.yaml');
  await writeFile(file, configurationFor(upstream));
  const [port = 0] = await freePorts([undefined]);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...withoutSettings(process.env),
    PORT: String(port),
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_CONFIG: file,
    NODE_ENV: 'production',
  };
  const child = spawn(process.execPath, ['--min-semi-space-size=16', program, 'start'], {
    cwd: dataDir,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async () => {
    await end(child, ending_ms_max);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await awaitAnswer(`${url}/readyz`, { hasEnded, waitMs: ready_ms_max, name: 'The gateway' });
    const command = async (...args: string[]): Promise<unknown> => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, '--json'], {
        cwd: dataDir,
        env,
      });
      return JSON.parse(stdout);
    };
    const made = await command('accounts', 'create', '--name', 'bench', '--balance', String(balance_yuan));
    const { id: account } = z.object({ id: z.string() }).parse(made);
    const key = await command('keys', 'create', '--account', account, '--level', 'chat', ...limits);
    const { key: secret } = z.object({ key: z.string() }).parse(key);
    const databaseUrl = await runningPostgres({ dataDir });
    if (databaseUrl === undefined) throw new Error('The gateway has no database of its own.');
    return {
      ...plain,
      name: 'tollgate',
      title: 'Tollgate, its PostgreSQL counted',
      url: url + pathOfChat,
      model: 'bench',
      headers: { Authorization: `Bearer ${secret}` },
      pid: child.pid ?? 0,
      counted: ['own', 'postgres'],
      purse: { databaseUrl, account, balanceYuan: balance_yuan },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The settings of a gateway that the caller's shell is set up for are not the benchmark's. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(TOLLGATE_|S3_|DATABASE_URL$|PUBLIC_URL$|HOST$|LOG_LEVEL$|OTEL_|TEMPORAL_(?!CLI_PATH$))/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}
