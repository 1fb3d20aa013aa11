/** `npm run drill -- [--rounds N] [--seed S] [--only api,worker,temporal,postgres,disk,commit]`, and `npm run drill -- batch`. */
import { parseArgs } from 'node:util';
import { drillBatch } from './batch-drill.ts';
import { drill } from './drill.ts';
import { type Victim, victims } from './strikes.ts';

const usage = `npm run drill -- [options]

  --rounds <count>   how many blows (12)
  --seed <number>    draws victims and moments as the drill that printed it did
  --only <victims>   some of ${victims.join(', ')}, with commas between

npm run drill -- batch [options]: a batch, under kills of worker, PostgreSQL, API and Temporal in turn

  --lines <count>    of the batch, at most 50000 (3000)
  --every <seconds>  from a process being back to the next kill (10)
`;

/** Runs a drill as the command line has it; resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort(name));
  const { signal } = interrupted;
  try {
    if (args.includes('--help')) {
      say(usage);
      return 0;
    }
    if (args[0] === 'batch') {
      const { broken } = await drillBatch({ ...readBatchArguments(args.slice(1)), blowsMax: Infinity, signal, say });
      return broken.length === 0 ? 0 : 1;
    }
    const { rounds, seed, only } = readArguments(args);
    say(`seed ${seed}: npm run drill -- --rounds ${rounds} --seed ${seed}`);
    const { verdict } = await drill({
      ...{ rounds, seed, victims: only, apis: 2, workers: 2, callers: 6, misbehaviour: 0.25 },
      ...{ clocksDiffer: true, waitsForSweep: true, signal, say },
    });
    return verdict.broken.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  }
}

function readArguments(args: string[]): { rounds: number; seed: number; only: readonly Victim[] } {
  const options = { rounds: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } } as const;
  const { values } = parseArgs({ args, options });
  const names = values.only?.split(',') ?? victims.filter((victim) => victim !== 'disk' || process.getuid?.() === 0);
  const only = victims.filter((victim) => names.includes(victim));
  const rounds = Number(values.rounds ?? 12);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  if (only.length !== names.length || !(rounds > 0) || !Number.isInteger(seed)) throw new Error(usage);
  return { rounds, seed, only };
}

function readBatchArguments(args: string[]): { lines: number; everySeconds: number } {
  const { values } = parseArgs({ args, options: { lines: { type: 'string' }, every: { type: 'string' } } });
  const lines = Number(values.lines ?? 3_000);
  const everySeconds = Number(values.every ?? 10);
  if (!Number.isInteger(lines) || lines < 1 || lines > 50_000 || !(everySeconds > 0)) throw new Error(usage);
  return { lines, everySeconds };
}
