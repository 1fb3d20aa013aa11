/** The gateway as its users run it: the built program with its embedded servers, on a data folder that is thrown away. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { freePorts } from '../src/embedded/ports.ts';
import { runningPostgres } from '../src/embedded/postgres-server.ts';
import { runningTemporal } from '../src/embedded/temporal-server.ts';
import { awaitAnswer } from './await-answer.ts';
import { end } from './children.ts';
import { root } from './report.ts';
import { startOptions, startSettings } from './start-options.ts';

export interface GatewayOptions {
  /** The text of `tollgate.yaml`; left out, the built-in models. */
  configuration?: string;
  /** More settings, as environment variables. */
  env?: Record<string, string>;
  /** Besides those of `npm start`. */
  nodeOptions?: readonly string[];
  /** The Node that runs it; left out, the benchmark's own. */
  node?: string;
}

export interface MeasuredGateway {
  /** With no slash at its end. */
  url: string;
  /** Of the gateway; its PostgreSQL and Temporal are below it. */
  pid: number;
  dataDir: string;
  databaseUrl: string;
  temporalAddress: string;
  /** Runs a command of `tollgate` on it and answers what `--json` prints. */
  command(...args: string[]): Promise<unknown>;
  /** A new account with that balance in the gateway's currency, and a key of it with these options of `tollgate keys create`. */
  customer(openingBalance: number, ...keyOptions: string[]): Promise<{ account: string; secret: string }>;
  /** Ends it in order and removes its folder. */
  stop: () => Promise<void>;
}

export const program = join(root, 'bin', 'tollgate.mjs');
/** Where there is no Temporal server yet, one is built. */
const readyMsMax = 300_000;
/** Embedded PostgreSQL ends with a checkpoint. */
const endingMsMax = 60_000;

/** Builds what is stale and starts a gateway. */
export async function startGateway({
  configuration,
  env = {},
  nodeOptions = [],
  node = process.execPath,
}: GatewayOptions): Promise<MeasuredGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const [port = 0] = await freePorts([undefined]);
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    ...startEnvironment(),
    ...{ PORT: String(port), TOLLGATE_DATA_DIR: dataDir, NODE_ENV: 'production', LOG_LEVEL: 'info' },
    ...(configuration !== undefined && { TOLLGATE_CONFIG: join(dataDir, 'tollgate.yaml') }),
    ...env,
  };
  if (configuration !== undefined) await writeFile(join(dataDir, 'tollgate.yaml'), configuration);
  const child = spawn(node, [...startOptions, ...nodeOptions, program, 'start'], {
    cwd: dataDir,
    env: settings,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true, // Ctrl-C in a terminal is for the benchmark, which ends it in order
  });
  const stop = async () => {
    await end(child, endingMsMax);
    await rm(dataDir, { recursive: true, force: true });
  };
  const command = async (...args: string[]): Promise<unknown> => {
    const run = promisify(execFile)(node, [program, ...args, '--json'], { cwd: dataDir, env: settings });
    return JSON.parse((await run).stdout);
  };
  const customer = async (openingBalance: number, ...keyOptions: string[]) => {
    const made = await command('accounts', 'create', '--name', 'bench', '--balance', String(openingBalance));
    const { id: account } = z.object({ id: z.string() }).parse(made);
    const { key: secret } = z
      .object({ key: z.string() })
      .parse(await command('keys', 'create', '--account', account, ...keyOptions));
    return { account, secret };
  };
  try {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await awaitAnswer(`${url}/readyz`, { hasEnded, waitMs: readyMsMax, name: 'The gateway' });
    const databaseUrl = await runningPostgres({ dataDir });
    const temporal = await runningTemporal(dataDir);
    if (databaseUrl === undefined || !temporal) throw new Error('The gateway has no servers of its own.');
    return {
      ...{ url, pid: child.pid ?? 0, dataDir, databaseUrl, temporalAddress: temporal.address },
      ...{ command, customer, stop },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** For the program: what this process has, without settings of a gateway, which are not the benchmark's, and with those of each start. */
export function startEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(TOLLGATE_|S3_|DATABASE_URL$|PUBLIC_URL$|HOST$|LOG_LEVEL$|OTEL_|TEMPORAL_(?!CLI_PATH$))/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), ...startSettings };
}
