/** `npm run bench requests`: what the console asks of 10 million requests and 3 million ledger entries, and how long it takes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startPostgres } from '../../src/embedded/postgres-server.ts';
import { sumCharges } from '../../src/ledger/charge-sums.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { createLedger } from '../ledger/databases.ts';
import { markdownTable, openRawFigures, printVerdicts, say } from '../report.ts';
import { median } from '../statistics.ts';
import { type Question, questionsAt } from './questions.ts';
import { writeRows } from './rows.ts';

const optionsSchema = z.object({
  requests: z.coerce.number('must be a whole number').int().min(30_000),
  times: z.coerce.number('must be a whole number').int().min(2).max(99),
});

/** Runs it and prints the table; returns whether what is promised holds. */
export async function runRequests(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { requests: { type: 'string', default: '10000000' }, times: { type: 'string', default: '7' } },
  });
  const { requests, times } = optionsSchema.parse(values);
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  try {
    const postgres = await startPostgres({ dataDir: folder, say });
    try {
      const url = await createLedger(postgres.url, 'bench_requests');
      await writeRows(url, requests, say);
      const database = openDatabase(url, { onIdleError: () => undefined });
      const startedAtMs = performance.now();
      await sumCharges(database);
      say(`the charges are summed in ${Math.round(performance.now() - startedAtMs)} ms`);
      const found = await askAll(database, times);
      await database.close();
      return report(found);
    } finally {
      await postgres.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Answered extends Question {
  /** The first on its connection: the statement is planned for it. */
  firstMs: number;
  /** The median of the others. */
  ms: number;
}

async function askAll(database: Database, times: number): Promise<Answered[]> {
  const raw = openRawFigures('requests');
  const found: Answered[] = [];
  for (const question of questionsAt(new Date())) {
    const all: number[] = [];
    for (let time = 0; time < times; time++) {
      const startedAtMs = performance.now();
      const fault = await faultOf(() => question.ask(database));
      all.push(performance.now() - startedAtMs);
      if (fault === undefined) continue;
      say(`${question.name}: ${fault}`); // as slow as a statement may be; the others are asked all the same
      break;
    }
    raw.keep({ name: question.name, ms: all });
    const [firstMs = 0, ...others] = all;
    found.push({ ...question, firstMs, ms: others.length > 0 ? median(others) : firstMs });
  }
  return found;
}

async function faultOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'it failed';
  }
}

function report(found: readonly Answered[]): boolean {
  const rows = found.map(({ name, firstMs, ms }) => [name, ms.toFixed(0), firstMs.toFixed(0)]);
  process.stdout.write(`${markdownTable(['what is asked', 'ms', 'the first time'], rows)}\n`);
  return printVerdicts(
    found.flatMap(({ name, ms, msMax }) =>
      msMax === undefined ? [] : [{ holds: ms <= msMax, words: `${name}: ${ms.toFixed(0)} ms (at most ${msMax})` }],
    ),
  );
}
