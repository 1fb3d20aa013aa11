/**
 * How long a gateway takes to start and to end: `npm start` with a new data folder and with the same once more, and the
 * roles of production beside it. Measured as a user has it, npm and the check of packages and build included.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePorts } from '../../src/embedded/ports.ts';
import { checkSystem } from '../processes.ts';
import { markdownTable, openRawFigures, printVerdicts, root, say } from '../report.ts';
import { median, percentile } from '../statistics.ts';
import { npmStart, type Place, type Started, type Step } from './npm-start.ts';
import { type RoleStarted, roles, roleStart } from './role-start.ts';

const usage = 'npm run bench start -- [--rounds 5]';
const warmMsPromised = 5_000;
const secondsARound = 25;

interface Round {
  cold: Started;
  warm: Started;
  roles: RoleStarted[];
}

/** Runs it and prints the tables; returns whether a warm start keeps what is promised. */
export async function runStart(args: readonly string[]): Promise<boolean> {
  const rounds = roundsOf(args);
  checkSystem();
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  try {
    // What a first start of all would build is no part of it.
    execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-stale'], { stdio: ['ignore', 2, 2] });
    const figures = openRawFigures('start');
    say(
      `${rounds} rounds of a cold start, a warm one, and the roles: ${Math.ceil((rounds * secondsARound) / 60)} minutes.`,
    );
    const done: Round[] = [];
    for (let round = 1; round <= rounds; round++) {
      const measured = await oneRound(interrupted.signal);
      figures.keep({ round, ...measured });
      done.push(measured);
      const { cold, warm } = measured;
      say(`round ${round} of ${rounds}: cold ${seconds(cold.readyMs)} s, warm ${seconds(warm.readyMs)} s`);
    }
    say(`Raw figures: ${figures.file}`);
    process.stdout.write(`${startTable(done)}\n${stepTable(done.map(({ warm }) => warm))}\n`);
    return printVerdicts([verdictOn(done.map(({ warm }) => warm.readyMs))]);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

async function oneRound(signal: AbortSignal): Promise<Round> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  try {
    const [port = 0, rolePort = 0] = await freePorts([undefined, undefined]);
    const place: Place = { dataDir, port };
    const cold = await npmStart(place, { signal });
    const started: RoleStarted[] = [];
    const use = async () => {
      for (const role of roles) started.push(await roleStart(role, { dataDir, port: rolePort }, signal));
    };
    const warm = await npmStart(place, { signal, use });
    return { cold, warm, roles: started };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function startTable(rounds: readonly Round[]): string {
  const rows = [
    row(
      '`npm start`, new data folder',
      rounds.map(({ cold }) => cold),
    ),
    row(
      '`npm start`, the same folder again',
      rounds.map(({ warm }) => warm),
    ),
    ...roles.map((role) =>
      row(
        `\`tollgate ${role}\``,
        rounds.flatMap((round) => round.roles.filter((one) => one.role === role)),
      ),
    ),
  ];
  const titles = ['start', 'ready s (median)', 'fastest', 'slowest', 'CPU s until ready', 'end s'];
  return markdownTable(titles, rows);
}

type Times = Pick<Started, 'readyMs' | 'cpuMs' | 'endMs'>;

function row(name: string, starts: readonly Times[]): string[] {
  const ready = starts.map(({ readyMs }) => readyMs);
  return [
    name,
    seconds(median(ready)),
    seconds(percentile(ready, 0)),
    seconds(percentile(ready, 1)),
    seconds(median(starts.map(({ cpuMs }) => cpuMs))),
    seconds(median(starts.map(({ endMs }) => endMs))),
  ];
}

/** Steps of the warm starts in the order of their beginnings; they overlap. */
export function stepTable(starts: readonly { steps: readonly Step[] }[]): string {
  const byName = new Map<string, Step[]>();
  for (const step of starts.flatMap(({ steps }) => steps))
    byName.set(step.step, [...(byName.get(step.step) ?? []), step]);
  const rows = [...byName]
    .map(([name, steps]) => ({
      name,
      fromMs: median(steps.map(({ fromMs }) => fromMs)),
      forMs: median(steps.map(({ forMs }) => forMs)),
    }))
    .sort((a, b) => a.fromMs - b.fromMs)
    .map(({ name, fromMs, forMs }) => [name, fromMs.toFixed(0), forMs.toFixed(0)]);
  return markdownTable(['step of a warm start', 'begins at ms', 'takes ms'], rows);
}

function verdictOn(readyMs: readonly number[]) {
  const warm = median(readyMs);
  const promised = seconds(warmMsPromised);
  return {
    holds: warm < warmMsPromised,
    words: `a warm npm start is ready in ${seconds(warm)} s (asked: under ${promised} s)`,
  };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

function roundsOf(args: readonly string[]): number {
  try {
    const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '5' } } });
    if (/^[1-9]\d{0,2}$/.test(values.rounds)) return Number(values.rounds);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} ${usage}`, { cause: error });
  }
  throw new Error(`--rounds must be a whole number from 1 to 999. ${usage}`);
}
