/** Ledger entries as callers see them, in JSON and CSV. */
import * as z from 'zod';
import { lineUnits } from '../../domain/billing/line-units.ts';
import type { TokenLine } from '../../domain/billing/token-lines.ts';
import { entryTypes } from '../../domain/billing/postings.ts';
import { toAmount } from '../../domain/money.ts';
import type { Entry } from '../../ledger/entries.ts';
import { answer } from '../openapi/schemas.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';

/** A line of what a call costs. */
export const costLine = answer(
  'CostLine',
  z.strictObject({
    unit: z.enum(lineUnits),
    name: z.string().optional().describe('Of a `tool_call`: the tool.'),
    units: z.number(),
    unit_price: z.number(),
    amount: z.number(),
  }),
);

export const entryFields = {
  id: z.string(),
  object: z.literal('ledger_entry'),
  created: z.int().describe('Unix seconds.'),
  type: z.enum(entryTypes),
  amount: z.number().describe('Signed, on the available balance.'),
  balance: z.number().describe('Available balance after this entry.'),
  charged: z.number().describe('Amount charged by this entry.'),
  task_id: z.string().nullable(),
  request_id: z.string().nullable(),
  key_id: z.string().nullable(),
  model: z.string().nullable(),
  units: z.number().nullable(),
  unit: z.string().nullable().describe('`image`, `second`, `token`, `character`, `search` or `call`.'),
  unit_price: z.number().nullable(),
  usage_source: z.string().nullable().describe('`upstream`, `estimated` or `measured`.'),
  lines: z.array(costLine).optional().describe('Of a call.'),
  usage: z.record(z.string(), z.unknown()).optional().describe("Of a call's capture: the provider's own `usage`."),
  reason: z.string().optional(),
};
export const entryRecord = answer('LedgerEntry', z.strictObject(entryFields));
export type EntryRecord = z.input<typeof entryRecord>;

/** The names of an entry's fields, in their order. */
export const entryColumns: readonly string[] = Object.keys(entryFields);

export const entryObject = (entry: Entry): EntryRecord => ({
  id: `${entry.transferId}.${entry.type}`,
  object: 'ledger_entry',
  created: unixSeconds(entry.createdAt),
  type: entry.type,
  amount: toAmount(entry.amount),
  balance: toAmount(entry.balance),
  charged: toAmount(entry.charged),
  task_id: entry.taskId,
  request_id: entry.requestId,
  key_id: entry.keyId,
  model: entry.model,
  units: entry.units,
  unit: entry.unit,
  unit_price: entry.unitPrice === null ? null : toAmount(entry.unitPrice),
  usage_source: entry.usageSource,
  ...(entry.lines && { lines: entry.lines.map(lineObject) }),
  ...(entry.type === 'capture' && entry.usage && { usage: entry.usage }),
  ...(entry.reason !== null && { reason: entry.reason }),
});

/** The price of a single token may lie below a micro-unit; divided once, it is the nearest number to the exact one. */
export const lineObject = ({ unit, name, units, pricePerMillion, amount }: TokenLine): z.input<typeof costLine> => ({
  unit,
  ...(name !== undefined && { name }),
  units,
  unit_price: Number(pricePerMillion) / 1e12,
  amount: toAmount(amount),
});
