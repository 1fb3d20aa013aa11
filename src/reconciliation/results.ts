/** The last comparison of each provider with its bill: kept with its first differences, shown in `/metrics` and the console. */
import * as z from 'zod';
import type { Database } from '../postgres/database.ts';
import { row } from '../postgres/row.ts';
import { type Reconciliation, reportRecord } from './report.ts';

export type KeptReconciliation = Reconciliation & { madeAt: Date };

const differencesKept = 100;
const decimal = z.string().transform(Number);

const reconciliationRow = row({
  provider: z.string(),
  madeAt: z.date(),
  periodFrom: z.date(),
  periodTo: z.date(),
  share: decimal,
  tolerance: decimal,
  report: reportRecord,
}).as(({ periodFrom: from, periodTo: to, ...kept }): KeptReconciliation => ({ ...kept, period: { from, to } }));

/** Keeps a result in the place of the provider's last one. */
export async function keepReconciliation(database: Database, result: Reconciliation): Promise<void> {
  const { provider, period, share, tolerance, report } = result;
  const kept = { ...report, differences: report.differences.slice(0, differencesKept) };
  await database.pool.query(
    `insert into reconciliations (provider, made_at, period_from, period_to, share, tolerance, report)
     values ($1, now(), $2, $3, $4, $5, $6)
     on conflict (provider) do update set made_at = excluded.made_at, period_from = excluded.period_from,
       period_to = excluded.period_to, share = excluded.share, tolerance = excluded.tolerance, report = excluded.report`,
    [provider, period.from, period.to, String(share), String(tolerance), JSON.stringify(kept)],
  );
}

/** Returns the last result of each provider, by their names. */
export async function listReconciliations(database: Database): Promise<KeptReconciliation[]> {
  const { rows } = await database.pool.query({
    name: 'list-reconciliations',
    text: `select ${reconciliationRow.columns} from reconciliations order by provider`,
  });
  return rows.map((read) => reconciliationRow.parse(read));
}
