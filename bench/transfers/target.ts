/** What is measured: an API process of the gateway as it runs in production, beside one that brings servers and workers. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { freePorts } from '../../src/embedded/ports.ts';
import { awaitAnswer } from '../await-answer.ts';
import { end } from '../children.ts';
import { program, startGateway, startEnvironment } from '../gateway.ts';
import { startOptions } from '../start-options.ts';
import { openFinisher } from './finished.ts';
import type { TransferRequest } from './messages.ts';
import type { Floor } from './parts.ts';

export interface Target {
  name: string;
  /** The process whose time and memory count. */
  pid: number;
  upload: TransferRequest;
  /** What can be fetched so: a result by its link, or one that can be fetched once, which is made first. */
  linked(): Promise<TransferRequest>;
  once(): Promise<TransferRequest>;
  /** Clears away what an upload left, by the words that it was answered with. */
  forget(answer: string): Promise<void>;
  stop: () => Promise<void>;
}

/** Its jobs take an hour, so that nothing works on uploads while others are measured. */
const configuration = `
providers:
  slow: { kind: simulator, latency_ms: 3600000 }
models:
  - id: bench-talk
    kind: avatar-talk
    owned_by: bench
    routes: [{ provider: slow, model: sim-avatar-talk }]
    price: { per_second: 0.05 }
`;
const readyMsMax = 60_000;
const createdSchema = z.object({ id: z.string() });

/** The gateway; with settings for its blob store, by which it may be S3. */
export async function startTarget(name: string, bytes: number, env: Record<string, string> = {}): Promise<Target> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const each of stops.reverse()) await each();
  };
  const gateway = await startGateway({ configuration, env });
  stops.push(gateway.stop);
  try {
    const { secret } = await gateway.customer(1_000_000);
    const [port = 0] = await freePorts([undefined]);
    const url = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, [...startOptions, program, 'api'], {
      env: {
        ...startEnvironment(),
        ...{ PORT: String(port), TOLLGATE_DATA_DIR: gateway.dataDir, NODE_ENV: 'production' },
        ...{ TOLLGATE_CONFIG: join(gateway.dataDir, 'tollgate.yaml'), TOLLGATE_NOTICE_SECONDS: '0' },
        LOG_LEVEL: 'error', // shown: what fails there is why the benchmark does
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    stops.push(() => end(child));
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await awaitAnswer(`${url}/readyz`, { hasEnded, waitMs: readyMsMax, name: 'The API' });
    const finisher = await openFinisher(gateway, secret, env);
    stops.push(() => finisher.close());
    const headers = { Authorization: `Bearer ${secret}` };
    const link = await finisher.linked(bytes);
    return {
      name,
      pid: child.pid ?? 0,
      upload: { url: `${url}/v1/svctalk/generate`, headers },
      linked: () => Promise.resolve({ url: url + link, headers: {} }),
      once: async () => ({ url: url + (await finisher.once(bytes)), headers }),
      forget: async (answer) => {
        const { id } = createdSchema.parse(JSON.parse(answer));
        const cancelled = await fetch(`${url}/v1/svctalk/generate/${id}`, { method: 'DELETE', headers });
        await cancelled.arrayBuffer();
        if (!cancelled.ok) throw new Error(`a task could not be cancelled: ${cancelled.status}`);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The floor has one file, and forgets uploads by itself. */
export function floorTarget({ url, pid, stop }: Floor): Target {
  const request: TransferRequest = { url, headers: {} };
  const download = () => Promise.resolve(request);
  return {
    name: 'floor',
    pid,
    upload: request,
    linked: download,
    once: download,
    forget: () => Promise.resolve(),
    stop,
  };
}
