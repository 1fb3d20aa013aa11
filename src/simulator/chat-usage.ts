/** The usage of a simulated answer, with what a prompt's `[sim:usage={…}]` makes of it. */
import { isObject, type JsonObject } from '../domain/json/json-object.ts';
import { numberOr } from './chat-prompt.ts';

/** Returns the usage with the asked fields in the place of its own; `total_tokens` adds up again unless it was asked for. */
export function mergeUsage(usage: JsonObject, asked: JsonObject | undefined): JsonObject {
  if (asked === undefined) return usage;
  const merged = merge(usage, asked);
  if (!('total_tokens' in usage) || 'total_tokens' in asked) return merged;
  const [input, output] = [
    merged['prompt_tokens'] ?? merged['input_tokens'],
    merged['completion_tokens'] ?? merged['output_tokens'],
  ];
  return { ...merged, total_tokens: numberOr(input, 0) + numberOr(output, 0) };
}

function merge(usage: JsonObject, asked: JsonObject): JsonObject {
  const fields = Object.entries(asked).map(([name, value]): [string, unknown] => {
    const own = usage[name];
    return [name, isObject(own) && isObject(value) ? merge(own, value) : value];
  });
  return { ...usage, ...Object.fromEntries(fields) };
}
