/**
 * What a large ledger costs: how long its audit takes and how much memory, and whether a call's hold and settlement take
 * longer on it than on an empty one. Rounds on both alternate; the medians of their p50s are compared.
 *
 *   npm run bench ledger [-- --entries 1000000]
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { startPostgres } from '../../src/embedded/postgres-server.ts';
import { deriveKeys } from '../../src/settings/secrets.ts';
import type { Administrator } from '../../src/storage/acts.ts';
import { migrateDatabase, openDatabase } from '../../src/storage/database.ts';
import { createFileBlobs } from '../../src/storage/file-blobs.ts';
import { median } from '../statistics.ts';
import { admitted, callPrice, type Customer, fill, makeCustomers, type Moves, movesOn } from './fill.ts';

const accounts = 50;
const rounds = 9;
const calls_a_round = 200;
const audit_s_max = 60;
const audit_mb_max = 300;
const ratio_max = 1.5;
const secret = 'the secret of the ledger benchmark and of nothing else';

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Runs it and prints the figures; answers whether all are good. */
export async function runLedger(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({ args: [...args], options: { entries: { type: 'string', default: '1000000' } } });
  const entries = z.coerce.number().int().min(1_000).max(100_000_000).parse(values.entries);
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const postgres = await startPostgres({ dataDir: folder, say });
  const empty = await openLedger(postgres.url, 'bench_empty', folder);
  const full = await openLedger(postgres.url, 'bench_full', folder);
  try {
    const startedAt = performance.now();
    const customers = await makeCustomers(full.by, full.moves, accounts);
    await fill(full.moves, customers, full.owner, entries, say);
    const [few] = await makeCustomers(empty.by, empty.moves, 1);
    const [many] = customers;
    if (!few || !many) throw new Error('no customers');
    say(`Filled in ${Math.round((performance.now() - startedAt) / 1000)} s.`);
    const ratio = await compareAdmissions(on(empty, few), on(full, many));
    const audited = await timeAudit(full.url, folder);
    const isGood = audited.seconds < audit_s_max && audited.peakMB < audit_mb_max && ratio <= ratio_max;
    process.stdout.write(
      `\nThe audit of ${audited.entries.toLocaleString('en')} entries took ${audited.seconds.toFixed(1)} s ` +
        `(${Math.round(audited.entries / audited.seconds).toLocaleString('en')} entries/s) and ${Math.round(audited.peakMB)} MB at its peak; ` +
        `at most ${audit_s_max} s and ${audit_mb_max} MB are good for 1,000,000.\n` +
        `A hold and a settlement take ${ratio.toFixed(2)} times what they take on an empty ledger (median of ${rounds} rounds of ` +
        `${calls_a_round}); at most ${ratio_max} is good.\n`,
    );
    return isGood;
  } finally {
    await Promise.all([empty.close(), full.close()]);
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface OpenLedger {
  url: string;
  by: Administrator;
  moves: Moves;
  owner: string;
  close(): Promise<void>;
}

async function openLedger(server: string, name: string, folder: string): Promise<OpenLedger> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
  const address = new URL(server);
  address.pathname = `/${name}`;
  const url = address.href;
  await migrateDatabase(url);
  const database = openDatabase(url, { onIdleError: () => undefined });
  const by: Administrator = { database, ledgerKey: deriveKeys([secret]).first.ledger, actor: 'tollgate' };
  const owner = randomUUID();
  await database.pool.query(`insert into owners (id, expires_at) values ($1, now() + interval '1 day')`, [owner]);
  return { url, by, owner, moves: movesOn(by, createFileBlobs(join(folder, 'blobs'))), close: () => database.close() };
}

/** Milliseconds of a hold and, in the same group, the settlement of the call before: p50 of many. */
type Round = () => Promise<number>;

function on({ moves: { calls }, owner }: OpenLedger, customer: Customer): Round {
  return async () => {
    const times: number[] = [];
    let hold = await admitted(calls, customer, owner);
    for (let index = 0; index < calls_a_round; index++) {
      const startedAt = performance.now();
      // A settlement alone would wait for others to go with.
      const settled = calls.settle(hold, callPrice);
      [hold] = await Promise.all([admitted(calls, customer, owner), settled]);
      times.push(performance.now() - startedAt);
    }
    await calls.settle(hold, callPrice);
    return median(times);
  };
}

async function compareAdmissions(empty: Round, full: Round): Promise<number> {
  for (const warmUp of [empty, full]) await warmUp();
  process.stdout.write('| round | empty ledger p50 ms | full ledger p50 ms | ratio |\n|---|---|---|---|\n');
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    // Either goes first as often as the other.
    const first = round % 2 === 0 ? full : empty;
    const one = await first();
    const other = await (first === full ? empty : full)();
    const [floor, ours] = first === full ? [other, one] : [one, other];
    ratios.push(ours / floor);
    process.stdout.write(`| ${round} | ${floor.toFixed(2)} | ${ours.toFixed(2)} | ${(ours / floor).toFixed(2)} |\n`);
  }
  return median(ratios);
}

const outputSchema = z.object({ stdout: z.string() });
const reportSchema = z.object({ agrees: z.boolean(), looked: z.object({ entries: z.number() }) });

/** The command as its users run it; refuses a ledger that doesn't agree. */
async function timeAudit(url: string, folder: string): Promise<{ seconds: number; peakMB: number; entries: number }> {
  const program = join(import.meta.dirname, '..', '..', 'bin', 'tollgate.mjs');
  const env = { PATH: process.env['PATH'], DATABASE_URL: url, TOLLGATE_DATA_DIR: folder, TOLLGATE_SECRET: secret };
  const run = (...more: string[]) =>
    promisify(execFile)(process.execPath, [program, 'audit', '--json', '--no-temporal', ...more], {
      env,
      cwd: folder,
    });
  await run('--since', '2100-01-01T00:00:00Z'); // builds what is stale
  const startedAt = performance.now();
  const running = run();
  const watch = watchPeak(running.child.pid ?? 0);
  const stdout = await running
    .then(
      (ended) => ended.stdout,
      (error: unknown) => outputSchema.parse(error).stdout, // a disagreement ends it with 1, and is told below
    )
    .finally(() => watch.stop());
  const seconds = (performance.now() - startedAt) / 1000;
  const { agrees, looked } = reportSchema.parse(JSON.parse(stdout));
  if (!agrees) throw new Error(stdout.slice(0, 2_000));
  return { seconds, entries: looked.entries, peakMB: watch.peakMB() };
}

/** Linux keeps the peak of a process's resident memory while it lives. */
function watchPeak(pid: number): { peakMB: () => number; stop: () => void } {
  let peakMB = 0;
  const timer = setInterval(() => {
    readFile(`/proc/${pid}/status`, 'utf8').then(
      (status) => (peakMB = Math.max(peakMB, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)),
      () => undefined, // it has ended
    );
  }, 20);
  return { peakMB: () => peakMB, stop: () => clearInterval(timer) };
}
