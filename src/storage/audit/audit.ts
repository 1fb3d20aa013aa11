/**
 * The audit: whether everything that is stored agrees with everything else. Each check reads one snapshot of the database,
 * row by row, and lets go of it, so that an audit of millions of entries needs little memory and a running gateway doesn't disturb it.
 */
import type pg from 'pg';
import * as z from 'zod';
import { type Database, isConnectionTrouble } from '../database.ts';

/** One thing that disagrees. */
export interface Finding {
  /** The check that found it. */
  check: string;
  /** What it is about: an account, an entry (`<transfer>.<type>`), a hold, a key, a task, a blob, an act. */
  subject: string;
  /** What disagrees with what, in a sentence that holds no secret. */
  says: string;
}

/** One kind of question that the audit asks. */
export interface Check {
  name: string;
  run(context: CheckContext): Promise<void>;
}

export interface CheckContext {
  /** In a read-only transaction on the audit's snapshot. */
  client: pg.ClientBase;
  /** The keys that chains and seals may have been made with: those of all secrets, the newest first. */
  ledgerKeys: readonly Buffer[];
  /** Only what is newer has to be looked at. */
  since: Date | undefined;
  /** The database's clock at the snapshot. */
  now: Date;
  /** Says that something disagrees. */
  found: (subject: string, says: string) => void;
  /** Says how many of something were looked at. */
  looked: (what: string, count: number) => void;
}

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

export const findings_max = 1_000;

/** What one sort or join of the audit may take of the server's memory before it goes to disk. */
const work_mem_mb = 32;

export interface AuditOptions {
  since?: Date | undefined;
  signal?: AbortSignal | undefined;
  /** Told of each check as it begins, and of how many rows were looked at so far. */
  onProgress?: ((check: string, looked: AuditReport['looked']) => void) | undefined;
}

/** Runs the checks one after another, each over a snapshot of its own, so that none keeps dead rows alive for longer. One that breaks off is a finding; a database that goes away is an error. */
export async function audit(
  { database, ledgerKeys }: { database: Database; ledgerKeys: readonly Buffer[] },
  checks: readonly Check[],
  { since, signal, onProgress }: AuditOptions = {},
): Promise<AuditReport> {
  const startedAt = new Date();
  const looked: Record<string, number> = {};
  const findings: Finding[] = [];
  let findingCount = 0;
  for (const check of checks) {
    signal?.throwIfAborted();
    onProgress?.(check.name, looked);
    await onSnapshot(database, async (client, now) => {
      const context: CheckContext = {
        client,
        ledgerKeys,
        since,
        now,
        found: (subject, says) => {
          findingCount++;
          if (findings.length < findings_max) findings.push({ check: check.name, subject, says });
        },
        looked: (what, count) => {
          looked[what] = (looked[what] ?? 0) + count;
          onProgress?.(check.name, looked);
        },
      };
      await client.query('savepoint before_check');
      try {
        await check.run(context);
      } catch (error) {
        if (signal?.aborted === true || isConnectionTrouble(error)) throw error;
        // A row that was changed by hand may hold what no check expects; it must not hide what the others find.
        await client.query('rollback to savepoint before_check');
        context.found('this check', `broke off, so not everything was looked at: ${inOneLine(error)}`);
      }
    });
  }
  return { startedAt, finishedAt: new Date(), since, agrees: findingCount === 0, looked, findingCount, findings };
}

/** The rows of a query in batches, through a cursor of the transaction; the next batch is fetched while one is read. */
export async function* batchesOf(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[] = [],
  batch_rows = 2_000,
): AsyncGenerator<unknown[][]> {
  const name = `audit_${++cursors}`;
  await client.query(`declare ${name} no scroll cursor for ${text}`, [...values]);
  const fetch = () => client.query<unknown[]>({ text: `fetch ${batch_rows} from ${name}`, rowMode: 'array' });
  let next = fetch();
  try {
    for (;;) {
      const { rows } = await next;
      if (rows.length === 0) return;
      next = fetch();
      next.catch(() => undefined); // thrown where it is awaited
      yield rows;
    }
  } finally {
    await next.then(() => client.query(`close ${name}`)).catch(() => undefined);
  }
}
let cursors = 0;

/** Says what a query finds, whose rows are (subject, sentence); in batches, since it may be much. */
export async function report(
  { client, found }: Pick<CheckContext, 'client' | 'found'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<void> {
  for await (const rows of batchesOf(client, text, values)) {
    for (const row of rows) found(...findingRow.parse(row));
  }
}
const findingRow = z.tuple([z.string(), z.string()]);

/** SQL for the sentences whose conditions hold, joined; an empty text if none does. */
export const sentences = (...cases: readonly (readonly [condition: string, says: string])[]): string =>
  `concat_ws('; ', ${cases.map(([condition, says]) => `case when ${condition} then ${says} end`).join(', ')})`;

const told_characters_max = 200;
/** What went wrong, for a finding. */
export const inOneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, told_characters_max);

export async function onSnapshot(
  database: Database,
  read: (client: pg.ClientBase, now: Date) => Promise<void>,
): Promise<void> {
  const client = await database.unhurried.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin isolation level repeatable read read only');
    // An audit takes as long as it takes, and reads a cursor to its end.
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
    await client.query(`set local cursor_tuple_fraction = 1; set local timezone = 'UTC'; set local jit = off`);
    // Joins and sorts of everything: a month's partition at a time, in memory of the server's that is bounded.
    await client.query(`set local work_mem = '${work_mem_mb}MB'; set local enable_partitionwise_join = on`);
    const { rows } = await client.query('select clock_timestamp() as now');
    await read(client, z.tuple([z.object({ now: z.date() })]).parse(rows)[0].now);
    await client.query('rollback');
  } catch (error) {
    broken = error instanceof Error ? error : new Error('the audit broke off', { cause: error });
    throw error;
  } finally {
    client.release(broken);
  }
}
