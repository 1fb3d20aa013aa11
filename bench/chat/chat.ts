/**
 * What a chat call costs: the gateway, with keys, limits, holds and ledger all on, against a bare Koa application and, with
 * `--peers`, other gateways; in one run on one machine. CPU time per call is the number to hold on to. With `--node` more
 * than once, gateway and floor run on each of these Nodes.
 */
import { execFileSync } from 'node:child_process';
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
import { plain, type Target } from './targets.ts';

const usage = `npm run bench chat -- [--rounds 3] [--only ${scenarios.map(({ name }) => name).join(',')}] [--node PATH]... [--peers]`;
const say = (line: string) => process.stderr.write(`${line}\n`);

/** Runs it and prints the tables; returns whether no call failed and the ledger holds. */
export async function runChat(args: readonly string[]): Promise<boolean> {
  const { rounds, chosen, nodes, withPeers } = readOptions(args);
  checkSystem();
  checkOpenFiles(chosen);
  const stops: (() => Promise<void>)[] = [];
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    const mock = await startMock();
    stops.push(mock.stop);
    const load = startLoad();
    stops.push(load.stop);
    interrupted.signal.addEventListener('abort', () => void load.stop());
    const targets: Target[] = [];
    const gateways: Gateway[] = [];
    for (const { path, suffix } of nodes) {
      const floor = await startFloor(mock.url, path);
      stops.push(floor.stop);
      const name = `floor${suffix}`;
      const title = `${name} (bare Koa)`;
      const twin = (of: string) => suffix !== '' && { twin: of };
      targets.push({ ...plain, ...floor, name, floor: name, title, ...twin('floor') });
      const gateway = await startGateway(mock.url, path);
      stops.push(gateway.stop);
      const own = { name: gateway.name + suffix, title: gateway.title + suffix, ...twin(gateway.name) };
      gateways.push({ ...gateway, ...own, floor: name });
    }
    targets.push(...gateways);
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
    const judged = [];
    for (const gateway of gateways) judged.push(await judge(gateway, measurements));
    return judged.every((isGood) => isGood);
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

/** Prints what a gateway's ledger says of the load, and whether a call failed. */
async function judge(gateway: Gateway, all: readonly Measurement[]): Promise<boolean> {
  const ofGateway = all.filter(({ target }) => target === gateway.name);
  const findings = await checkLedger(gateway.purse, countCalls(ofGateway));
  const failed = all.reduce((sum, { errors, warmUp }) => sum + errors + warmUp.errors, 0);
  findings.push({ holds: failed === 0, words: `${failed} calls failed, warm-ups and all targets included` });
  process.stdout.write(`After the load, by the ledger of ${gateway.name}:\n\n`);
  for (const { holds, words } of findings) process.stdout.write(`- ${holds ? 'good' : 'WRONG'}: ${words}\n`);
  return findings.every(({ holds }) => holds);
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      only: { type: 'string' },
      node: { type: 'string', multiple: true, default: [process.execPath] },
      peers: { type: 'boolean', default: false },
    },
  });
  const names = values.only?.split(',');
  const unknown = names?.find((name) => !scenarios.some((scenario) => scenario.name === name));
  const rounds = /^\d{1,3}$/.test(values.rounds) ? Number(values.rounds) : 0;
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}. ${usage}`);
  if (rounds < 1) throw new Error(`--rounds must be a whole number from 1 to 999. ${usage}`);
  const chosen = scenarios.filter(({ name }) => names?.includes(name) ?? true);
  return { rounds, chosen, nodes: namedNodes(values.node), withPeers: values.peers };
}

/** The Nodes to put side by side. The first one's targets have plain names, those of the others name their version. */
function namedNodes(paths: readonly string[]): { path: string; suffix: string }[] {
  return paths.map((path, index) => {
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
    return { path, suffix: index === 0 ? '' : ` on ${version}` };
  });
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
