/**
 * Measures what the model of docs/scaling.md needs and no other benchmark gives (bytes of calls and tasks, commits of groups,
 * news of ended tasks), and plays points of its simulation with real processes on a real PostgreSQL.
 *
 *   npm run bench scaling [-- --seconds 5 --rates 100,400 --processes 1,2,3 --moves 4000]
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { markdownTable, openRawFigures, printVerdicts, say } from '../report.ts';
import { measureNotices } from './notices.ts';
import { costsOf, play, type Played, ratioBetween, unrestMax } from './play.ts';
import { startRealWorld } from './real-world.ts';
import type { GroupCosts } from './simulated-groups.ts';
import { measureSizes } from './sizes.ts';

interface Options {
  seconds: number;
  rates: readonly number[];
  processes: readonly number[];
  moves: number;
}

const deviationMax = 2;

/** Prints lines for bench/scaling/figures.ts, and the simulation beside what really happened. */
export async function runScaling(args: readonly string[]): Promise<boolean> {
  const options = optionsOf(args);
  const { seconds, rates, processes, moves } = options;
  const points = processes.flatMap((count) => rates.map((rate) => ({ processes: count, rate })));
  say(`About ${Math.ceil((30 + points.length * (seconds + 12)) / 60)} minutes on a quiet machine, longer on another.`);
  const raw = openRawFigures('scaling');
  const starting = startRealWorld();
  const onSignal = () => void starting.then((started) => started.stop()).finally(() => process.exit(130));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const world = await starting;
  try {
    say('What calls and tasks leave in the database …');
    const sizes = await measureSizes(world, moves);
    say('News of ended tasks …');
    const notices = await measureNotices(world, moves);
    raw.keep({ ...sizes, ...notices });
    const played: Played[] = [];
    for (const point of points) {
      say(`The hot account: ${point.rate} calls a second over ${point.processes} processes …`);
      const each = await play(world, point, seconds);
      raw.keep(each);
      played.push(each);
    }
    const costs = costsOf(played.map(({ calibrated }) => calibrated));
    process.stdout.write(`${linesOf({ ...sizes, ...notices })}${linesOf(figuresOf(costs))}\n${tableOf(played)}\n`);
    return printVerdicts(played.map(verdictOf));
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await world.stop();
    say(`Raw figures: ${raw.file}`);
  }
}

/** By the names of bench/scaling/figures.ts; its round trip is a data centre's and not this loopback's. */
const figuresOf = ({ knownMs, knownMsPerMove, lockedMs, lockedMsPerMove, flushMs }: GroupCosts) => ({
  ...{ groupKnownMs: knownMs, moveKnownMs: knownMsPerMove },
  ...{ groupLockedMs: lockedMs, moveLockedMs: lockedMsPerMove, flushMs },
});

const linesOf = (figures: object): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name}: ${Number(Number(value).toPrecision(2))}\n`)
    .join('');

function tableOf(played: readonly Played[]): string {
  const ms = (real: number, simulated: number) => `${real.toFixed(1)} / ${simulated.toFixed(1)}`;
  return markdownTable(
    ['real / simulated', 'admitted a second', 'p50 ms', 'p99 ms', 'moves a group', 'unrest'],
    played.map(({ processes, rate, real, simulated, unrest }) => [
      `${processes} processes, ${rate} calls a second`,
      `${real.admittedPerSecond.toFixed(0)} / ${simulated.admittedPerSecond.toFixed(0)}`,
      ms(real.p50Ms, simulated.p50Ms),
      ms(real.p99Ms, simulated.p99Ms),
      ms(real.movesPerGroup, simulated.movesPerGroup),
      unrest.toFixed(2),
    ]),
  );
}

function verdictOf({ processes, rate, real, simulated, unrest }: Played) {
  const deviation = ratioBetween(real.p50Ms, simulated.p50Ms);
  const isQuiet = unrest <= unrestMax;
  return {
    holds: isQuiet && deviation <= deviationMax,
    words:
      `${processes} processes at ${rate} calls a second: the simulation's p50 is off by ${deviation.toFixed(2)} times, ` +
      `at most ${deviationMax} is good${isQuiet ? '' : `; the machine was busy (a commit changed ${unrest.toFixed(1)} times)`}`,
  };
}

function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '5' },
      rates: { type: 'string', default: '100,400' },
      processes: { type: 'string', default: '1,2,3' },
      moves: { type: 'string', default: '4000' },
    },
  });
  const list = (name: 'rates' | 'processes', max: number) =>
    values[name].split(',').map((text) => whole(`--${name}`, text, max));
  return {
    seconds: whole('--seconds', values.seconds, 600),
    rates: list('rates', 10_000),
    processes: list('processes', 16),
    moves: whole('--moves', values.moves, 1_000_000),
  };
}

function whole(option: string, text: string, max: number): number {
  const read = z.coerce.number().int().min(1).max(max).safeParse(text);
  if (!read.success)
    throw new Error(`${option} takes whole numbers from 1 to ${max.toLocaleString('en')}, not '${text}'`);
  return read.data;
}
