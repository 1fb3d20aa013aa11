/** What providers say of the tokens that a call used, read into disjoint counts. Pure: the audit reads what was kept again. */
import type { TokenCounts } from '../billing/token-counts.ts';
import type { JsonObject } from '../json/json-object.ts';
import { hasMessagesCounts, readMessagesUsage } from './messages-usage.ts';
import type { OddReason } from './odd-reasons.ts';
import { hasInputCounts, readInputUsage } from './input-usage.ts';
import { chatNames, hasOpenAiCounts, readOpenAiUsage, responsesNames } from './openai-usage.ts';
import { statedToolCalls } from './tool-calls.ts';

/** Whose names a usage object has: of chat completions, responses or Anthropic's messages, or of calls that only read. */
export const usageForms = ['chat', 'responses', 'messages', 'input'] as const;
export type UsageForm = (typeof usageForms)[number];

export interface ReadUsage {
  counts: TokenCounts;
  /** What of it is odd, and was taken by the safest rule. */
  odd: readonly OddReason[];
}

const nothingOdd: readonly OddReason[] = [];

/** Returns whether a usage says how many tokens the whole prompt and the whole output have, so that it can be read. */
export function isUsage(form: UsageForm, usage: unknown): usage is JsonObject {
  if (form === 'messages') return hasMessagesCounts(usage);
  if (form === 'input') return hasInputCounts(usage);
  return hasOpenAiCounts(form === 'chat' ? chatNames : responsesNames, usage);
}

const readers: Readonly<Record<UsageForm, (usage: JsonObject, odd: Set<OddReason>) => TokenCounts>> = {
  chat: (usage, odd) => readOpenAiUsage(chatNames, usage, odd),
  responses: (usage, odd) => readOpenAiUsage(responsesNames, usage, odd),
  messages: readMessagesUsage,
  input: readInputUsage,
};

/**
 * Returns what a usage (`isUsage`) counts. Parts that can't be right are taken as plain text of the whole prompt or the
 * whole output, so nothing is left out and nothing is cheaper for being odd. `countedToolCalls` are those that were seen in
 * the answer; where the usage counts a tool's calls itself, it is believed.
 */
export function readUsage(
  form: UsageForm,
  usage: JsonObject,
  countedToolCalls: Readonly<Record<string, number>> = {},
): ReadUsage {
  const odd = new Set<OddReason>();
  const counts = readers[form](usage, odd);
  counts.toolCalls = { ...countedToolCalls, ...statedToolCalls(usage, odd) };
  return { counts, odd: odd.size === 0 ? nothingOdd : [...odd] };
}
