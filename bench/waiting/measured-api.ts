/** `tollgate api` as a process of its own on the servers of a gateway, which says what memory it has in use. */
import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePorts } from '../../src/embedded/ports.ts';
import { awaitAnswer } from '../await-answer.ts';
import { end, nextMessage } from '../children.ts';
import { program, startEnvironment, type MeasuredGateway } from '../gateway.ts';
import { startOptions } from '../start-options.ts';
import { type Memory, memorySchema } from './messages.ts';

export interface MeasuredApi {
  /** With no slash at its end. */
  url: string;
  pid: number;
  /** Collects all garbage, then looks. */
  memory(): Promise<Memory>;
  stop: () => Promise<void>;
}

const readyMsMax = 60_000;
const probe = pathToFileURL(join(import.meta.dirname, 'probe.mjs')).href;
const nodeOptions = [...startOptions, '--expose-gc', '--import', probe];

/** Starts an API beside the one that the gateway has. */
export async function startApi({ dataDir }: MeasuredGateway): Promise<MeasuredApi> {
  const [port = 0] = await freePorts([undefined]);
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(dataDir, 'measured-api.log');
  const log = await open(logPath, 'w');
  const child = spawn(process.execPath, [...nodeOptions, program, 'api'], {
    cwd: dataDir,
    detached: true, // Ctrl-C in a terminal is for the benchmark, which ends it in order
    env: {
      ...startEnvironment(),
      ...{ PORT: String(port), TOLLGATE_DATA_DIR: dataDir, NODE_ENV: 'production', LOG_LEVEL: 'info' },
    },
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  await log.close();
  const stop = () => end(child);
  try {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await awaitAnswer(`${url}/readyz`, { hasEnded, waitMs: readyMsMax, name: 'The API' });
    return {
      ...{ url, pid: child.pid ?? 0, stop },
      memory: async () => {
        const answer = nextMessage(child);
        child.send('look');
        return memorySchema.parse(await answer);
      },
    };
  } catch (error) {
    await stop();
    const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n');
    throw new Error(`The API did not start: ${lines.at(-1) ?? ''}`, { cause: error });
  }
}
