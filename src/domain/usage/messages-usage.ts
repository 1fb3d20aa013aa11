/**
 * The usage of Anthropic's messages. Its `input_tokens` are the prompt without what caches read or wrote, so the parts are
 * disjoint already; its `output_tokens` have the thoughts in them.
 */
import { countsOf, type TokenCounts } from '../billing/token-counts.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { cacheWritesIn } from './cache-writes.ts';
import { countOf, findUnknownCounts, isCount, objectIn, type Odd } from './usage-fields.ts';

export const hasMessagesCounts = (usage: unknown): usage is JsonObject =>
  isObject(usage) && isCount(usage['input_tokens']) && isCount(usage['output_tokens']);

/**
 * A stream's usage: that of `message_start`, over which each `message_delta` puts its own counts. Those are of the whole
 * message so far, and null where the delta doesn't say.
 */
export class MessagesUsage {
  #usage: JsonObject | undefined;

  /** Takes the `usage` of an event's message or of the event itself; anything but an object is no news. */
  take(usage: unknown): void {
    if (!isObject(usage)) return;
    const news = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(news) };
  }

  /** As a whole answer would have it; undefined while none came. */
  get usage(): JsonObject | undefined {
    return this.#usage;
  }
}

const known = new Set([
  ...['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  ...['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens', 'thinking_tokens'],
]);

/** Returns the counts of a usage that has both its whole counts; notes what is odd. */
export function readMessagesUsage(usage: JsonObject, odd: Odd): TokenCounts {
  findUnknownCounts(usage, known, odd);
  const iterations = iterationsOf(usage);
  if (!iterations) return partsOf(usage, odd);
  const reasoning = reasoningOf(usage, odd);
  const counts = countsOf(sumOf(iterations.map((iteration) => partsOfIteration(iteration, odd))));
  return { ...counts, reasoning: Math.min(reasoning, counts.output) };
}

/**
 * The iterations that are to be summed in the place of the whole counts, which leave out those of compaction and of
 * advisors. With a `fallback_message` among them the whole counts are right.
 */
function iterationsOf({ iterations }: JsonObject): JsonObject[] | undefined {
  if (!Array.isArray(iterations) || iterations.length === 0) return undefined;
  const read = (iterations as readonly unknown[]).filter(hasMessagesCounts);
  const isFallback = read.some(({ type }) => type === 'fallback_message');
  return isFallback || read.length < iterations.length ? undefined : read;
}

/** An advisor is another model, whose price is not known here: plain tokens of this one, and a reason to look at it. */
function partsOfIteration(iteration: JsonObject, odd: Odd): Partial<TokenCounts> {
  const { type } = iteration;
  if (type === 'message' || type === 'compaction') return partsOf(iteration, odd);
  odd.add(type === 'advisor_message' ? 'other_model' : 'unknown_field');
  const { fresh, cacheRead, cacheWrite5m, cacheWrite1h, output } = partsOf(iteration, odd);
  return { fresh: fresh + cacheRead + cacheWrite5m + cacheWrite1h, output };
}

function partsOf(usage: JsonObject, odd: Odd): TokenCounts {
  const own: Odd = new Set();
  const input = countOf(usage['input_tokens'], odd) ?? 0;
  const output = countOf(usage['output_tokens'], odd) ?? 0;
  const cacheRead = countOf(usage['cache_read_input_tokens'], own) ?? 0;
  const total = usage['cache_creation_input_tokens'];
  const writes = cacheWritesIn([total], usage['cache_creation'], own);
  const reasoning = Math.min(reasoningOf(usage, odd), output);
  if (own.size === 0) return countsOf({ fresh: input, cacheRead, ...writes, output, reasoning });
  for (const reason of own) odd.add(reason);
  const written = isCount(total) ? total : writes.cacheWrite5m + writes.cacheWrite1h;
  return countsOf({ fresh: input + cacheRead + written, output, reasoning });
}

const reasoningOf = (usage: JsonObject, odd: Odd): number =>
  countOf(objectIn(usage['output_tokens_details'])['thinking_tokens'], odd) ?? 0;

const summed = ['fresh', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const;

function sumOf(parts: readonly Partial<TokenCounts>[]): Partial<TokenCounts> {
  return Object.fromEntries(summed.map((name) => [name, parts.reduce((sum, { [name]: count = 0 }) => sum + count, 0)]));
}
