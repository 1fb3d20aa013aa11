/**
 * What upstreams say of tokens: the `usage` objects of chat completions and of responses, checked by hand because they
 * are read once a call on the busiest path.
 */
import { parseJsonWithin } from '../json/json-bounds.ts';
import type { TokenCounts } from '../billing/pricing.ts';

/** More tokens than any context window has; above it a count is nonsense. */
const tokensMax = 1_000_000_000;

export type JsonObject = Readonly<Record<string, unknown>>;

/** The `usage` of chat completions; undefined when it is absent or nonsense. */
export function chatUsage(usage: unknown): TokenCounts | undefined {
  if (!isObject(usage)) return undefined;
  return counts(usage['prompt_tokens'], usage['prompt_tokens_details'], usage['completion_tokens']);
}

/** The `usage` of responses; undefined when it is absent or nonsense. */
export function responsesUsage(usage: unknown): TokenCounts | undefined {
  if (!isObject(usage)) return undefined;
  return counts(usage['input_tokens'], usage['input_tokens_details'], usage['output_tokens']);
}

/** A body as the JSON object that it has to be; undefined when it is anything else. Throws TooManyValues. */
export function jsonObjectOf(body: Buffer): JsonObject | undefined {
  try {
    const value = parseJsonWithin(body);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function counts(input: unknown, details: unknown, output: unknown): TokenCounts | undefined {
  if (!isCount(input) || !isCount(output)) return undefined;
  const cached = isObject(details) ? details['cached_tokens'] : undefined;
  return { input, cachedInput: isCount(cached) ? cached : 0, output };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0 && value <= tokensMax;
}
