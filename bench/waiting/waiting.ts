/**
 * What callers cost who wait for the end of a task, 1,000 and 5,000 at once, and how soon they have it: memory and CPU
 * time of the API at rest against the same API without callers, and the time from a task's end to its answer's first byte.
 *
 *   npm run bench waiting [-- --callers 1000,5000 --rounds 3 --coming 30 --ending 30]
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { end } from '../children.ts';
import { startGateway } from '../gateway.ts';
import { interruptibly } from '../interruption.ts';
import { checkSystem, openFilesMax } from '../processes.ts';
import { openRawFigures, printVerdicts, type RawFigures, root, say } from '../report.ts';
import { timesOf, type Wanted, warmUpCalls } from './ends.ts';
import { startApi } from './measured-api.ts';
import { bytesPerCaller, tableOf, verdictsOf } from './report.ts';
import { type Bench, measureRound, type Round } from './round.ts';

const usage = 'npm run bench waiting -- [--callers 1000,5000] [--rounds 3] [--coming 30] [--ending 30]';
const openingBalance = 1_000_000;
const callersMax = 10_000;

/** Runs it and prints the table; returns whether the promises hold. */
export async function runWaiting(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  checkSystem();
  checkOpenFiles(Math.max(...options.counts));
  const raw = openRawFigures('waiting');
  const rounds = await interruptibly((signal) => measureRounds(options, raw, signal));
  say(`Raw figures: ${raw.file}`);
  process.stdout.write(`${tableOf(rounds)}\n`);
  return printVerdicts(verdictsOf(rounds));
}

async function measureRounds(options: Options, raw: RawFigures, signal: AbortSignal): Promise<Round[]> {
  const { comingPerSecond, endingPerSecond } = options;
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const bench = await begin(stops, signal);
    const minutes = minutesOf(options);
    say(`${options.rounds} rounds of ${options.counts.join(' and ')} callers: about ${minutes} minutes.`);
    const rounds: Round[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      for (const callers of options.counts) {
        const measured = await measuredRound(bench, { callers, comingPerSecond, endingPerSecond }, round);
        raw.keep(measured);
        say(
          `round ${round}/${options.rounds}  ${callers} callers  ${(bytesPerCaller(measured) / 1024).toFixed(1)} KB each  delay p99 ${measured.spread.p99.toFixed(0)} ms, in the burst ${measured.burst.p99.toFixed(0)} ms`,
        );
        rounds.push(measured);
      }
    }
    return rounds;
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
  }
}

/** On an API of its own: the memory that one round's callers leave behind would serve the next one's. */
async function measuredRound(bench: Omit<Bench, 'api'>, wanted: Wanted, round: number): Promise<Round> {
  const api = await startApi(bench.gateway);
  try {
    return await measureRound({ ...bench, api }, wanted, round);
  } finally {
    await api.stop();
  }
}

/** Starts everything, and notes how each is stopped. */
async function begin(stops: (() => Promise<unknown>)[], signal: AbortSignal): Promise<Omit<Bench, 'api'>> {
  const gateway = await startGateway({});
  stops.push(gateway.stop);
  const { secret } = await gateway.customer(openingBalance);
  const callers = fork(join(import.meta.dirname, 'callers-process.ts'), { cwd: root, execArgv: ['--import', 'tsx'] });
  stops.push(() => end(callers));
  signal.addEventListener('abort', () => void end(callers)); // their answers are not needed any more
  const database = new pg.Client({ connectionString: gateway.databaseUrl });
  database.on('error', (error) => say(error.message)); // the next question fails
  await database.connect();
  stops.push(() => database.end());
  return { gateway, callers, database, secret, signal };
}

type Options = ReturnType<typeof readOptions>;

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ callers: { type: 'string', default: '1000,5000' }, rounds: { type: 'string', default: '3' } },
      ...{ coming: { type: 'string', default: '30' }, ending: { type: 'string', default: '30' } },
    },
  });
  const whole = (name: string, text: string, max: number) => {
    const parsed = z.coerce.number().int().min(1).max(max).safeParse(text);
    if (!parsed.success) throw new Error(`--${name} takes whole numbers from 1 to ${max}. ${usage}`);
    return parsed.data;
  };
  return {
    counts: values.callers.split(',').map((text) => whole('callers', text, callersMax)),
    rounds: whole('rounds', values.rounds, 100),
    comingPerSecond: whole('coming', values.coming, 1_000),
    endingPerSecond: whole('ending', values.ending, 1_000),
  };
}

function minutesOf({ counts, rounds, ...pace }: Options): number {
  const restMs = 20_000 + (warmUpCalls / pace.comingPerSecond) * 1_000;
  const ms = counts.map((callers) => timesOf({ callers, ...pace }).lastEndAfterMs + callers * 5 + restMs);
  return Math.ceil((rounds * ms.reduce((sum, each) => sum + each, 0)) / 60_000);
}

/** API and callers have a socket each a caller, and some files of their own. */
function checkOpenFiles(callers: number): void {
  const needed = callers + 200;
  const allowed = openFilesMax();
  if (allowed >= needed) return;
  throw new Error(
    `${callers} callers need ${needed} open files a process, ${allowed} are allowed: raise it with ulimit -n ${needed}, or have fewer with --callers.`,
  );
}
