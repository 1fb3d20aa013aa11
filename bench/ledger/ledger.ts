/**
 * What a ledger can take and how that changes as it grows: admissions per second beside pgbench doing the same statements,
 * on ledgers of 0, 1 and 10 million entries; a call alone on each; and how long an audit takes and how much memory.
 *
 * The first million is written by the product as a gateway would write it, and audited; larger ledgers are copies of it
 * (`copies.ts`). Before anything is measured each is vacuumed, analyzed and on the disk.
 *
 *   npm run bench ledger [-- --entries 1000000,10000000 --rounds 5 --admissions 10000 --callers 512]
 */
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startPostgres } from '../../src/embedded/postgres-server.ts';
import { checkSystem } from '../processes.ts';
import { openRawFigures, printVerdicts, say } from '../report.ts';
import { sum } from '../statistics.ts';
import { type Arena, arenaOn, measureAdmissions, scenarios } from './admissions.ts';
import { type Audited, timeAudit } from './audit.ts';
import { addCopies } from './copies.ts';
import { calmDown, createLedger, openLedger, serverPid } from './databases.ts';
import { fill, makeCustomers } from './fill.ts';
import { startLoadProcess } from './load-process.ts';
import { measureOneCall } from './one-call.ts';
import { findPgbench } from './pgbench.ts';
import { admissionsTable, oneCallTable, verdictsOn } from './report.ts';
import { differenceOfTwins } from './twins.ts';

const usage = 'npm run bench ledger -- [--entries 1000000,10000000] [--rounds 5] [--admissions 10000] [--callers 512]';
/** Whose entries the first ledger has. */
const accountsOfALedger = 50;
/** Of a ledger's tables and indexes, and of the log of what writes it. */
const bytesAnEntry = 800;
const logBytes = 4e9;
/** To announce how long it will take, on two cores. */
const writtenAMinute = 600_000;
const copiedAMinute = 4_000_000;
const measuredAMinute = 100_000;

/** Runs it and prints the tables; returns whether all that was asked holds. */
export async function runLedger(args: readonly string[]): Promise<boolean> {
  const { sizes, ...options } = readOptions(args);
  checkSystem();
  const program = await findPgbench();
  await checkDisk(sizes);
  const stops: (() => Promise<unknown>)[] = [];
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, interrupt);
  try {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startPostgres({ dataDir: folder, say });
    stops.push(() => postgres.stop());
    const load = await startLoadProcess();
    stops.push(() => load.stop());
    say(`Writing ledgers of ${sizes.map(inWords).join(', ')} entries: about ${fillMinutes(sizes)} minutes.`);
    const { urls, audited } = await makeLedgers({ server: postgres.url, sizes, folder, signal });
    const arenas: Arena[] = [];
    for (const [at, url] of urls.entries()) {
      const ledger = await openLedger(url, folder);
      stops.push(() => ledger.close());
      arenas.push(await arenaOn(sizes[at] ?? 0, ledger));
    }
    for (const url of urls) await calmDown(url);
    const raw = openRawFigures('ledger');
    raw.keep({ audited });
    const postgresPid = await serverPid(postgres.url);
    say(`Measuring: about ${measureMinutes(sizes.length, options)} minutes.`);
    const oneCall = await measureOneCall(arenas, raw, signal);
    const admissions = await measureAdmissions({
      arenas,
      load,
      program,
      folder,
      postgresPid,
      raw,
      signal,
      say,
      ...options,
    });
    const differences = (await Promise.all(arenas.map(differenceOfTwins))).filter((found) => found !== undefined);
    say(`Raw figures: ${raw.file}`);
    process.stdout.write(`${admissionsTable(admissions, sizes)}\n${oneCallTable(oneCall, sizes)}\n`);
    return printVerdicts(verdictsOn({ sizes, admissions, oneCall, audited, differences }));
  } catch (error) {
    signal.throwIfAborted(); // what failed then is only what the interruption ended
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
  }
}

interface Making {
  server: string;
  /** The first is 0, the second is written by the product. */
  sizes: readonly number[];
  folder: string;
  signal: AbortSignal;
}

async function makeLedgers({ server, sizes, folder, signal }: Making): Promise<{ urls: string[]; audited: Audited }> {
  const [empty = 0, first = 0, ...larger] = sizes;
  const nameOf = (size: number) => `bench_${size}`;
  const urls = [await createLedger(server, nameOf(empty)), await createLedger(server, nameOf(first))];
  const written = urls[1] ?? server;
  let startedAt = performance.now();
  const took = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  await writeLedger(written, { entries: first, folder, signal });
  say(`${inWords(first)} entries written in ${took()}; now their audit.`);
  await calmDown(written);
  const audited = await timeAudit(written, folder);
  for (const size of larger) {
    startedAt = performance.now();
    const copies = Math.max(1, Math.round(size / first) - 1);
    const url = await createLedger(server, nameOf(size), nameOf(first));
    await addCopies(url, copies, {
      done: (count) => say(`copy ${count} of ${copies} for ${inWords(size)} entries, after ${took()}`),
      signal,
    });
    await calmDown(url);
    urls.push(url);
  }
  return { urls, audited };
}

async function writeLedger(
  url: string,
  { entries, folder, signal }: { entries: number; folder: string; signal: AbortSignal },
) {
  const ledger = await openLedger(url, folder);
  try {
    const customers = await makeCustomers(ledger.by, ledger.moves, accountsOfALedger);
    await fill(ledger.moves, customers, ledger.owner, entries, { say, signal });
  } finally {
    await ledger.close(); // a database that is copied may have no connections
  }
}

const inWords = (count: number): string => count.toLocaleString('en');

const counted = (least: number, most: number) =>
  z.coerce.number(`must be a whole number from ${least} to ${most}`).int().min(least).max(most);
const optionsSchema = z.object({
  entries: z.array(counted(1_000, 100_000_000)).min(1).max(4),
  rounds: counted(1, 99),
  admissions: counted(1_000, 100_000),
  callers: counted(1, 2_000),
});

function readOptions(args: readonly string[]) {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      entries: text('1000000,10000000'),
      rounds: text('5'),
      admissions: text('10000'),
      callers: text('512'),
    },
  });
  const parsed = optionsSchema.safeParse({ ...values, entries: values.entries.split(',') });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`--${String(issue?.path[0])}: ${issue?.message}. ${usage}`);
  }
  const sizes = [...new Set([0, ...parsed.data.entries])].sort((a, b) => a - b);
  return { ...parsed.data, sizes };
}

/** Largest of all are the copies and the log that PostgreSQL writes of them. */
async function checkDisk(sizes: readonly number[]): Promise<void> {
  const needed = sum(sizes) * bytesAnEntry + logBytes;
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize >= needed) return;
  const inGB = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  throw new Error(
    `Ledgers of these sizes take ${inGB(needed)} below ${tmpdir()}, where ${inGB(bavail * bsize)} are free. Choose smaller ones with --entries, or another folder with TMPDIR.`,
  );
}

const fillMinutes = ([, first = 0, ...larger]: readonly number[]): number =>
  Math.ceil(first / writtenAMinute + sum(larger) / copiedAMinute);

const measureMinutes = (ledgers: number, { rounds, admissions }: { rounds: number; admissions: number }): number =>
  Math.ceil((ledgers * scenarios.length * (rounds + 1) * admissions) / measuredAMinute);
