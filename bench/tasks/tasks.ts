/**
 * What a task costs beside a bare Temporal workflow: 1024x1024 images from the simulator at no latency, against a workflow
 * of the same number of activities that makes and writes the same bytes on the same server. Tasks a second, how long one
 * caller alone waits, CPU time by part, and what a task leaves in Temporal. Rounds of both alternate; medians count.
 *
 *   npm run bench tasks [-- --rounds 5 --tasks 400 --callers 32 --alone 40 --only start,split,postgres]
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { z } from 'zod';
import { end, nextMessage } from '../children.ts';
import { interruptibly } from '../interruption.ts';
import { startOptions } from '../start-options.ts';
import { cpuTimes, sumOf } from '../processes.ts';
import { openRawFigures, printVerdicts, type RawFigures, root, say, type Verdict } from '../report.ts';
import {
  type Arrangement,
  type ArrangementName,
  arrange,
  arrangementNames,
  type CpuByPart,
  titles,
} from './arrangements.ts';
import { imageCalls } from './callers.ts';
import { type DatabaseWork, databaseWork } from './database-work.ts';
import { historyOf, type HistoryFacts } from './history.ts';
import { loadResultSchema, type TaskLoad, type TaskLoadResult } from './messages.ts';
import { type Measured, type MeasuredLoad, tablesOf, verdictsOf, type Written } from './tables.ts';
import { median } from '../statistics.ts';

const usage = `npm run bench tasks -- [--rounds 5] [--tasks 400] [--callers 32] [--alone 40] [--only ${arrangementNames.join(',')}] [--profiles FOLDER]`;

interface Options {
  rounds: number;
  tasks: number;
  callers: number;
  alone: number;
  chosen: readonly ArrangementName[];
  /** Where V8's CPU profiles of the gateway's threads are written when it ends, with `npm start` only. */
  profiles: string | undefined;
}

/** Runs it and prints the tables; returns whether the promises hold where they are made, with `npm start`. */
export async function runTasks(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  const raw = openRawFigures('tasks');
  const verdicts: Verdict[] = [];
  for (const name of options.chosen) {
    say(
      `${titles[name]}: ${options.rounds} rounds of ${options.tasks} tasks by ${options.callers} callers and ${options.alone} by one, and as many bare workflows; some two minutes.`,
    );
    const { measured, history, written } = await interruptibly((signal) => measureIn(name, options, raw, signal));
    process.stdout.write(`### ${titles[name]}\n\n${tablesOf(measured, history, written)}\n`);
    if (name === 'start') verdicts.push(...verdictsOf(measured, history));
  }
  say(`Raw figures: ${raw.file}`);
  return printVerdicts(verdicts);
}

/** A process that runs loads, and what it costs besides the arrangement's own parts. */
interface Side {
  name: Measured['side'];
  run(load: TaskLoad): Promise<TaskLoadResult>;
  cpu(): CpuByPart;
}

async function measureIn(
  name: ArrangementName,
  { rounds, tasks, callers, alone, profiles }: Options,
  raw: RawFigures,
  signal: AbortSignal,
) {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const arrangement = await arrange(name, profiles);
    stops.push(arrangement.stop);
    const { url, secret, temporalAddress, namespace, folder } = arrangement;
    const child = async (file: string, env: Record<string, string>) => {
      const process_ = fork(join(import.meta.dirname, file), {
        ...{
          cwd: root,
          execArgv: [...startOptions, '--import', 'tsx'],
          env: { ...process.env, NODE_ENV: 'production', ...env },
        },
      });
      stops.push(() => end(process_));
      signal.addEventListener('abort', () => void end(process_), { once: true });
      await nextMessage(process_);
      const run = async (load: TaskLoad) => {
        signal.throwIfAborted();
        process_.send(load);
        return loadResultSchema.parse(await nextMessage(process_));
      };
      return { run, cpuMs: () => sumOf(cpuTimes(process_.pid ?? 0)) };
    };
    const bare = await child('bare.ts', {
      TEMPORAL: temporalAddress,
      NAMESPACE: namespace,
      FOLDER: join(folder, 'bare'),
    });
    const calls = await child('callers-process.ts', { URL: url, SECRET: secret });
    const sides: Side[] = [
      { name: 'bare', run: bare.run, cpu: () => ({ ...arrangement.cpu(), 'bare worker': bare.cpuMs() }) },
      { name: 'task', run: calls.run, cpu: () => arrangement.cpu() },
    ];
    const measured: Measured[] = [];
    for (const side of sides) {
      await side.run({ tasks: Math.max(callers, tasks), callers });
      await side.run({ tasks: alone, callers: 1 });
    }
    for (let round = 1; round <= rounds; round++) {
      // Either goes first as often as the other.
      for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
        const many = await measureOne(side, { tasks, callers });
        const one = await measureOne(side, { tasks: alone, callers: 1 });
        const result: Measured = { side: side.name, round, many, one };
        raw.keep({ arrangement: name, ...result });
        say(
          `round ${round}/${rounds}  ${side.name}  ${(tasks / many.seconds).toFixed(1)} a second  alone p50 ${one.p50Ms.toFixed(1)} ms`,
        );
        measured.push(result);
      }
    }
    const written = await writtenBy(sides, arrangement, { tasks, callers });
    raw.keep({ arrangement: name, written });
    return { measured, history: await historyOfOne(arrangement), written };
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
  }
}

