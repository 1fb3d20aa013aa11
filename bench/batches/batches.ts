/**
 * Batches beside the same chat calls made by a client that loops: calls a second, and CPU time of a call in the gateway,
 * in PostgreSQL and in Temporal, from the upload to the files. Then how much ten batches at once move interactive calls.
 * Rounds of both alternate, within one run; medians count.
 *
 *   npm run bench batches [-- --rounds 3 --lines 3000 --callers 16 --beside 3]
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startMock } from '../chat/parts.ts';
import { startGateway } from '../gateway.ts';
import { interruptibly } from '../interruption.ts';
import { checkSystem, cpuBetween, cpuTimes } from '../processes.ts';
import { openRawFigures, printVerdicts, say } from '../report.ts';
import { type Beside, type Measured, p99, tablesOf, verdictsOf } from './report.ts';
import { type Client, clientOf, configurationFor } from './sides.ts';

const usage = 'npm run bench batches -- [--rounds 3] [--lines 3000] [--callers 16] [--beside 3]';
const openingBalance = 1_000_000;
const batchesBeside = 10;
const pacedPerSecond = 20;
const pacedSeconds = 15;
/** More than are sent in that time. */
const linesBeside = 20_000;

interface Options {
  rounds: number;
  lines: number;
  callers: number;
  /** Rounds of interactive calls alone and beside batches; 0: none. */
  beside: number;
}

/** Runs it and prints the tables; returns whether the promises hold. */
export async function runBatches(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  checkSystem();
  const raw = openRawFigures('batches');
  say(
    `${options.rounds} rounds of ${options.lines} calls and as many lines, ${options.beside} beside batches; some minutes.`,
  );
  const { measured, beside } = await interruptibly((signal) => measure(options, (one) => raw.keep(one), signal));
  say(`Raw figures: ${raw.file}`);
  process.stdout.write(tablesOf(measured, beside));
  return printVerdicts(verdictsOf(measured, beside));
}

async function measure(
  { rounds, lines, callers, beside: besideRounds }: Options,
  keep: (one: object) => void,
  signal: AbortSignal,
): Promise<{ measured: Measured[]; beside: Beside[] }> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const mock = await startMock();
    stops.push(mock.stop);
    const gateway = await startGateway({ configuration: configurationFor(mock.url) });
    stops.push(gateway.stop);
    const { secret } = await gateway.customer(openingBalance, '--level', 'standard');
    const client = clientOf(gateway.url, secret);
    stops.push(client.close);
    const runs = {
      loop: () => client.loop(lines, callers),
      batch: async () => {
        const startedAt = performance.now();
        await client.batchEnd(await client.createBatch(lines), lines);
        return (performance.now() - startedAt) / 1000;
      },
    };
    const measured: Measured[] = [];
    // A round before them compiles code and fills caches.
    for (let round = 0; round <= rounds; round++) {
      // Either goes first as often as the other.
      for (const side of round % 2 === 1 ? (['loop', 'batch'] as const) : (['batch', 'loop'] as const)) {
        signal.throwIfAborted();
        const before = cpuTimes(gateway.pid);
        const seconds = await runs[side]();
        const cpu = cpuBetween(before, cpuTimes(gateway.pid));
        const one: Measured = { side, round, calls: lines, seconds, cpu };
        keep(one);
        say(
          `${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}, ${side}: ${(lines / seconds).toFixed(0)} a second`,
        );
        if (round > 0) measured.push(one);
      }
    }
    const beside: Beside[] = [];
    for (let round = 1; round <= besideRounds; round++) {
      signal.throwIfAborted();
      const one = { round, ...(await besideBatches(client)) };
      keep(one);
      say(
        `beside ${round} of ${besideRounds}: p99 ${p99(one.aloneMs).toFixed(1)} ms, ${p99(one.besideMs).toFixed(1)} ms beside`,
      );
      beside.push(one);
    }
    return { measured, beside };
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
  }
}

/** Interactive calls with no batch, then with ten of them; the batches are cancelled after it. */
async function besideBatches(client: Client): Promise<Omit<Beside, 'round'>> {
  const aloneMs = await client.paced(pacedPerSecond, pacedSeconds);
  const batches: string[] = [];
  for (let count = 0; count < batchesBeside; count++) batches.push(await client.createBatch(linesBeside));
  await Promise.all(batches.map((id) => client.batchBegins(id)));
  const besideMs = await client.paced(pacedPerSecond, pacedSeconds);
  for (const id of batches) await client.cancelBatch(id);
  await Promise.all(batches.map((id) => client.batchStops(id)));
  return { aloneMs, besideMs };
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ rounds: { type: 'string', default: '3' }, lines: { type: 'string', default: '3000' } },
      ...{ callers: { type: 'string', default: '16' }, beside: { type: 'string', default: '3' } },
    },
  });
  const whole = (name: keyof Options, min: number, max: number) => {
    const parsed = z.coerce.number().int().min(min).max(max).safeParse(values[name]);
    if (!parsed.success) throw new Error(`--${name} must be a whole number from ${min} to ${max}. ${usage}`);
    return parsed.data;
  };
  return {
    ...{ rounds: whole('rounds', 1, 100), lines: whole('lines', 100, 50_000) },
    ...{ callers: whole('callers', 1, 256), beside: whole('beside', 0, 100) },
  };
}
