/**
 * What a chat call costs: the gateway, with keys, limits, holds and ledger all on, against a bare Koa application and, with
 * `--peers`, other gateways; in one run on one machine. CPU time per call is the number to hold on to.
 */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkSystem, openFilesMax } from '../processes.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { checkLedger } from './ledger-check.ts';
import { countCalls, measure, type Measurement } from './measure.ts';
import { type LoadGenerator, startFloor, startLoad, startMock } from './parts.ts';
import { startPeers } from './peers.ts';
import { progressLine, table } from './report.ts';
import { firstWarmUps, type Scenario, scenarios, secondsOf } from './scenarios.ts';
import { pathOfChat, plain, type Target } from './targets.ts';

const usage = `npm run bench chat -- [--rounds 3] [--only ${scenarios.map(({ name }) => name).join(',')}] [--peers]`;
const say = (line: string) => process.stderr.write(`${line}\n`);

/** Runs it and prints the tables; returns whether no call failed and the ledger holds. */
export async function runChat(args: readonly string[]): Promise<boolean> {
  const { rounds, chosen, withPeers } = readOptions(args);
  checkSystem();
  checkOpenFiles(chosen);
  const stops: (() => Promise<void>)[] = [];
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    const mock = await startMock();
    stops.push(mock.stop);
    const floor = await startFloor(mock.url);
    stops.push(floor.stop);
    const load = startLoad();
    stops.push(load.stop);
    interrupted.signal.addEventListener('abort', () => void load.stop());
    const floorTarget = { ...plain, ...floor, name: 'floor', title: 'floor (bare Koa)', url: floor.url + pathOfChat };
    const targets: Target[] = [floorTarget];
    const gateway = await startGateway(mock.url);
    stops.push(gateway.stop);
    targets.push(gateway);
    if (withPeers) {
      await startPeers(mock.url, say, (target) => {
        stops.push(target.stop);
        targets.push(target);
      });
    }
    const seconds = chosen.reduce((sum, scenario) => sum + secondsOf(scenario), 0) * targets.length * rounds;
    say(`Measuring ${targets.map(({ title }) => title).join(', ')}: about ${Math.ceil(seconds / 60)} minutes.`);
    const measurements = await measureAll({ load, targets, chosen, rounds, signal: interrupted.signal });
    for (const scenario of chosen) process.stdout.write(`${table(scenario, targets, measurements)}\n`);
    return await judge(gateway, measurements);
  } catch (error) {
    interrupted.signal.throwIfAborted(); // what failed then is only what the interruption ended
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
  }
}

interface Plan {
  load: LoadGenerator;
  targets: readonly Target[];
  chosen: readonly Scenario[];
  rounds: number;
  signal: AbortSignal;
}

/** Every target in turn for each scenario, in another order each round, so that none is always the one after the same. */
async function measureAll({ load, targets, chosen, rounds, signal }: Plan): Promise<Measurement[]> {
  const folder = join(import.meta.dirname, '..', '.results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `chat-${new Date().toISOString().replaceAll(':', '-')}.jsonl`);
  const measurements: Measurement[] = [];
  const keep = async (measurement: Measurement) => {
    measurements.push(measurement);
    say(progressLine(measurement, rounds));
    await appendFile(file, `${JSON.stringify(measurement)}\n`);
  };
  for (const target of targets) {
    for (const scenario of firstWarmUps) {
      signal.throwIfAborted();
      await keep(await measure(load, { target, scenario, round: 0, warmUpMs: 0 }));
    }
  }
  for (let round = 1; round <= rounds; round++) {
    for (const scenario of chosen) {
      const first = (round - 1) % targets.length;
      for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
        if (target.skipped.includes(scenario.name)) continue;
        signal.throwIfAborted();
        await keep(await measure(load, { target, scenario, round }));
      }
    }
  }
  say(`Raw figures: ${file}`);
  return measurements;
}

/** Prints what the gateway's ledger says of the load, and whether a call failed. */
async function judge(gateway: Gateway, all: readonly Measurement[]): Promise<boolean> {
  const ofGateway = all.filter(({ target }) => target === gateway.name);
  const findings = await checkLedger(gateway.purse, countCalls(ofGateway));
  const failed = all.reduce((sum, { errors, warmUp }) => sum + errors + warmUp.errors, 0);
  findings.push({ holds: failed === 0, words: `${failed} calls failed, warm-ups and all targets included` });
  process.stdout.write("After the load, by the gateway's ledger:\n\n");
  for (const { holds, words } of findings) process.stdout.write(`- ${holds ? 'good' : 'WRONG'}: ${words}\n`);
  return findings.every(({ holds }) => holds);
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      only: { type: 'string' },
      peers: { type: 'boolean', default: false },
    },
  });
  const names = values.only?.split(',');
  const unknown = names?.find((name) => !scenarios.some((scenario) => scenario.name === name));
  const rounds = /^\d{1,3}$/.test(values.rounds) ? Number(values.rounds) : 0;
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}. ${usage}`);
  if (rounds < 1) throw new Error(`--rounds must be a whole number from 1 to 999. ${usage}`);
  const chosen = scenarios.filter(({ name }) => names?.includes(name) ?? true);
  return { rounds, chosen, withPeers: values.peers };
}

/** A gateway has two sockets a stream, and some files of its own. */
function checkOpenFiles(chosen: readonly Scenario[]): void {
  const needed = 2 * Math.max(...chosen.map(({ connections }) => connections)) + 200;
  const allowed = openFilesMax();
  if (allowed >= needed) return;
  throw new Error(
    `These scenarios need ${needed} open files a process, ${allowed} are allowed: raise it with ulimit -n ${needed}, or choose others with --only.`,
  );
}
