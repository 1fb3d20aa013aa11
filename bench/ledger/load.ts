/**
 * The process that admits: the product's ledger with many callers at once, each in a closed loop, and nothing else of a
 * gateway. It is sent one load after the other, and answers each when its script for pgbench is written.
 */
import { writeFile } from 'node:fs/promises';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { Committed } from '../../src/ledger/commit/ledger-watch.ts';
import { cpuTimes, sumOf } from '../processes.ts';
import { median, percentile, sum } from '../statistics.ts';
import { ledgerKey } from './databases.ts';
import { admitted, admitTask, callPrice } from './fill.ts';
import { type Load, type LoadResult, loadSchema } from './load-messages.ts';
import { printed } from './printed.ts';
import { Recorder } from './recorder.ts';
import { replayScript } from './replay-script.ts';

interface Product {
  database: Database;
  groups: GroupCommitter;
  calls: CallLedger;
  tasks: Ledger;
  recorder: Recorder;
  /** Of each group that was committed: its admissions. */
  admissions: number[];
  /** And all its moves. */
  moves: number[];
}

const products = new Map<string, Product>();

process.on('SIGINT', () => undefined); // the process that started it ends it
for (const end of ['disconnect', 'SIGTERM'] as const) process.once(end, () => process.exit());
process.on('message', (message) => {
  void run(loadSchema.parse(message)).then((result) => process.send?.(result));
});

async function run(load: Load): Promise<LoadResult> {
  const product = products.get(load.url) ?? open(load.url);
  products.set(load.url, product);
  const { groups, recorder, database } = product;
  for (const counted of [product.admissions, product.moves, recorder.take()]) counted.splice(0);
  const admittedMs: number[] = [];
  const postgresMs = () => sumOf(cpuTimes(load.postgresPid));
  const postgresBeforeMs = postgresMs();
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await admitAll(product, load, admittedMs);
  await groups.drained();
  const seconds = (performance.now() - startedAtMs) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const postgresCpuMs = postgresMs() - postgresBeforeMs;
  const sent = await printed(database.pool, recorder.take());
  const { text, groups: replayed, timedGroups } = replayScript(sent, load.customers, load.twins);
  if (replayed !== product.admissions.length)
    throw new Error(`${replayed} groups of ${product.admissions.length} were written down`);
  await writeFile(load.scriptFile, text);
  return {
    admissions: admittedMs.length,
    seconds,
    groups: product.moves.length,
    moves: sum(product.moves),
    admittedMs: { p50: median(admittedMs), p99: percentile(admittedMs, 0.99) },
    cpuMs: (cpu.user + cpu.system) / 1000,
    postgresCpuMs,
    replayedAdmissions: sum(product.admissions.slice(-timedGroups)),
    connectionOptions: database.pipelined.options.options ?? '',
  };
}

function open(url: string): Product {
  const database = openDatabase(url, { onIdleError: () => undefined });
  const recorder = new Recorder();
  recorder.watch(database.pipelined);
  const admissions: number[] = [];
  const moves: number[] = [];
  const groups = new GroupCommitter(database, ledgerKey, undefined, {
    committed: (group) => void admissions.push(holdsIn(group)),
    took: (count) => void moves.push(count),
    failed: () => undefined,
  });
  return { database, groups, calls: new CallLedger(groups), tasks: new Ledger(groups), recorder, admissions, moves };
}

function holdsIn(group: Committed): number {
  let holds = 0;
  for (const { type } of group.entries()) if (type === 'hold') holds++;
  return holds;
}

async function admitAll({ calls, tasks }: Product, load: Load, admittedMs: number[]): Promise<void> {
  const { customers } = load;
  let begun = 0;
  const call = async () => {
    while (begun < load.admissions) {
      const customer = customers[begun++ % customers.length];
      if (!customer) throw new Error('no customer to call');
      const startedAtMs = performance.now();
      const hold = load.kind === 'calls' ? await admitted(calls, customer, load.owner) : undefined;
      if (!hold) await admitTask(tasks, customer);
      admittedMs.push(performance.now() - startedAtMs);
      if (hold) await calls.settle(hold, callPrice);
    }
  };
  await Promise.all(Array.from({ length: load.callers }, call));
}
