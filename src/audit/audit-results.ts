/** Audits that were made: each is kept with what it found, and the last whole one is shown in `/metrics`. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from '../domain/json/canonical-json.ts';
import type { AuditReport } from './audit.ts';
import type { Finding } from './check-context.ts';
import type { Database } from '../postgres/database.ts';

/** What is kept of an audit. */
export type KeptAudit = Pick<AuditReport, 'startedAt' | 'finishedAt' | 'agrees' | 'looked' | 'findingCount'>;

/** The last audit of everything, and whether it is as it was written. */
type LastAudit = KeptAudit & { isAsWritten: boolean };

const findingsKept = 100;

/** Keeps an audit with its first findings. One that left out a part, or was `since`, doesn't count as whole. */
export async function keepAudit(
  database: Database,
  ledgerKey: Buffer,
  report: AuditReport,
  { leftOut }: { leftOut: readonly string[] },
): Promise<void> {
  const kept = {
    looked: report.looked,
    finding_count: report.findingCount,
    findings: report.findings.slice(0, findingsKept),
    left_out: leftOut,
  };
  const row: SealedAudit = {
    id: randomUUID(),
    started_at: report.startedAt,
    finished_at: report.finishedAt,
    since: report.since ?? null,
    agrees: report.agrees,
    report: kept,
    anchor: report.anchor ?? null,
  };
  await database.pool.query(
    `insert into audits (id, started_at, finished_at, since, agrees, report, anchor, seal)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[row.id, row.started_at, row.finished_at, row.since, row.agrees, JSON.stringify(kept)],
      row.anchor === null ? null : JSON.stringify(row.anchor),
      sealOf(ledgerKey, row),
    ],
  );
}

/**
 * The audit of everything that finished last, if there was one. While that one, or a newer one, is not as it was written,
 * it is reported as disagreeing: what it found is unknown. Without keys it is taken at its word.
 */
export async function lastWholeAudit(
  database: Database,
  ledgerKeys: readonly Buffer[] | undefined,
): Promise<LastAudit | undefined> {
  const { rows } = await database.pool.query({
    name: 'last-whole-audit',
    text: `select ${listedColumns}, since is null and report -> 'left_out' = '[]' as is_whole from audits
      where finished_at >= (select max(finished_at) from audits where since is null and report -> 'left_out' = '[]')
      order by finished_at desc limit ${newestMax}`,
  });
  const whole: unknown = rows.find((row) => wholeRow.parse(row).is_whole);
  const shown: unknown = whole ?? rows[0];
  if (shown === undefined) return undefined;
  const audit = auditRow.parse(shown);
  if (!ledgerKeys || rows.every((row) => isAsWritten(ledgerKeys, row))) return { ...audit, isAsWritten: true };
  return { ...audit, agrees: false, findingCount: Math.max(1, audit.findingCount), isAsWritten: false };
}

/** Others than whole ones are made by hand, so that few are newer. */
const newestMax = 50;

type SealedAudit = z.output<typeof sealedAudit>;

/** Whether a row is what an audit wrote. */
export function isAsWritten(ledgerKeys: readonly Buffer[], row: unknown): boolean {
  const parsed = sealedAudit.extend({ seal: z.instanceof(Buffer) }).safeParse(row);
  if (!parsed.success) return false;
  const { seal, ...audit } = parsed.data;
  return seal.length === 32 && ledgerKeys.some((key) => timingSafeEqual(sealOf(key, audit), seal));
}

const sealOf = (ledgerKey: Buffer, { started_at, finished_at, since, ...audit }: SealedAudit): Buffer =>
  createHmac('sha256', ledgerKey)
    .update(
      `audit\n${canonicalJson([started_at.toISOString(), finished_at.toISOString(), since?.toISOString() ?? null])}`,
    )
    .update(canonicalJson(audit))
    .digest();

/** An audit as it was kept, with its first findings. */
export interface ListedAudit extends KeptAudit {
  id: string;
  /** Only what is newer was looked at. */
  since: Date | null;
  findings: readonly Finding[];
  leftOut: readonly string[];
}

/** The position of an audit in the list. */
export interface AuditPosition {
  finishedAt: Date;
  id: string;
}

/** Up to `limit` audits before a position, or the newest. One that is not as it was written is not believed (`believed`). */
export async function listAudits(
  database: Database,
  ledgerKeys: readonly Buffer[],
  { limit, before }: { limit: number; before: AuditPosition | undefined },
): Promise<ListedAudit[]> {
  const { rows } = await database.pool.query(
    `select ${listedColumns} from audits
     where $1::timestamptz is null or (date_trunc('milliseconds', finished_at), id) < ($1, $2::uuid)
     order by date_trunc('milliseconds', finished_at) desc, id desc limit $3`,
    [before?.finishedAt ?? null, before?.id ?? null, limit],
  );
  return rows.map((row) => believed(ledgerKeys, row));
}

/** One audit with its first findings; as in the list, it is believed only as it was written. */
export async function findAudit(
  database: Database,
  ledgerKeys: readonly Buffer[],
  id: string,
): Promise<ListedAudit | undefined> {
  const { rows } = await database.pool.query(`select ${listedColumns} from audits where id = $1::uuid`, [id]);
  return rows[0] === undefined ? undefined : believed(ledgerKeys, rows[0]);
}

const forged: Finding = {
  check: 'result',
  subject: 'this audit',
  says: 'its row does not fit its seal: no audit wrote it so, and what was found is unknown',
};

/** The row as it is, if an audit wrote it; else one that disagrees and says so, with whatever can be read of it. */
function believed(ledgerKeys: readonly Buffer[], row: unknown): ListedAudit {
  if (isAsWritten(ledgerKeys, row)) return listedRow.parse(row);
  const { id, started_at, finished_at, since, ...said } = forgedRow.parse(row);
  const { looked, finding_count, findings, left_out } = said.report;
  return {
    ...{ id, since, looked },
    ...{ startedAt: started_at, finishedAt: finished_at, leftOut: left_out },
    agrees: false,
    findingCount: finding_count + 1,
    findings: [forged, ...findings],
  };
}

const listedColumns = 'id, started_at, finished_at, since, agrees, report, anchor, seal';
const finding = z.object({ check: z.string(), subject: z.string(), says: z.string() });

const wholeRow = z.object({ is_whole: z.boolean() });
const sealedAudit = z.object({
  id: z.string(),
  started_at: z.date(),
  finished_at: z.date(),
  since: z.date().nullable(),
  agrees: z.boolean(),
  report: z.unknown(),
  anchor: z.unknown(),
});
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

const nothing = { looked: {}, finding_count: 0, findings: [], left_out: [] };
const forgedRow = z.object({
  ...{ id: z.string(), started_at: z.date(), finished_at: z.date(), since: z.date().nullable() },
  report: z
    .object({
      looked: z.record(z.string(), z.number()),
      finding_count: z.int().min(0),
      findings: z.array(finding),
      left_out: z.array(z.string()),
    })
    .catch(nothing),
});

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
