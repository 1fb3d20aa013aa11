/** The audit from the command line, whether the gateway runs or not in this very moment. */
import { resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { runningTemporal } from '../../embedded/temporal-server.ts';
import { fetchWindowMs } from '../../domain/limits.ts';
import type { Environment } from '../../config/environment.ts';
import type { AuditOptions, AuditReport } from '../../audit/audit.ts';
import type { Database } from '../../postgres/database.ts';
import { findFact } from '../../postgres/installation.ts';
import { dataConverterOf } from '../../temporal/codec.ts';
import { lazyConnection } from '../../temporal/connection.ts';
import { queueNames } from '../../temporal/temporal-names.ts';
import { type AuditedParts, auditEverything } from '../../audit/whole-audit.ts';
import { blobsOf } from '../../runtime/open-blob-store.ts';
import { withDatabase } from '../administration.ts';

const connectMs = 5_000;

export interface AuditWishes extends AuditOptions {
  /** False: tasks are not compared with Temporal's workflows, on purpose. */
  temporal: boolean;
  /** Every byte of the blobs is read too. */
  deep: boolean;
}

/** Audits everything and keeps the result. A Temporal that can't be reached is a finding. */
export const runAudit = ({ temporal, ...options }: AuditWishes): Promise<AuditReport> =>
  withDatabase(async ({ environment, database, secrets }) => {
    const { ledgerKeys } = secrets;
    const blobs = await blobsOf(environment);
    const parts = { database, blobs, ledgerKeys, fetchWindowMs };
    const audit = (workflows: AuditedParts['temporal']) => auditEverything({ ...parts, temporal: workflows }, options);
    try {
      return await (temporal ? withTemporal(environment, database, audit) : audit('left_out'));
    } finally {
      blobs.close();
    }
  });

/** Lends a client of the gateway's Temporal, if that answers. */
async function withTemporal<T>(
  { temporal, dataDir }: Environment,
  database: Database,
  use: (temporal: Exclude<AuditedParts['temporal'], 'left_out'>) => Promise<T>,
): Promise<T> {
  const prefix = await findFact(database, 'queue_prefix');
  const address = temporal.address ?? (await runningTemporal(resolve(dataDir)))?.address;
  if (prefix === undefined || address === undefined) return use('unreachable');
  const connection = await lazyConnection({ ...temporal, address });
  try {
    const answers = await connection
      .withDeadline(Date.now() + connectMs, () => connection.ensureConnected())
      .then(
        () => true,
        () => false,
      );
    const client = new Client({
      connection,
      namespace: temporal.namespace,
      ...dataConverterOf(temporal.codecKeys),
    });
    return await use(answers ? { client, queues: queueNames(prefix) } : 'unreachable');
  } finally {
    await connection.close();
  }
}
