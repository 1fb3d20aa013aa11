/** Ledger entries written straight into the database, as many and as old as a test wants them; the chain doesn't cover them. */
import type { AccountId } from '../../src/domain/ids.ts';
import type { Database } from '../../src/postgres/database.ts';
import { newTransferId } from '../../src/postgres/new-ids.ts';

export interface WrittenEntry {
  type?: string;
  createdAt?: string;
  key?: string;
  model?: string;
  /** In micro-units. */
  revenue?: number;
  units?: number;
  unit?: 'image' | 'second' | 'token';
  taskId?: string;
  lines?: unknown;
  reason?: string;
  requestId?: string;
  /** When its hold was made; now, if it is not said. */
  admittedAt?: string;
  provider?: string;
  /** In micro-units. */
  cost?: number;
}

/** Appends the entries to the account's ledger, numbered on from its last. */
export async function writeEntries(database: Database, account: AccountId, entries: readonly WrittenEntry[]) {
  const rows = entries.map((entry) => ({
    transfer_id: entry.admittedAt === undefined ? newTransferId() : transferIdAt(new Date(entry.admittedAt)),
    type: entry.type ?? 'capture',
    created_at: entry.createdAt ?? new Date().toISOString(),
    revenue: entry.revenue ?? 0,
    key_id: entry.key ?? 'key_written',
    task_id: entry.taskId,
    request_id: entry.requestId ?? 'req_written',
    model: entry.model ?? 'sim-image',
    units: entry.units,
    unit: entry.unit,
    lines: entry.lines,
    reason: entry.reason,
    provider: entry.provider,
    cost: entry.cost,
  }));
  await database.pool.query(
    `with numbered as (update accounts set seq = seq + $3 where id = $1 returning seq - $3 as before)
     insert into entries (transfer_id, type, account_id, seq, created_at, d_available, d_held, d_revenue, d_top_ups, d_adjustments,
       d_write_offs, available_after, held_after, key_id, task_id, request_id, model, units, unit, lines, reason, provider, cost)
     select r.transfer_id, r.type, $1, numbered.before + r.n, r.created_at, 0, -r.revenue, r.revenue, 0, 0, 0, 0, 0, r.key_id,
       r.task_id, r.request_id, r.model, r.units, r.unit, r.lines, r.reason, r.provider, r.cost
     from numbered, rows from (jsonb_to_recordset($2::jsonb) as (transfer_id uuid, type text, created_at timestamptz,
       revenue bigint, key_id text, task_id text, request_id text, model text, units numeric, unit text, lines jsonb, reason text,
       provider text, cost bigint))
       with ordinality as r(transfer_id, type, created_at, revenue, key_id, task_id, request_id, model, units, unit, lines, reason, provider, cost, n)`,
    [account, JSON.stringify(rows), rows.length],
  );
}

/** A transfer id of a moment. */
function transferIdAt(moment: Date): string {
  const milliseconds = moment.getTime().toString(16).padStart(12, '0');
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}${newTransferId().slice(13)}`;
}

/** The lines of a chat call's capture at a thousand CNY a million tokens. */
export const linesOf = (counts: { input: number; cached?: number; output: number }) =>
  [
    { unit: 'input_token', units: counts.input - (counts.cached ?? 0) },
    ...(counts.cached === undefined ? [] : [{ unit: 'cached_input_token', units: counts.cached }]),
    { unit: 'output_token', units: counts.output },
  ].map(({ unit, units }) => ({ unit, units, price_per_million: '1000000000', amount: String(units * 1000) }));