/** One load, with the CPU time of all parts round it. */
async function measureOne(side: Side, load: TaskLoad): Promise<MeasuredLoad> {
  const before = side.cpu();
  const { seconds, timesMs } = await side.run(load);
  const after = side.cpu();
  const cpuMs = Object.fromEntries(
    Object.entries(after).map(([part, ms]) => [part, (ms - (before[part] ?? 0)) / load.tasks]),
  );
  return { tasks: load.tasks, seconds, p50Ms: median(timesMs), cpuMs };
}

/** What a task, and a bare workflow, has each database commit and log, with many callers at once and its checkpoints included. */
async function writtenBy(sides: readonly Side[], { databases }: Arrangement, load: TaskLoad): Promise<Written[]> {
  const written: Written[] = [];
  const look = () => Promise.all(Object.values(databases).map(databaseWork));
  for (const side of sides) {
    const before = await look();
    await side.run(load);
    const after = await look();
    for (const [index, part] of Object.keys(databases).entries()) {
      const [from, to] = [before[index], after[index]];
      if (!from || !to) continue;
      const each = (value: (of: DatabaseWork) => number) => (value(to) - value(from)) / load.tasks;
      written.push({
        side: side.name,
        part,
        commits: each(({ commits }) => commits),
        walBytes: each(({ walBytes }) => walBytes),
      });
    }
  }
  return written;
}

/** A plain task's, once its workflow has closed. */
async function historyOfOne({ url, secret, temporalAddress, namespace }: Arrangement): Promise<HistoryFacts> {
  const { call, close } = imageCalls(url, secret);
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const client = new Client({ connection, namespace });
    const id = await call();
    await client.workflow.getHandle(id).result();
    return await historyOf(client, id);
  } finally {
    await Promise.all([close(), connection.close()]);
  }
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ rounds: { type: 'string', default: '5' }, tasks: { type: 'string', default: '400' } },
      ...{ callers: { type: 'string', default: '32' }, alone: { type: 'string', default: '40' } },
      ...{ only: { type: 'string' }, profiles: { type: 'string' } },
    },
  });
  const whole = (name: 'rounds' | 'tasks' | 'callers' | 'alone', max: number) => {
    const parsed = z.coerce.number().int().min(1).max(max).safeParse(values[name]);
    if (!parsed.success) throw new Error(`--${name} must be a whole number from 1 to ${max}. ${usage}`);
    return parsed.data;
  };
  const chosen = z.array(z.enum(arrangementNames)).safeParse(values.only?.split(',') ?? arrangementNames);
  if (!chosen.success) throw new Error(`--only takes ${arrangementNames.join(', ')}. ${usage}`);
  return {
    ...{ rounds: whole('rounds', 100), tasks: whole('tasks', 100_000) },
    ...{
      callers: whole('callers', 256),
      alone: whole('alone', 10_000),
      chosen: chosen.data,
      profiles: values.profiles,
    },
  };
}
