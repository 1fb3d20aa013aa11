/**
 * How long a caller waits for one 1024x1024 image after another, against a bare workflow of as many activities on the
 * same server that makes and writes the same bytes. Rounds of both alternate; the medians of their p50s are compared.
 *
 *   npm run bench tasks
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import pino from 'pino';
import { startEverything } from '../../src/embedded/start.ts';
import { runningTemporal } from '../../src/embedded/temporal-server.ts';
import type { Job, TaskProvider } from '../../src/providers/contract.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { createSimulator } from '../../src/providers/simulator/simulator.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { hashPassword } from '../../src/api/console/passwords.ts';
import { bootstrap } from '../../src/storage/bootstrap.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { median } from '../statistics.ts';

const rounds = 5;
const calls_a_round = 30;
const warm_up_calls = 30;

export interface BareActivities {
  submit(): Promise<void>;
  makeAndWrite(path: string): Promise<number>;
}

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Runs it and prints the table; answers true, since it judges nothing. */
export async function runTasks(): Promise<boolean> {
  const log = pino({ level: 'error' }, pino.destination(2));
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const settings = await loadSettings(
    { ...process.env, PORT: '0', TOLLGATE_DATA_DIR: folder, TOLLGATE_BOOTSTRAP_BALANCE: '100000' },
    folder,
    providerKinds,
  );
  installTemporalRuntime(log);
  const gateway = await startEverything({ settings, log, say });
  const temporal = await runningTemporal(folder);
  if (!temporal) throw new Error('no Temporal runs');
  const connection = await NativeConnection.connect({ address: temporal.address });
  const simulator = createSimulator(
    {
      ...{ name: 'bare', kind: 'simulator', secrets: {}, numbers: {}, headers: {} },
      ...{ timeoutMs: 60_000, idleTimeoutMs: 60_000, deadlineMs: 60_000 },
    },
    { fetchFile: () => Promise.reject(new Error('nothing is fetched')), tempDir: folder },
  );
  const bareWorker = await Worker.create({
    connection,
    taskQueue: 'bare',
    workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
    activities: {
      submit: () => Promise.resolve(),
      makeAndWrite: (path) => makeAndWrite(simulator, path),
    } satisfies BareActivities,
  });
  const bareRun = bareWorker.run();

  try {
    const demo = await bootstrap(
      { ...gateway.core, ledgerKey: gateway.core.secrets.first.ledger, hashPassword, makesUp: true },
      settings.environment.bootstrap,
    );
    const key = demo?.secret ?? '';
    const client = new Client({ connection });
    const bare = async () => {
      await client.workflow.execute('bare', {
        taskQueue: 'bare',
        workflowId: randomUUID(),
        args: [join(folder, randomUUID())],
      });
    };
    const task = () => image(gateway.url, key);
    await timed(bare, warm_up_calls);
    await timed(task, warm_up_calls);
    const ratios: number[] = [];
    process.stdout.write('| round | bare workflow p50 ms | task p50 ms | ratio |\n|---|---|---|---|\n');
    for (let round = 1; round <= rounds; round++) {
      const [floor, ours] = [await timed(bare, calls_a_round), await timed(task, calls_a_round)];
      ratios.push(ours / floor);
      process.stdout.write(`| ${round} | ${floor.toFixed(1)} | ${ours.toFixed(1)} | ${(ours / floor).toFixed(2)} |\n`);
    }
    process.stdout.write(
      `\nA task takes ${median(ratios).toFixed(2)} times a bare workflow (median of ${rounds} rounds of ${calls_a_round}).\n`,
    );
  } finally {
    bareWorker.shutdown();
    await bareRun;
    await connection.close();
    await simulator.close();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return true;
}

/** The p50 in milliseconds of that many calls, one after another. */
async function timed(call: () => Promise<void>, count: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

async function image(url: string, key: string): Promise<void> {
  const answer = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'sim-image', prompt: 'A toll gate at dawn', size: '1024x1024' }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** The same picture, made and made durable like a task's. */
async function makeAndWrite(simulator: TaskProvider, path: string): Promise<number> {
  const job: Job = {
    reference: 'tg-bench',
    kind: 'image',
    model: 'sim-image',
    options: {},
    fields: {},
    qualityScale: null,
    hookUrl: 'http://127.0.0.1/',
    input: {
      kind: 'image',
      request: {
        model: 'sim-image',
        prompt: 'A toll gate at dawn',
        quality: 'medium',
        n: 1,
        imageUrls: [],
        pixels: { mode: 'sized', width: 1024, height: 1024 },
      },
    },
  };
  const signal = AbortSignal.timeout(60_000);
  const submission = await simulator.submit(job, signal);
  const answer = submission.outcome === 'accepted' ? await simulator.poll(submission.jobId, job, signal) : undefined;
  if (answer?.state !== 'succeeded' || !answer.parts[0]) throw new Error('no picture');
  const file = await open(path, 'w');
  try {
    await writeFile(file, await answer.parts[0].open(signal));
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
