/**
 * The usage of calls that only read: of embeddings and rankings. Some providers count the prompt, some only a total, and
 * some count searches in the place of tokens.
 */
import type { TokenCounts } from '../billing/token-counts.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { chatNames, readOpenAiUsage } from './openai-usage.ts';
import { isCount, type Odd } from './usage-fields.ts';

const tokenNames = ['prompt_tokens', 'input_tokens', 'total_tokens'] as const;

/** Returns whether a usage says how much was read. */
export const hasInputCounts = (usage: unknown): usage is JsonObject =>
  isObject(usage) && (tokensIn(usage) !== undefined || isCount(usage['search_units']));

/** Returns whether a usage counts tokens, and not searches alone. */
export const countsTokens = (usage: JsonObject): boolean => tokensIn(usage) !== undefined;

/** Returns the counts of a usage that says how much was read; notes what is odd. */
export function readInputUsage(usage: JsonObject, odd: Odd): TokenCounts {
  const { search_units: searches, ...said } = usage as JsonObject & { search_units?: unknown };
  const prompt = tokensIn(usage) ?? 0;
  const counts = readOpenAiUsage(chatNames, { completion_tokens: 0, ...said, prompt_tokens: prompt }, odd);
  return { ...counts, searches: isCount(searches) ? searches : 0 };
}

const tokensIn = (usage: JsonObject): number | undefined => tokenNames.map((name) => usage[name]).find(isCount);
