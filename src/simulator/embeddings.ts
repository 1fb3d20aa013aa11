/**
 * The simulator's embeddings: unit vectors made of a text's words, so that the cosine of two texts grows with the words that
 * they share. The same text gets the same vector.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../domain/json/json-object.ts';
import { mergeUsage } from './chat-usage.ts';
import { numberOr, textsIn } from './chat-prompt.ts';
import { tokensOf } from './chat-tokens.ts';
import type { Mistake } from './wire-form.ts';

const dimensionsDefault = 256;
const dimensionsMax = 4096;

/** The text of a body, in which its knobs are. */
export const embeddedText = ({ input }: JsonObject & { input?: unknown }): string => textsIn(input).join('\n');

/** What is wrong with a body, beyond its knobs. */
export function embeddingsMistake({ dimensions }: JsonObject & { dimensions?: unknown }): Mistake | undefined {
  if (numberOr(dimensions, dimensionsDefault) <= dimensionsMax) return undefined;
  return { param: 'dimensions', message: `'dimensions' must be at most ${dimensionsMax}.` };
}

/** The answer to a body without mistakes; `usage` is merged into its usage. */
export function embeddingsAnswer(body: JsonObject, usage: JsonObject | undefined): JsonObject {
  const { input, model, dimensions, encoding_format: format } = body as Record<string, unknown>;
  const inputs = inputsIn(input);
  const words = new WordVectors(numberOr(dimensions, dimensionsDefault));
  const data = inputs.map((tokens, index) => {
    const vector = unit(words.sum(tokens));
    const embedding = format === 'base64' ? base64Of(vector) : [...vector];
    return { object: 'embedding', index, embedding };
  });
  const count = inputs.reduce((sum, tokens) => sum + tokens.length, 0);
  return { object: 'list', data, model, usage: mergeUsage({ prompt_tokens: count, total_tokens: count }, usage) };
}

/** Each input as its tokens: those of a text, or numbers as they were sent. */
function inputsIn(input: unknown): string[][] {
  if (typeof input === 'string') return [tokensOf(input)];
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  if (typeof items[0] === 'number') return [items.map(String)];
  return items.map((item) => (Array.isArray(item) ? item.map(String) : tokensOf(String(item))));
}

/** A direction of its own for each word, whatever its case and the punctuation around it. */
class WordVectors {
  readonly #dimensions: number;
  readonly #known = new Map<string, Float32Array>();

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
  }

  sum(tokens: readonly string[]): Float32Array {
    const sum = new Float32Array(this.#dimensions);
    for (const token of tokens) {
      const vector = this.#of(token.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
      for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
    }
    return sum;
  }

  #of(word: string): Float32Array {
    let vector = this.#known.get(word);
    if (!vector) this.#known.set(word, (vector = drawn(word, this.#dimensions)));
    return vector;
  }
}

/** Numbers from -1 to 1, drawn by an xorshift that the word seeds: two words are nearly at right angles. */
function drawn(word: string, dimensions: number): Float32Array {
  let state = createHash('sha256').update(word).digest().readUInt32LE(0) || 1;
  return Float32Array.from({ length: dimensions }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 2 ** 31;
  });
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** Little-endian 32-bit floats, as OpenAI writes them. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
