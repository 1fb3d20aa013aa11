/** The audit of a busy ledger's money, and what it finds in words. */
import { audit, type AuditReport } from '../../src/audit/audit.ts';
import { moneyChecks } from '../../src/audit/checks/all-checks.ts';
import type { TestDatabase } from './database.ts';
import { ledgerKey } from './money.ts';

/** In pages so small that the ledger has some. */
const smallPageRows = 40;

export const auditMoney = (
  { database }: TestDatabase,
  since?: Date,
  ledgerKeys: readonly Buffer[] = [ledgerKey],
  pageRows = smallPageRows,
): Promise<AuditReport> => audit({ database, ledgerKeys }, moneyChecks, { since, pageRows });

export const wordsOf = ({ findings }: AuditReport): string[] =>
  findings.map(({ check, subject, says }) => `${check} ${subject}: ${says}`);
