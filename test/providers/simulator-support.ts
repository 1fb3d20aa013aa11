/** Jobs for the simulator, and a simulator whose downloads come from a table. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ProviderSettings } from '../../src/domain/catalogue.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import type { Job, Poll } from '../../src/providers/contract.ts';
import { createSimulator, type Simulator } from '../../src/simulator/simulator.ts';

export const signal = new AbortController().signal;

export interface Bench {
  simulator: Simulator;
  /** What the simulator can download, by URL. */
  files: Map<string, Buffer>;
  downloads: string[];
  clock: { nowMs: number };
  /** Work folders that are there. */
  leftovers(): Promise<string[]>;
}

/** A simulator that the test closes; its folders are gone afterwards. */
export async function openBench(knobs: Record<string, number> = {}): Promise<Bench & { close(): Promise<void> }> {
  const tempDir = await mkdtemp(join(tmpdir(), 'tollgate-simulator-'));
  const files = new Map<string, Buffer>();
  const downloads: string[] = [];
  const clock = { nowMs: 1_790_000_000_000 };
  const settings: ProviderSettings = {
    ...{ name: 'local', kind: 'simulator', secrets: {}, headers: {} },
    ...{ timeoutMs: 1_000, idleTimeoutMs: 1_000, deadlineMs: 1_000 },
    numbers: { latency_ms: 0, fail_rate: 0, seed: 1, ...knobs },
  };
  const simulator = createSimulator(settings, {
    tempDir,
    now: () => clock.nowMs,
    fetchFile: (url, param) => {
      downloads.push(url);
      const file = files.get(url);
      if (file !== undefined) return Promise.resolve(Readable.from([file]));
      return Promise.reject(new GatewayError('invalid_parameter', 'nothing there', { param }));
    },
  });
  const close = async () => {
    await simulator.close();
    await rm(tempDir, { recursive: true });
  };
  return { simulator, files, downloads, clock, leftovers: () => readdir(tempDir), close };
}

/** Lends a simulator of its own and takes it back. */
export async function withSimulator(
  use: (bench: Bench) => Promise<void>,
  knobs?: Record<string, number>,
): Promise<void> {
  const bench = await openBench(knobs);
  try {
    await use(bench);
  } finally {
    await bench.close();
  }
}

/** Submits, and polls until the job is final. */
export async function finish(simulator: Simulator, job: Job): Promise<Exclude<Poll, { state: 'processing' }>> {
  const submission = await simulator.submit(job, signal);
  if (submission.outcome !== 'accepted') throw new Error(`not accepted but ${submission.outcome}`);
  for (;;) {
    const poll = await simulator.poll(submission.jobId, job, signal);
    if (poll.state !== 'processing') return poll;
  }
}

/** The bytes of all parts of a job that has to succeed. */
export async function results(simulator: Simulator, job: Job): Promise<Buffer[]> {
  const poll = await finish(simulator, job);
  if (poll.state !== 'succeeded') throw poll.state === 'failed' ? poll.error : new Error(`the job is ${poll.state}`);
  const files: Buffer[] = [];
  for (const part of poll.parts) files.push(await buffer(await part.open(signal)));
  return files;
}

/** The only result. */
export async function result(simulator: Simulator, job: Job): Promise<Buffer> {
  const [file, ...others] = await results(simulator, job);
  if (file === undefined || others.length > 0) throw new Error('one result was expected');
  return file;
}

/** Resolves once no work folder is left; removing begins when a result was read to its end. */
export async function emptied(bench: Pick<Bench, 'leftovers'>): Promise<void> {
  while ((await bench.leftovers()).length > 0) await new Promise((resolve) => setImmediate(resolve));
}
