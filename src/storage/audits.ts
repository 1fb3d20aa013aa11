/** Audits that were made: each is kept with what it found, and the last whole one is shown in `/metrics`. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { AuditReport, Finding } from './audit/audit.ts';
import type { Database } from './database.ts';

/** What is kept of an audit. */
export type KeptAudit = Pick<AuditReport, 'startedAt' | 'finishedAt' | 'agrees' | 'looked' | 'findingCount'>;

const findings_kept = 100;

/** Keeps an audit with its first findings. One that left out a part, or was `since`, doesn't count as whole. */
export async function keepAudit(
  database: Database,
  report: AuditReport,
  { leftOut }: { leftOut: readonly string[] },
): Promise<void> {
  const kept = {
    looked: report.looked,
    finding_count: report.findingCount,
    findings: report.findings.slice(0, findings_kept),
    left_out: leftOut,
  };
  await database.pool.query(
    `insert into audits (id, started_at, finished_at, since, agrees, report) values ($1, $2, $3, $4, $5, $6)`,
    [randomUUID(), report.startedAt, report.finishedAt, report.since, report.agrees, JSON.stringify(kept)],
  );
}

/** The audit of everything that finished last, if there was one. */
export async function lastWholeAudit(database: Database): Promise<KeptAudit | undefined> {
  const { rows } = await database.pool.query({
    name: 'last-whole-audit',
    text: `select started_at, finished_at, agrees, report from audits
      where since is null and report -> 'left_out' = '[]' order by finished_at desc limit 1`,
  });
  return rows[0] === undefined ? undefined : auditRow.parse(rows[0]);
}

/** An audit as it was kept, with its first findings. */
export interface ListedAudit extends KeptAudit {
  id: string;
  /** Only what is newer was looked at. */
  since: Date | null;
  findings: readonly Finding[];
  leftOut: readonly string[];
}

/** The place of an audit in the list. */
export interface AuditPlace {
  finishedAt: Date;
  id: string;
}

/** Up to `limit` audits before a place, or the newest. */
export async function listAudits(
  database: Database,
  { limit, before }: { limit: number; before: AuditPlace | undefined },
): Promise<ListedAudit[]> {
  const { rows } = await database.pool.query(
    `select ${listedColumns} from audits
     where $1::timestamptz is null or (date_trunc('milliseconds', finished_at), id) < ($1, $2::uuid)
     order by date_trunc('milliseconds', finished_at) desc, id desc limit $3`,
    [before?.finishedAt ?? null, before?.id ?? null, limit],
  );
  return rows.map((row) => listedRow.parse(row));
}

/** One audit with its first findings. */
export async function findAudit(database: Database, id: string): Promise<ListedAudit | undefined> {
  const { rows } = await database.pool.query(`select ${listedColumns} from audits where id = $1::uuid`, [id]);
  return rows[0] === undefined ? undefined : listedRow.parse(rows[0]);
}

const listedColumns = 'id, started_at, finished_at, since, agrees, report';
const finding = z.object({ check: z.string(), subject: z.string(), says: z.string() });

const auditRow = z
  .object({
    started_at: z.date(),
    finished_at: z.date(),
    agrees: z.boolean(),
    report: z.object({ looked: z.record(z.string(), z.number()), finding_count: z.number() }),
  })
  .transform(({ started_at, finished_at, agrees, report }): KeptAudit => ({
    startedAt: started_at,
    finishedAt: finished_at,
    agrees,
    looked: report.looked,
    findingCount: report.finding_count,
  }));

const listedRow = z
  .object({
    id: z.string(),
    started_at: z.date(),
    finished_at: z.date(),
    since: z.date().nullable(),
    agrees: z.boolean(),
    report: z.object({
      looked: z.record(z.string(), z.number()),
      finding_count: z.number(),
      findings: z.array(finding),
      left_out: z.array(z.string()),
    }),
  })
  .transform(({ id, started_at, finished_at, since, agrees, report }): ListedAudit => ({
    ...{ id, since, agrees },
    startedAt: started_at,
    finishedAt: finished_at,
    looked: report.looked,
    findingCount: report.finding_count,
    findings: report.findings,
    leftOut: report.left_out,
  }));
