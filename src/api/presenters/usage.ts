/** Usage rows as callers see them, in JSON and CSV. */
import * as z from 'zod';
import { toAmount } from '../../domain/money.ts';
import type { Usage, UsageGroup } from '../../ledger/usage-report.ts';
import { answer } from '../openapi/schemas.ts';

export const usageFields = {
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  images: z.number(),
  seconds: z.number(),
  tokens: z.int(),
  cost: z.number(),
};
export const usageRecord = answer(
  'UsageRow',
  z.strictObject({
    object: z.literal('usage'),
    day: z.string().optional().describe('With `group_by=day`.'),
    model: z.string().optional().describe('With `group_by=model`.'),
    key_id: z.string().optional().describe('With `group_by=key`.'),
    ...usageFields,
  }),
);

export type UsageRecord = z.input<typeof usageRecord>;

const groupNames = { day: 'day', model: 'model', key: 'key_id' } as const;

/** The names of a usage row's fields, in their order. */
export const usageColumns = (by: UsageGroup): readonly string[] => [
  'object',
  groupNames[by],
  ...Object.keys(usageFields),
];

export const usageObject = (by: UsageGroup, usage: Usage): UsageRecord => ({
  object: 'usage',
  ...(by === 'day' && { day: usage.group }),
  ...(by === 'model' && { model: usage.group }),
  ...(by === 'key' && { key_id: usage.group }),
  ...usageSums(usage),
});

/** What a row sums up, whatever it is grouped by. */
export const usageSums = (usage: Usage) => ({
  calls: usage.calls,
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  images: usage.images,
  seconds: usage.seconds,
  tokens: usage.tokens,
  cost: toAmount(usage.cost),
});
