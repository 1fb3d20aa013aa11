/** Usage rows as callers see them. */
import { toYuan } from '../../domain/money.ts';
import type { Usage, UsageGroup } from '../../ledger/usage-report.ts';

const groupNames = { day: 'day', model: 'model', key: 'key_id' } as const;

/** The names of a usage row's fields, in their order. */
export const usageColumns = (by: UsageGroup): readonly string[] => [
  'object',
  groupNames[by],
  'calls',
  'input_tokens',
  'output_tokens',
  'images',
  'seconds',
  'tokens',
  'cost',
];

export const usageObject = (by: UsageGroup, usage: Usage) => ({
  object: 'usage',
  [groupNames[by]]: usage.group,
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
  cost: toYuan(usage.cost),
});
