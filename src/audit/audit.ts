/**
 * The audit: whether everything that is stored agrees with everything else. Its checks read page by page, each page in a
 * short snapshot of its own (`short-reads.ts`), so that an audit of millions of entries needs little memory, and neither
 * disturbs a running gateway nor is disturbed by it.
 */
import * as z from 'zod';
import { type Database, isConnectionError } from '../postgres/database.ts';
import type { Check, CheckContext, Finding } from './check-context.ts';
import { type Ranged, rangesOf } from './key-ranges.ts';
import { type Read, type ReadOptions, ShortReads } from './short-reads.ts';

export interface AuditReport {
  startedAt: Date;
  finishedAt: Date;
  since: Date | undefined;
  agrees: boolean;
  /** How many entries, holds, tasks… were looked at. */
  looked: Readonly<Record<string, number>>;
  /** How many findings there are in all; the first of them follow. */
  findingCount: number;
  findings: readonly Finding[];
  /** Of an audit that agrees: the heads of all chains, so that the next one sees what was cut off since. */
  anchor?: Anchor;
}

/** The list of all heads, by its number and keyed hash. */
export interface Anchor {
  seq: number;
  /** Over the list, its number, and the mac of the anchor before: hexadecimal. */
  mac: string;
  accounts: number;
  acts: string;
  /** Where the list lies in the blob store. */
  blob: string;
}

export const findingsMax = 1_000;

export interface AuditOptions {
  since?: Date | undefined;
  signal?: AbortSignal | undefined;
  /** Called when each check begins, and with the number of rows looked at so far. */
  onProgress?: ((check: string, looked: AuditReport['looked']) => void) | undefined;
  /** Of a page, at the most. */
  pageRows?: number | undefined;
}

/** Runs the checks one after another. One that breaks off is a finding; a database that goes away is an error. */
export async function audit(
  { database, ledgerKeys }: { database: Database; ledgerKeys: readonly Buffer[] },
  checks: readonly Check[],
  { since, signal, onProgress, pageRows }: AuditOptions = {},
): Promise<AuditReport> {
  const startedAt = new Date();
  const looked: Record<string, number> = {};
  const findings: Finding[] = [];
  let findingCount = 0;
  const reads = new ShortReads(database, { signal, pageRows });
  for (const check of checks) {
    signal?.throwIfAborted();
    onProgress?.(check.name, looked);
    const context: CheckContext = {
      read: reads.read,
      pageRows: () => reads.pageRows,
      ledgerKeys,
      since,
      now: await databaseClock(reads.read),
      found: (subject, says) => {
        findingCount++;
        if (findings.length < findingsMax) findings.push({ check: check.name, subject, says });
      },
      looked: (what, count) => {
        looked[what] = (looked[what] ?? 0) + count;
        onProgress?.(check.name, looked);
      },
    };
    try {
      await check.run(context);
    } catch (error) {
      if (signal?.aborted === true || isConnectionError(error)) throw error;
      // A row that was changed by hand may hold what no check expects; it must not hide what the others find.
      context.found('this check', `broke off, so not everything was looked at: ${inOneLine(error)}`);
    }
  }
  return { startedAt, finishedAt: new Date(), since, agrees: findingCount === 0, looked, findingCount, findings };
}

async function databaseClock(read: Read): Promise<Date> {
  return z.tuple([z.tuple([z.date()])]).parse(await read('select clock_timestamp()'))[0][0];
}

/** Says what a query finds, whose rows are (subject, sentence). */
export async function report(
  { read, found }: Pick<CheckContext, 'read' | 'found'>,
  text: string,
  values: readonly unknown[] = [],
  options: ReadOptions = {},
): Promise<void> {
  for (const row of await read(text, values, options)) found(...findingRow.parse(row));
}
const findingRow = z.tuple([z.string(), z.string()]);

/** The rows that a query with a range in `$1` and `$2` finds in each range of a table; what else it asks for follows. */
export async function* pagesOf(
  context: Pick<CheckContext, 'read' | 'pageRows'>,
  ranged: Ranged,
  text: string,
  values: readonly unknown[] = [],
  options: ReadOptions = {},
): AsyncGenerator<unknown[][]> {
  for await (const range of rangesOf(context, ranged)) {
    const rows = await context.read(text, [...range, ...values], options);
    if (rows.length > 0) yield rows;
  }
}

/** Says what a query with a range in `$1` and `$2` finds in each range of a table. */
export async function reportPages(
  context: Pick<CheckContext, 'read' | 'pageRows' | 'found'>,
  ranged: Ranged,
  text: string,
  values: readonly unknown[] = [],
): Promise<void> {
  for await (const rows of pagesOf(context, ranged, text, values)) {
    for (const row of rows) context.found(...findingRow.parse(row));
  }
}

/** SQL for the sentences whose conditions hold, joined; an empty text if none does. */
export const sentences = (...cases: readonly (readonly [condition: string, says: string])[]): string =>
  `concat_ws('; ', ${cases.map(([condition, says]) => `case when ${condition} then ${says} end`).join(', ')})`;

const toldCharactersMax = 200;
/** What went wrong, for a finding. */
export const inOneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, toldCharactersMax);
