/** `npm run drill -- [--rounds N] [--seed S] [--only api,worker,temporal,postgres,disk,commit]`. */
import { parseArgs } from 'node:util';
import { drill } from './drill.ts';
import { type Victim, victims } from './strikes.ts';

const usage = `npm run drill -- [options]

  --rounds <count>   how many blows (12)
  --seed <number>    draws victims and moments as the drill that printed it did
  --only <victims>   some of ${victims.join(', ')}, with commas between
`;

/** Runs a drill as the command line has it; resolves with the exit code. */
export async function main(args: string[]): Promise<number> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort(name));
  try {
    const { rounds, seed, only } = readArguments(args);
    say(`seed ${seed}: npm run drill -- --rounds ${rounds} --seed ${seed}`);
    const { verdict } = await drill({
      ...{ rounds, seed, victims: only, apis: 2, workers: 2, callers: 6, misbehaviour: 0.25 },
      ...{ clocksDiffer: true, waitsForSweep: true, signal: interrupted.signal, say },
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
