/**
 * Admissions per second, of the product and of pgbench on the same ledger right after it, on ledgers of several sizes: rounds
 * of all of them in turn, each in another order, so that what disturbs the machine disturbs all.
 */
import { join } from 'node:path';
import { cpuTimes, sumOf } from '../processes.ts';
import type { RawFigures } from '../report.ts';
import type { OpenLedger } from './databases.ts';
import { type Customer, makeCustomers } from './fill.ts';
import type { Load, LoadResult } from './load-messages.ts';
import type { LoadProcess } from './load-process.ts';
import { replay } from './pgbench.ts';

export interface Scenario {
  name: string;
  kind: Load['kind'];
  /** Whose calls or tasks they are, a key each. */
  accounts: number;
}

export const scenarios: readonly Scenario[] = [
  { name: 'calls of 50 accounts', kind: 'calls', accounts: 50 },
  { name: 'calls of one account', kind: 'calls', accounts: 1 },
  { name: 'tasks of 50 accounts', kind: 'tasks', accounts: 50 },
];
const accountsMax = Math.max(...scenarios.map(({ accounts }) => accounts));

/** A ledger with the product's customers, and as many for pgbench that are their twins. */
export interface Arena {
  /** Entries that were there at first. */
  size: number;
  ledger: OpenLedger;
  customers: readonly Customer[];
  twins: readonly Customer[];
  /** Another one, for calls that come one after the other. */
  alone: Customer;
}

export async function arenaOn(size: number, ledger: OpenLedger): Promise<Arena> {
  const make = (accounts: number) => makeCustomers(ledger.by, ledger.moves, accounts, 1);
  const [alone] = await make(1);
  if (!alone) throw new Error('no customer');
  return { size, ledger, customers: await make(accountsMax), twins: await make(accountsMax), alone };
}

export interface Measurement extends Omit<LoadResult, 'connectionOptions'> {
  round: number;
  scenario: string;
  size: number;
  /** Admissions a second. */
  product: number;
  pgbench: number;
  /** Of PostgreSQL for pgbench, for as many admissions. */
  replayCpuMs: number;
}

export interface Plan {
  arenas: readonly Arena[];
  load: LoadProcess;
  program: string;
  rounds: number;
  callers: number;
  admissions: number;
  folder: string;
  /** Of the PostgreSQL server. */
  postgresPid: number;
  raw: RawFigures;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Each scenario on each ledger, after a warm-up that doesn't count. */
export async function measureAdmissions(plan: Plan): Promise<Measurement[]> {
  const { arenas, rounds, raw, signal, say } = plan;
  const all: Measurement[] = [];
  for (const scenario of scenarios) {
    for (let round = 0; round <= rounds; round++) {
      const first = round % arenas.length;
      for (const arena of [...arenas.slice(first), ...arenas.slice(0, first)]) {
        signal.throwIfAborted();
        const measurement = await measure(plan, { scenario, arena, round });
        raw.keep(measurement);
        say(progressLine(measurement, rounds));
        if (round > 0) all.push(measurement);
      }
    }
  }
  return all;
}

async function measure(
  { load, program, callers, admissions, folder, postgresPid }: Plan,
  { scenario, arena, round }: { scenario: Scenario; arena: Arena; round: number },
): Promise<Measurement> {
  const { url, owner } = arena.ledger;
  const scriptFile = join(folder, 'replay.sql');
  const [customers, twins] = [arena.customers, arena.twins].map((all) => all.slice(0, scenario.accounts));
  const { connectionOptions, ...result } = await load.run({
    ...{ url, owner, kind: scenario.kind, callers, admissions, scriptFile, postgresPid },
    customers: customers ?? [],
    twins: twins ?? [],
  });
  const cpuMs = () => sumOf(cpuTimes(postgresPid));
  const loadedMs = cpuMs();
  const seconds = await replay(program, url, { scriptFile, connectionOptions });
  return {
    ...{ round, scenario: scenario.name, size: arena.size },
    ...result,
    product: result.admissions / result.seconds,
    pgbench: result.replayedAdmissions / seconds,
    replayCpuMs: cpuMs() - loadedMs,
  };
}

const progressLine = (
  { round, scenario, size, product, pgbench, moves, groups }: Measurement,
  rounds: number,
): string =>
  `${round === 0 ? 'warm-up  ' : `round ${round}/${rounds}`}  ${scenario.padEnd(20)}  ${size.toLocaleString('en').padStart(10)} entries  ` +
  `${product.toFixed(0).padStart(6)} admissions/s  pgbench ${pgbench.toFixed(0).padStart(6)}/s  ` +
  `ratio ${(product / pgbench).toFixed(2)}  ${(moves / groups).toFixed(0)} moves a group`;
