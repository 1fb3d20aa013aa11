/** The whole audit, for the command line and for the nightly run: the database, the blobs, and Temporal's workflows. */
import type { Client } from '@temporalio/client';
import { type Anchor, audit, type AuditOptions, type AuditReport, findingsMax, inOneLine } from './audit.ts';
import { anchorsCheck, LostHead, writeAnchor } from './anchors.ts';
import { blobsCheck } from './checks/stored-blobs.ts';
import { moneyChecks, rowChecks } from './checks/all-checks.ts';
import { ShortReads } from './short-reads.ts';
import { keepAudit } from './audit-results.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { type Database, isConnectionError } from '../postgres/database.ts';
import { auditWorkflows, type WorkflowAudit } from './workflow-comparison.ts';
import type { QueueNames } from '../temporal/temporal-names.ts';

const workflowsCheck = 'workflows';

export interface AuditedParts {
  database: Database;
  blobs: BlobStore;
  /** The keys that chains and seals may have been made with, the newest first. */
  ledgerKeys: readonly Buffer[];
  /** Or why there is none: `left_out` on purpose, or that it could not be reached, which then is a finding. */
  temporal: { client: Client; queues: QueueNames } | 'left_out' | 'unreachable';
  fetchWindowMs: number;
}

/** Audits everything (`deep`: every byte of the blobs too), keeps the result among the audits, and returns it. */
export async function auditEverything(
  parts: AuditedParts,
  { since, signal, onProgress, pageRows, deep = false }: AuditOptions & { deep?: boolean } = {},
): Promise<AuditReport> {
  const { database, blobs, temporal, fetchWindowMs } = parts;
  const checks = [anchorsCheck(blobs), ...moneyChecks, ...rowChecks, blobsCheck({ database, blobs, deep })];
  const before = await audit(parts, checks, { since, signal, onProgress, pageRows });
  const looked = { ...before.looked };
  const findings = [...before.findings];
  let { findingCount } = before;
  const foundBy = (check: string) => (subject: string, says: string) => {
    findingCount += 1;
    if (findings.length < findingsMax) findings.push({ check, subject, says });
  };
  const found = foundBy(workflowsCheck);
  if (temporal === 'unreachable') {
    found('Temporal', 'could not be reached, so tasks were not compared with their workflows');
  } else if (temporal !== 'left_out') {
    const workflows: WorkflowAudit = {
      ...temporal,
      database,
      fetchWindowMs,
      since,
      signal,
      found,
      looked: (what, count) => {
        looked[what] = (looked[what] ?? 0) + count;
        onProgress?.(workflowsCheck, looked);
      },
    };
    try {
      await auditWorkflows(workflows);
    } catch (error) {
      if (signal?.aborted === true || isConnectionError(error)) throw error;
      found('Temporal', `the comparison broke off, so not everything was looked at: ${inOneLine(error)}`);
    }
  }
  const anchor = findingCount === 0 ? await anchored(parts, { signal, pageRows }, foundBy('anchors')) : undefined;
  const agrees = findingCount === 0;
  const report: AuditReport = {
    ...{ ...before, finishedAt: new Date(), agrees, looked, findingCount, findings },
    ...(anchor && { anchor }),
  };
  const [ledgerKey] = parts.ledgerKeys;
  if (!ledgerKey) throw new Error('an audit without a key');
  await keepAudit(database, ledgerKey, report, { leftOut: typeof temporal === 'string' ? [workflowsCheck] : [] });
  return report;
}

/** Writes the heads of all chains down, for the next audit. What was cut off since this one compared them is a finding. */
async function anchored(
  { database, blobs, ledgerKeys }: AuditedParts,
  { signal, pageRows }: Pick<AuditOptions, 'signal' | 'pageRows'>,
  found: (subject: string, says: string) => void,
): Promise<Anchor | undefined> {
  const [ledgerKey] = ledgerKeys;
  if (!ledgerKey) return undefined;
  try {
    return await writeAnchor({ reads: new ShortReads(database, { signal, pageRows }), ledgerKey, blobs });
  } catch (error) {
    if (!(error instanceof LostHead)) throw error;
    found(error.chain, error.message);
    return undefined;
  }
}
