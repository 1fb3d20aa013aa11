/**
 * Uploads and downloads: MB/s, CPU time per GB and memory of an API process, one at a time and several at once, beside a
 * bare Node server that moves the same bytes between the network and the same disk. Rounds of all alternate.
 */
import { parseArgs } from 'node:util';
import { checkSystem } from '../processes.ts';
import { openRawFigures, printVerdicts, say } from '../report.ts';
import { measure, type Measurement, type Scenario, scenarios } from './measure.ts';
import { type Client, startClient, startFloor } from './parts.ts';
import { tables, verdictsOn } from './report.ts';
import { startS3Server } from './s3-server.ts';
import { floorTarget, startTarget, type Target } from './target.ts';

const usage = 'npm run bench transfers -- [--mb 200] [--at-once 4] [--rounds 5] [--s3]';
/** As it comes with all three processes on two cores. */
const mbASecond = 150;

interface Plan {
  bytes: number;
  atOnce: number;
  rounds: number;
  withS3: boolean;
}

/** Runs it and prints the tables; returns whether all transfers came whole and memory kept its bounds. */
export async function runTransfers(args: readonly string[]): Promise<boolean> {
  const plan = readOptions(args);
  checkSystem();
  const stops: (() => Promise<void>)[] = [];
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const kept = <T extends { stop: () => Promise<void> }>(part: T): T => {
    stops.push(part.stop);
    interrupted.signal.throwIfAborted();
    return part;
  };
  try {
    const client = kept(await startClient());
    interrupted.signal.addEventListener('abort', () => void client.stop());
    const targets = [floorTarget(kept(await startFloor(plan.bytes))), kept(await startTarget('Tollgate', plan.bytes))];
    if (plan.withS3) {
      const { env } = kept(await startS3Server());
      targets.push(kept(await startTarget('Tollgate over S3', plan.bytes, env)));
    }
    const figures = openRawFigures('transfers');
    const seconds =
      ((plan.rounds + 1) * targets.length * scenarios.length * (1 + plan.atOnce) * plan.bytes) / 1e6 / mbASecond;
    say(
      `${plan.rounds} rounds of ${targets.map(({ name }) => name).join(', ')}: about ${Math.ceil(seconds / 60)} minutes.`,
    );
    const all = await measureAll(client, targets, plan, interrupted.signal, (one) => {
      figures.keep(one);
      say(progressLine(one, plan.rounds));
    });
    say(`Raw figures: ${figures.file}`);
    process.stdout.write(tables(all, plan));
    return printVerdicts(verdictsOn(all));
  } catch (error) {
    interrupted.signal.throwIfAborted(); // what failed then is only what the interruption ended
    throw error;
  } finally {
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

/** Every target in turn, in another order each round; a round before them compiles code and fills caches. */
async function measureAll(
  client: Client,
  targets: readonly Target[],
  { bytes, atOnce, rounds }: Plan,
  signal: AbortSignal,
  keep: (one: Measurement) => void,
): Promise<Measurement[]> {
  const all: Measurement[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const [scenario, count] of casesOf(atOnce)) {
      const first = round % targets.length;
      for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
        signal.throwIfAborted();
        const one = await measure(client, { target, scenario, atOnce: count, bytes, round });
        keep(one);
        if (round > 0 || one.failures.length > 0) all.push(one);
      }
    }
  }
  return all;
}

const casesOf = (atOnce: number): [Scenario, number][] =>
  scenarios.flatMap((scenario): [Scenario, number][] => [1, atOnce].map((count) => [scenario, count]));

function progressLine({ round, scenario, atOnce, target, mbPerSecond, failures }: Measurement, rounds: number): string {
  const when = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
  const failed = failures.length === 0 ? '' : `; FAILED: ${[...new Set(failures)].join('; ')}`;
  return `${when}, ${scenario}, ${atOnce} at once, ${target}: ${mbPerSecond.toFixed(0)} MB/s${failed}`;
}

function readOptions(args: readonly string[]): Plan {
  const { values } = parsed(args);
  const whole = (name: 'mb' | 'at-once' | 'rounds', least: number, most: number) => {
    const number = /^\d{1,4}$/.test(values[name]) ? Number(values[name]) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new Error(`--${name} must be a whole number from ${least} to ${most}. ${usage}`);
  };
  return {
    bytes: whole('mb', 1, 500) * 1_000_000,
    atOnce: whole('at-once', 2, 64),
    rounds: whole('rounds', 1, 999),
    withS3: values.s3,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        mb: { type: 'string', default: '200' },
        'at-once': { type: 'string', default: '4' },
        rounds: { type: 'string', default: '5' },
        s3: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} ${usage}`, { cause: error });
  }
}
