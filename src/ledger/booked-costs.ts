/** What was booked of one provider: each call and task that it served, with its cost and its tokens. */
import * as z from 'zod';
import { type LineUnit, inputUnits, lineUnits, outputUnits } from '../domain/billing/line-units.ts';
import type { TokenSums } from '../domain/reconciliation/billed-row.ts';
import type { BookedRow } from '../domain/reconciliation/booked-row.ts';
import type { Database } from '../postgres/database.ts';
import { money, row } from '../postgres/row.ts';

const vendorFacts = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(
    z.object({
      id: z.string().optional(),
      model: z.string().optional(),
      cost: z.object({ amount: z.string(), currency: z.string() }).optional(),
    }),
  );
const bookedRow = row({
  transferId: z.string(),
  requestId: z.string().nullable(),
  taskId: z.string().nullable(),
  model: z.string().nullable(),
  cost: money.nullable(),
  vendor: vendorFacts.nullable(),
  lines: z.array(z.object({ unit: z.enum(lineUnits), units: z.number() })).nullable(),
});

const dayMs = 86_400_000;

/**
 * Returns what a provider served of what was admitted from `from` on and before `to`. No index is kept for it: the primary
 * key is read a day at a time. A write-off beside a capture is of the same call, and says the same of it.
 */
export async function listBooked(database: Database, provider: string, from: Date, to: Date): Promise<BookedRow[]> {
  const found: BookedRow[] = [];
  for (let start = from; start < to; start = new Date(start.getTime() + dayMs)) {
    const end = new Date(Math.min(start.getTime() + dayMs, to.getTime()));
    const { rows } = await database.keyed.query({
      name: 'booked-of-a-day',
      text: `select distinct on (transfer_id) ${bookedRow.columns} from entries
        where type in ('capture', 'write_off') and provider = $1
          and transfer_id >= tollgate_uuid_floor($2) and transfer_id < tollgate_uuid_floor($3)
        order by transfer_id, type`,
      values: [provider, start, end],
    });
    found.push(...rows.map((read) => bookedOf(bookedRow.parse(read))));
  }
  return found;
}

function bookedOf(booked: ReturnType<typeof bookedRow.parse>): BookedRow {
  const { transferId, requestId, taskId, vendor, lines } = booked;
  const ids = [requestId, taskId, vendor?.id].filter((id) => typeof id === 'string');
  return {
    name: requestId ?? taskId ?? transferId,
    ids,
    at: timeOf(transferId),
    model: vendor?.model ?? booked.model ?? undefined,
    tokens: lines ? tokensOf(lines) : undefined,
    cost: booked.cost ?? undefined,
    stated: vendor?.cost,
  };
}

function tokensOf(lines: readonly { unit: LineUnit; units: number }[]): TokenSums {
  const sumOf = (units: readonly LineUnit[]) =>
    lines.reduce((sum, line) => sum + (units.includes(line.unit) ? line.units : 0), 0);
  return {
    input: sumOf(inputUnits),
    cachedInput: sumOf(['cached_input_token']),
    cacheWrite: sumOf(['cache_write_token', 'cache_write_1h_token']),
    output: sumOf(outputUnits),
  };
}

/** When the transfer was admitted: the first 48 bits of a UUIDv7 are milliseconds. */
const timeOf = (transferId: string): Date => new Date(Number.parseInt(transferId.replace('-', '').slice(0, 12), 16));
