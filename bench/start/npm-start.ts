/** One `npm start` as a user has it: from the command to `/readyz` 200, then Ctrl-C until npm has ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { startEnvironment } from '../gateway.ts';
import { cpuTimes, sumOf } from '../processes.ts';
import { root } from '../report.ts';

const lookMs = 10;
/** Where there is no Temporal server yet, one is built. */
const readyMsMax = 300_000;
const endingMsMax = 60_000;
/** The line comes after the first answer: memory is given back in between. */
const readyLineMsMax = 10_000;

const stepSchema = z.object({ step: z.string(), fromMs: z.number(), forMs: z.number() });
const readyLineSchema = z.object({
  msg: z.literal('ready'),
  time: z.string(),
  readyMs: z.number(),
  steps: z.array(stepSchema),
});
export type Step = z.infer<typeof stepSchema>;

export interface Started {
  readyMs: number;
  /** Of all its processes until then. */
  cpuMs: number;
  /** Counted from the command, npm's own time first. */
  steps: Step[];
  endMs: number;
}

export interface Place {
  dataDir: string;
  port: number;
  /** The copy of the project whose `npm start` it is. */
  folder?: string;
}

/** Starts, waits, lets the caller use what runs, and ends it as Ctrl-C in a terminal does, which all of npm's processes hear. */
export async function npmStart(
  { dataDir, port, folder = root }: Place,
  { signal, use }: { signal: AbortSignal; use?: (url: string) => Promise<void> },
): Promise<Started> {
  const url = `http://127.0.0.1:${port}`;
  const spawnedAtMs = Date.now();
  const startedAt = performance.now();
  const npm = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...startEnvironment(), PORT: String(port), TOLLGATE_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true, // a process group of its own, as in a terminal
  });
  const pid = npm.pid ?? 0;
  const exited = once(npm, 'exit');
  const hasEnded = () => npm.exitCode !== null || npm.signalCode !== null;
  try {
    await becomesReady(`${url}/readyz`, { hasEnded, signal });
    const readyMs = performance.now() - startedAt;
    const cpuMs = sumOf(cpuTimes(pid));
    const steps = await loggedSteps(dataDir, spawnedAtMs);
    await use?.(url);
    return { readyMs, cpuMs, steps, endMs: await interrupt() };
  } catch (error) {
    if (!hasEnded()) await interrupt();
    throw error;
  }

  async function interrupt(): Promise<number> {
    const askedAt = performance.now();
    process.kill(-pid, 'SIGINT');
    const timer = setTimeout(() => process.kill(-pid, 'SIGKILL'), endingMsMax);
    await exited;
    clearTimeout(timer);
    return performance.now() - askedAt;
  }
}

/** Waits until an address answers 200; looks every 10 ms, which the gateway hardly notices. */
export async function becomesReady(
  address: string,
  { hasEnded, signal }: { hasEnded: () => boolean; signal: AbortSignal },
): Promise<void> {
  for (const until = performance.now() + readyMsMax; performance.now() < until;) {
    signal.throwIfAborted();
    if (hasEnded()) throw new Error(`It ended before ${address} answered.`);
    const isReady = await fetch(address, { signal: AbortSignal.timeout(2_000) }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status === 200;
      },
      () => false, // it does not listen yet
    );
    if (isReady) return;
    await pause(lookMs);
  }
  throw new Error(`${address} did not answer 200 within ${readyMsMax / 1000} seconds.`);
}

/** Waits until the gateway's log says how it started; nothing of a version that doesn't say so. */
async function loggedSteps(dataDir: string, spawnedAtMs: number): Promise<Step[]> {
  for (const until = performance.now() + readyLineMsMax; performance.now() < until;) {
    const steps = await stepsOf(dataDir, spawnedAtMs);
    if (steps.length > 0) return steps;
    await pause(lookMs);
  }
  return [];
}

/** What the gateway's log says of its own start, with npm's time before it; nothing if it doesn't yet. */
async function stepsOf(dataDir: string, spawnedAtMs: number): Promise<Step[]> {
  const lines = (await readFile(join(dataDir, 'gateway.log'), 'utf8')).trim().split('\n').reverse();
  for (const line of lines) {
    const ready = readyLineSchema.safeParse(JSON.parse(line));
    if (ready.success) return fromCommand(ready.data, spawnedAtMs);
  }
  return [];
}

/** Steps count from the start of the gateway's process; here from that of npm's. */
export function fromCommand(ready: z.infer<typeof readyLineSchema>, spawnedAtMs: number): Step[] {
  const npmMs = Date.parse(ready.time) - ready.readyMs - spawnedAtMs;
  if (npmMs < 0) return []; // a line of the start before this one
  return [
    { step: 'npm', fromMs: 0, forMs: npmMs },
    ...ready.steps.map(({ fromMs, ...step }) => ({ ...step, fromMs: fromMs + npmMs })),
  ];
}
