/** Ledger entries as callers see them, in JSON and CSV. */
import * as z from 'zod';
import { tokenUnits, type TokenLine } from '../../domain/billing/pricing.ts';
import { entryTypes } from '../../domain/billing/postings.ts';
import { toYuan } from '../../domain/money.ts';
import type { Entry } from '../../ledger/entries.ts';
import { answer } from '../openapi/schemas.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';

/** A line of what a call costs. */
export const costLine = answer(
  'CostLine',
  z.strictObject({
    unit: z.enum(tokenUnits),
    units: z.number(),
    unit_price: z.number().describe('Yuan.'),
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
  charged: z.number().describe('Amount charged by this entry, in yuan.'),
  task_id: z.string().nullable(),
  request_id: z.string().nullable(),
  key_id: z.string().nullable(),
  model: z.string().nullable(),
  units: z.number().nullable(),
  unit: z.string().nullable().describe('`image`, `second` or `token`.'),
  unit_price: z.number().nullable(),
  usage_source: z.string().nullable().describe('`upstream` or `estimated`.'),
  lines: z.array(costLine).optional().describe('Of a chat call.'),
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
  amount: toYuan(entry.amount),
  balance: toYuan(entry.balance),
  charged: toYuan(entry.charged),
  task_id: entry.taskId,
  request_id: entry.requestId,
  key_id: entry.keyId,
  model: entry.model,
  units: entry.units,
  unit: entry.unit,
  unit_price: entry.unitPrice === null ? null : toYuan(entry.unitPrice),
  usage_source: entry.usageSource,
  ...(entry.lines && { lines: entry.lines.map(lineObject) }),
  ...(entry.reason !== null && { reason: entry.reason }),
});

/** The price of a single token may lie below a micro-yuan; divided once, it is the nearest number to the exact one. */
export const lineObject = ({ unit, units, pricePerMillion, amount }: TokenLine): z.input<typeof costLine> => ({
  unit,
  units,
  unit_price: Number(pricePerMillion) / 1e12,
  amount: toYuan(amount),
});
