/** Rows of the margin report as operators see them, in JSON and CSV. */
import * as z from 'zod';
import { toAmount } from '../../domain/money.ts';
import { type Margin, type MarginGroup, marginOf, marginPercentOf } from '../../ledger/margin-report.ts';

/** What a row sums up. */
export const marginSumsFields = {
  calls: z.int(),
  calls_without_cost: z.int(),
  revenue: z.number(),
  revenue_without_cost: z.number(),
  written_off: z.number(),
  cost: z.number(),
  margin: z.number(),
  margin_percent: z.number().nullable(),
};
const named = z.string().nullable().optional();
export const marginRecord = z.strictObject({
  object: z.literal('margin'),
  day: named.describe('Of UTC; with `group_by=day`.'),
  model: named.describe('With `group_by=model`.'),
  provider: named.describe('With `group_by=provider`; null: entries that name none.'),
  account_id: named.describe('With `group_by=account`.'),
  account_name: named.describe('Likewise.'),
  ...marginSumsFields,
});
export type MarginRecord = z.input<typeof marginRecord>;

const groupNames = {
  day: ['day'],
  model: ['model'],
  provider: ['provider'],
  account: ['account_id', 'account_name'],
} as const;

/** The names of a row's fields, in their order. */
export const marginColumns = (by: MarginGroup): readonly string[] => [
  'object',
  ...groupNames[by],
  ...Object.keys(marginSumsFields),
];

export const marginObject = (by: MarginGroup, margin: Margin): MarginRecord => ({
  object: 'margin',
  [groupNames[by][0]]: margin.group === '' ? null : margin.group,
  ...(by === 'account' && { account_name: margin.name }),
  ...marginSumsObject(margin),
});

export const marginSumsObject = (margin: Margin): z.input<z.ZodObject<typeof marginSumsFields>> => ({
  calls: margin.calls,
  calls_without_cost: margin.callsWithoutCost,
  revenue: toAmount(margin.revenue),
  revenue_without_cost: toAmount(margin.revenueWithoutCost),
  written_off: toAmount(margin.writtenOff),
  cost: toAmount(margin.cost),
  margin: toAmount(marginOf(margin)),
  margin_percent: marginPercentOf(margin),
});
