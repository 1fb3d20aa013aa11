/** The result of a comparison as it is printed, kept and shown: plain JSON, amounts as decimal text. */
import { z } from 'zod';
import { decimalText } from '../domain/exact-decimal.ts';
import type { BilledExport } from '../domain/reconciliation/billed-row.ts';
import type { Comparison, Difference, Period } from '../domain/reconciliation/compare.ts';
import type { Side } from '../domain/reconciliation/sides.ts';

const sideRecord = z.strictObject({
  rows: z.int(),
  calls: z.int().nullable(),
  input_tokens: z.int().nullable(),
  cached_input_tokens: z.int().nullable(),
  cache_write_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  /** In the currency of the file, as decimal text. */
  cost: z.string().nullable(),
});
export type SideRecord = z.output<typeof sideRecord>;

/** How a call, or a day and model, can differ. */
export const differenceKinds = ['billed_not_booked', 'booked_not_billed', 'differs'] as const;

export const differenceRecord = z.strictObject({
  kind: z.enum(differenceKinds),
  /** The id of the call, or its day and model. */
  subject: z.string(),
  at: z.string(),
  model: z.string().nullable(),
  /** What differs, such as `cost` or `output_tokens`. */
  fields: z.array(z.string()),
  /** Where the file has it. */
  place: z.string().nullable(),
  billed: sideRecord.nullable(),
  booked: sideRecord.nullable(),
});
export type DifferenceRecord = z.output<typeof differenceRecord>;

export const reportRecord = z.strictObject({
  form: z.string(),
  /** Of the costs; null where the file has none. */
  currency: z.string().nullable(),
  by: z.enum(['id', 'day and model', 'day']),
  measure: z.enum(['cost', 'tokens', 'calls']),
  billed: sideRecord,
  booked: sideRecord,
  /** Of all differences in the measure, each without its sign. */
  differing: z.string(),
  billed_not_booked: z.int(),
  booked_not_billed: z.int(),
  differs: z.int(),
  /** All of them, or the first where it is kept. */
  differences: z.array(differenceRecord),
});
export type Report = z.output<typeof reportRecord>;

export interface Reconciliation {
  provider: string;
  period: Period;
  /** Of the differences by the sum of the file; 0: there are none. */
  share: number;
  tolerance: number;
  report: Report;
}

const fieldNames: Readonly<Record<string, string>> = {
  input: 'input_tokens',
  cachedInput: 'cached_input_tokens',
  cacheWrite: 'cache_write_tokens',
  output: 'output_tokens',
};

/** Returns what is printed and kept of a comparison. */
export function reportOf(bill: BilledExport, comparison: Comparison): Report {
  const { by, measure, billed, booked, differences, differing } = comparison;
  const count = (kind: Difference['kind']) => differences.filter((one) => one.kind === kind).length;
  return {
    ...{ form: bill.form, currency: bill.currency ?? null, by, measure },
    billed: sideObject(billed),
    booked: sideObject(booked),
    differing: decimalText(differing),
    billed_not_booked: count('billed_not_booked'),
    booked_not_billed: count('booked_not_billed'),
    differs: count('differs'),
    differences: differences.map((one) => ({
      ...{ kind: one.kind, subject: one.subject, at: one.at, model: one.model ?? null },
      fields: one.fields.map((field) => fieldNames[field] ?? field),
      place: one.place ?? null,
      billed: one.billed ? sideObject(one.billed) : null,
      booked: one.booked ? sideObject(one.booked) : null,
    })),
  };
}

const sideObject = ({ rows, calls, tokens, cost }: Side): SideRecord => ({
  rows,
  calls: calls ?? null,
  input_tokens: tokens.input ?? null,
  cached_input_tokens: tokens.cachedInput ?? null,
  cache_write_tokens: tokens.cacheWrite ?? null,
  output_tokens: tokens.output ?? null,
  cost: cost ? decimalText(cost) : null,
});
