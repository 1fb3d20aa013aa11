/** The `usage` of chat completions in the words of the other forms. */
import { outputTokens, promptTokens, type TokenCounts } from '../billing/token-counts.ts';
import type { JsonObject } from '../json/json-object.ts';
import { isUsage, readUsage } from '../usage/vendor-usage.ts';

interface ChatCounts {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
}

const none: ChatCounts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** Returns the counts of a chat `usage`; of `counted` where it is absent or nonsense, and zeros without both. */
export function chatCounts(usage: unknown, counted?: TokenCounts): ChatCounts {
  const counts = isUsage('chat', usage) ? readUsage('chat', usage).counts : counted;
  if (counts === undefined) return none;
  return {
    input: promptTokens(counts),
    cacheRead: counts.cacheRead,
    cacheWrite: counts.cacheWrite5m + counts.cacheWrite1h,
    output: outputTokens(counts),
    reasoning: counts.reasoning,
  };
}

/** Anthropic's `input_tokens` are those that no cache had a part in. */
export const messagesUsage = ({ input, cacheRead, cacheWrite, output, reasoning }: ChatCounts): JsonObject => ({
  input_tokens: input - cacheRead - cacheWrite,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
  output_tokens_details: { thinking_tokens: reasoning },
  cache_creation: null,
  server_tool_use: null,
  service_tier: null,
});

export const responsesUsageOf = ({ input, cacheRead, cacheWrite, output, reasoning }: ChatCounts): JsonObject => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});
